// == shared variables
byte x, y;
active proctype a() { x = 1; y = x + 1; assert(y != 9) }
active proctype b() { (x == 1) -> x = 3; y = 7 }
// == a violated assertion
byte x;
active proctype a() { x++; assert(x == 1) }
active proctype b() { x++ }
// == arrays
byte a[3]; byte i;
active proctype p() { byte k; do :: k < 3 -> a[k] = k + i; k++ :: else -> break od; a[i] = 9 }
active proctype q() { i = 1; i = 2; a[i]++; assert(a[i] < 10 || i == 3) }
// == index out of bounds
byte a[3]; byte i;
active proctype p() { a[i] = 9 }
active proctype q() { i = 3 }
// == buffered channels
chan c = [2] of { byte, bit };
active proctype p() { c!1,0; c!2,1; c!3,0; }
active proctype q() { byte v; bit b; do :: c?v,b :: c?2,b -> v = 100 :: full(c) -> break od }
active proctype r() { (len(c) == 2) -> c?<_,_>; nempty(c) -> c??3,_ }
// == sorted sends and polls
chan c = [3] of { byte };
byte z;
active proctype p() { c!!3; c!!1; c!!2; }
active proctype q() { byte v; do :: c?[1] -> c?v; z = v :: c??[2] -> c??2; z = 20 :: z == 20 -> break od }
// == rendezvous
chan c = [0] of { byte };
byte g;
active proctype p() { c!1; c!2; g = 5; c!3 }
active proctype q() { byte v; do :: c?v -> g = v :: c?eval(g) -> g++ od }
active proctype r() { c?3 }
// == rendezvous in atomic
chan c = [0] of { byte }; chan d = [0] of { bit };
byte g;
active proctype p() { atomic { g = 1; c!1; g = 2 }; atomic { (g > 1); d!0; g = 9 } }
active proctype q() { byte v; atomic { c?v; g = g + 10; v = 0; (g > 3); v = 1 }; d?_ }
active proctype r() { if :: d?_ :: g == 11 -> g = 12 fi }
// == an atomic that blocks on a receive
chan c = [0] of { byte };
byte g;
active proctype p() { byte v; atomic { g++; c?v; g++ } }
active proctype q() { g = 7; c!3 }
// == else beside a send
chan c = [0] of { byte };
byte g;
active proctype p() { do :: g < 3 -> if :: atomic { c!1; g++ } :: else -> g++ fi :: else -> break od }
active proctype q() { byte v; c?v }
// == atomic and blocking
byte x, y;
active proctype a() { atomic { x = 1; (y == 1) -> x = 2; y = 0 } }
active proctype b() { atomic { (x == 1) -> y = 1 }; (x == 2) }
// == atomic with choices
byte x, y;
active [2] proctype a() { atomic { if :: x = 1 :: y = 2 :: x == 1 -> y = 3 fi; x = x + y } }
// == d_step
byte x, y;
active [2] proctype a() { byte i; d_step { i = 0; do :: i < 3 -> x = x + i; i++ :: else -> break od; y = x }; assert(y < 7) }
// == d_step that blocks inside
byte x;
active proctype a() { d_step { x = 1; (x == 2) } }
// == d_step that starts with a receive
chan c = [0] of { byte }; byte s;
active proctype p() { c!4; c!5 }
active proctype q() { byte v; do :: d_step { c?v -> s = s + v; v = 0 } od }
// == processes started one by one
byte x;
proctype p(byte n) { x = x + n }
init { byte i; run p(1); run p(2); do :: i < 2 -> run p(i); i++ :: else -> break od; (x > 0) }
// == processes started at once
byte x;
proctype p(byte n; chan c) { c!n; x = n }
chan k = [1] of { byte };
init { atomic { run p(1, k); run p(2, k) }; byte v; k?v; k?v }
// == processes that start processes
byte x;
proctype leaf() { x++ }
proctype node() { run leaf(); run leaf() }
init { run node(); x > 1 }
// == the number of a process
pid who[3]; byte n;
proctype p() { who[_pid] = _pid; n = _nr_pr }
init { pid k; k = run p(); run p(); (_nr_pr == 1); assert(who[1] == 1) }
// == remote references
byte x;
active proctype p() { byte v; here: x = 1; v = 3; there: x = 2; v = 4 }
active proctype q() { do :: p@here -> x = 7 :: p@there && p:v == 3 -> x = 8 :: x > 200 -> break od }
// == remote references to one of many
active [2] proctype p() { cs: skip; out: skip }
active proctype m() { atomic { p[0]@cs && p[1]@out -> assert(false) } }
// == end labels
chan c = [1] of { byte };
active proctype p() { c!1; c!2 }
active proctype q() { byte v; end: do :: c?v od }
// == unless
byte x;
active proctype p() { do :: x < 4 -> x++ :: x == 9 -> break od unless { x == 3 -> x = 100 } }
active proctype q() { (x > 1) -> x = 9 }
// == provided
byte t;
active proctype p() provided (t == 0) { byte i; i = 1; t = 1; i = 2 }
active proctype q() provided (t == 1) { byte i; i = 1; t = 0; i = 2 }
// == channels of processes
chan out = [1] of { chan };
active proctype p() { chan mine = [1] of { byte }; byte v; out!mine; mine?v; assert(v == 3) }
active proctype q() { chan c; out?c; c!3; c!4 }
// == messages that carry channels
chan a = [0] of { byte }; chan b = [0] of { byte }; chan k = [1] of { chan };
active proctype p() { if :: k!a :: k!b fi }
active proctype q() { chan c; k?c; c!1 }
active proctype r() { a?_ }
// == hidden and unused
hidden byte h; byte unused = 3; byte x;
active proctype p() { atomic { h = 4; x = h }; x = h + unused }
// == division by zero
byte x = 1;
active proctype p() { x = 6 / x }
active proctype q() { x = 0 }
// == wrapping
byte x = 250; short s = 32760;
active proctype p() { byte i; do :: x > 0 -> x++ :: else -> break od; do :: i < 9 -> i++; s = (s == 32767 -> -32768 : 32767) :: else -> break od }
active proctype q() { (s < 0) -> assert(x == 0) }
