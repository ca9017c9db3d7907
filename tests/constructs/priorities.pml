// == declared priorities
byte x;
active proctype P() priority 2 { x = 1; x = 2 }
active proctype Q() priority 3 { x = 3; x = 4 }
active proctype R() { x = 5 }
// == priorities that change
byte x, y;
active proctype P() priority 2 { x = 1; set_priority(_pid, 5); x = _priority; y = get_priority(1) }
active proctype Q() priority 3 { x = 2; x = 3; x = 5 }
// == a process that blocks gives way
byte x; chan c = [1] of { byte };
active proctype P() { x = 1; c!1; x = 2 }
active proctype Q() priority 4 { byte y; c?y; x = 7; assert(x == 7) }
// == run with and without a priority
byte x;
init { run P(1); run P(2) priority 9; x = 7; run P(3) priority 2 }
proctype P(byte n) priority 5 { x = n; x = n + 1 }
// == atomic below a higher priority
byte x; bool go;
active proctype P() { atomic { go = true; x = 1; x = 2 }; x = 3 }
active proctype Q() priority 8 { go; x = 9 }
// == timeout and priorities
byte x; chan c = [1] of { byte };
active proctype P() { c!1; x = 1 }
active proctype Q() priority 3 { byte y; c?y; x = 2; c?y }
active proctype R() priority 2 { if :: x == 4 :: timeout -> x = 6 fi }
// == D_proctype
byte x;
active D_proctype P() { x = 1; if :: x == 1 -> x = 2 :: x == 1 -> x = 3 fi }
// == D_proctype without a choice
byte x;
active D_proctype P() { x = 1; if :: x == 1 -> x = 2 :: x != 1 -> x = 3 fi }
// == the priority of the process itself
byte x;
active proctype P() priority 5 { _priority = 1; x = _priority; x = 3 }
active proctype Q() priority 3 { x = 2; x = 4 }
