bool asked;
active proctype client() { waiting: do :: asked = !asked od }
ltl waits { <> client@waitin }
