bool asked;
active proctype client() { do :: asked = !asked od }
ltl live { []<> asked }
ltl live { []<> !asked }
