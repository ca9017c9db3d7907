// == always
byte x;
active [2] proctype P() { do :: x < 4 -> x++ :: x > 0 -> x-- od }
ltl f { [] (x < 4) }
// == always, held
byte x;
active [2] proctype P() { x++; x-- }
ltl f { [] (x < 3) }
// == conjunction and response
byte x; bool b;
active proctype P() { do :: x < 3 -> x++; b = true :: b = false :: x == 3 -> x = 0 od }
ltl f { [] (x < 4) && [] (x == 3 -> <> b) }
// == until
byte x; bool b;
active proctype P() { do :: x < 5 -> x++ :: x > 2 -> b = true; break od }
active proctype Q() { bool t; t = b; b = t }
ltl f { (x < 5) U b }
// == weak until inside always
byte x; bool b;
active proctype P() { do :: x = 1 :: x = 2 :: b = !b od }
active proctype Q() { b; x = 0 }
ltl f { [] (x == 1 -> (x != 2 W b)) }
// == release, negated
byte x; bool b;
active [2] proctype P() { x = x + 1; b = true; x = x + 1 }
ltl f { !((x > 2) V (!b)) }
// == eventually, with an atomic and a rendezvous
byte x; chan c = [0] of { byte };
active proctype P() { atomic { x = 1; c!2; x = 3 }; x = 4 }
active proctype Q() { byte y; c?y; x = 5; x = 0 }
ltl f { <> (x == 4) -> (<> (x == 5)) }
// == names of the model in a formula
mtype = { idle, busy }; mtype m = idle; chan c = [2] of { mtype };
active proctype P() { byte n; do :: n < 2 -> c!busy; n++ :: else -> break od; L: m = busy }
active proctype Q() { do :: c?m :: P@L -> break od }
ltl f { [] (len(c) < 3 && (P@L -> P:n == 2) && (m == idle || m == busy)) }
// == the first of several
byte x;
active proctype P() { do :: x = 1; x = 2; x = 3 od }
ltl f1 { [] (x < 3) }
ltl { <> (x == 9) }
// == a claim before formulas
byte x;
active proctype P() { x = 1; x = 2; x = 3 }
ltl f1 { [] (x < 3) }
never n { do :: x < 3 od }
