// == end of a claim
byte x;
active [2] proctype P() { x++; x++ }
never { do :: x > 3 -> break :: else od }
// == claim that does not match
byte x;
active [2] proctype P() { x++; x-- }
never { do :: x > 3 -> break :: x <= 3 od }
// == claim with states
byte x;
active proctype P() { x = 1; x = 2; x = 1 }
never { S0: if :: x == 1 -> goto S1 :: true -> goto S0 fi; S1: if :: x == 2 -> goto S2 :: x != 2 -> goto S1 fi; S2: x == 1 }
// == claim that blocks
byte x;
active [2] proctype P() { x++; x++; x++ }
never { x == 0; x == 1; x == 2; x == 2 }
// == claim with atomic and rendezvous
byte x; chan c = [0] of { byte };
active proctype P() { atomic { x = 1; c!2; x = 3 }; x = 4 }
active proctype Q() { byte y; c?y; x = 5; x = 0 }
never { do :: x == 4 -> break :: x != 4 od; x == 0 }
// == claim with an assertion
byte x;
active proctype P() { x = 1; x = 2 }
never { do :: assert(x < 2) od }
// == pids beside a claim
byte x;
active [2] proctype P() { x = _pid + 1; A: skip }
never { do :: P[1]@A && x == 2 -> break :: else od }
