// == a variable that is dead where the cycle closes
byte g, h;
active proctype P() { byte x; do :: g < 2 -> x = g; g = x + 1 :: g == 2 -> g = 0 od }
active proctype Q() { do :: h = 1 - h od }
ltl p { [] <> (h == 1) }
// == the claim goes on alone
byte g;
active proctype P() { g = 1; g = 2 }
ltl p { [] <> (g == 1) }
// == an atomic in the cycle
byte g, h;
active proctype P() { do :: atomic { g = 1; h = 1 - h; g = 0 } od }
ltl p { <> (g == 1) }
// == a rendezvous in the cycle
chan c = [0] of { bit }; byte g;
active proctype P() { do :: c!1 :: c!0 od }
active proctype Q() { bit b; do :: c?b -> g = b od }
ltl p { [] <> (g == 1) }
// == a never claim with an accepting state
byte g;
active proctype P() { do :: g = 1 - g od }
never { do :: g == 0 -> goto accept :: true od; accept: do :: true od }
// == an accept label in a process
byte g;
active proctype P() { do :: g = 1 - g; accept: g = 1 - g od }
never { do :: g < 2 od }
// == a hidden variable that never comes back
hidden int n; byte g;
active proctype P() { do :: n++; g = 1 - g od }
ltl p { <> (g == 2) }
// == messages that stay in a buffer
chan c = [2] of { byte }; byte g;
active proctype P() { byte x; do :: c!g :: c?x -> g = 1 - x od }
ltl p { [] (g == 0 -> <> (g == 1)) }
// == a d_step and a timeout in the cycle
byte g, h;
active proctype P() { do :: timeout -> d_step { g = 1 - g; h = 0 } od }
active proctype Q() { g == 1; h = 1; g == 3 }
ltl p { <> [] (g == 1) }
