bool asked;
active proctype client() { waiting: do :: asked = !asked od }
ltl answered { [] (asked -> <> anwsered) }
