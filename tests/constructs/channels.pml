// == buffered
chan c = [2] of { byte };
active proctype P() { byte i; do :: i < 4 -> c!i; i++ :: else -> break od }
active proctype Q() { byte x; do :: c?x :: x == 3 -> break od }
// == fields and constants
mtype = { msg, ack, nak };
chan c = [2] of { mtype, byte, bit };
byte r;
active proctype P() { c!msg,3,1; c!ack(4,0); c!nak(300,3) }
active proctype Q() { byte x; bit b; c?msg,x,b; c?ack(x,0); c?nak,eval(r + 44),b; assert(x == 4 && b == 1) }
// == rendezvous
chan c = [0] of { byte, byte };
byte s;
active proctype P() { c!1,2; s = 1; c!2,3 }
active proctype Q() { byte x; do :: c?x,_ -> s = s + x :: c?2,x -> break od }
active proctype R() { byte y; c?1,y; s = 9 }
// == rendezvous out of and into atomic
chan c = [0] of { byte }; byte s; byte t;
active proctype P() { atomic { s = 1; c!5; s = 2; t = 1 }; s = 3 }
active proctype Q() { byte x; atomic { c?x; t = x; t = t + s }; t = 4 }
active proctype R() { do :: t == 5 -> break :: s == 2 -> break :: t == 4 -> break od; s = 8 }
// == rendezvous out of atomic, receiver free
chan c = [0] of { byte }; byte s;
active [2] proctype P() { atomic { s++; c!s; s = 7; if :: c!s :: skip fi } }
active proctype Q() { byte x; do :: c?x; s = 0; x = 0 od }
// == last statement of atomic is a rendezvous
chan c = [0] of { bit }; byte s;
active proctype P() { do :: atomic { s < 3 -> s++; if :: c!0 :: c!1 fi } :: else -> break od }
active proctype Q() { bit x; end: do :: c?x :: atomic { c?1 -> x = 0 } od }
// == guards that receive
chan c = [1] of { byte }; chan d = [0] of { byte };
byte s;
active proctype P() { do :: c!1 :: d!2; break od }
active proctype Q() { byte x; do :: c?x -> s++ :: d?x -> break :: s > 3 -> c?1; break od }
// == random receive and sorted send
chan c = [3] of { byte, byte };
byte x;
active proctype P() { c!!3,1; c!!1,2; c!!2,0; c!!2,0 }
active proctype Q() { if :: c??2,x :: c??x,2 fi; c?x,_; c??3,x }
// == peek
chan c = [2] of { byte };
byte x;
active proctype P() { c!3; c!4 }
active proctype Q() { c?<x>; c??<4>; c?3; c?<x>; assert(x == 4); c?_ }
// == polls
chan c = [2] of { byte, byte };
byte x;
active proctype P() { c!1,2; c!3,4 }
active proctype Q() { atomic { c?[1,2] -> c?x,_ }; if :: c??[3,4] -> x = 9 :: !c?[5] -> x = 8 fi }
// == len, full, empty
chan c = [2] of { byte };
byte x;
active proctype P() { do :: nfull(c) -> c!1 :: full(c) -> break od; x = len(c) }
active proctype Q() { nempty(c); c?_; if :: empty(c) -> x = 7 :: len(c) == 1 -> x = 8 fi }
// == channel arrays and parameters
chan c[2] = [1] of { byte };
proctype P(chan in; chan out) { byte x; in?x; x++; out!x }
init { atomic { run P(c[0], c[1]); run P(c[1], c[0]) }; c[0]!3; c[0]?eval(5) }
// == channels in messages
chan server = [1] of { chan, byte };
proctype Client(byte n) { chan own = [1] of { byte }; byte x; server!own,n; own?x; assert(x == n + 1) }
active proctype Server() { chan r; byte n; end: do :: server?r,n -> r!n + 1 od }
init { run Client(3); run Client(7) }
// == records in messages
typedef T { byte a; bit b[2] };
chan c = [1] of { T, byte };
T g;
active proctype P() { T t; t.a = 5; t.b[1] = 1; c!t,3; c!g,4 }
active proctype Q() { T u; byte n; c?u,n; assert(u.a == 5 && u.b[1]); c?u,n; assert(u.a == 5) }
// == for over a channel
typedef T { byte a };
chan c = [3] of { T };
byte sum;
active proctype P() { T t; t.a = 1; c!t; t.a = 2; c!t; for (t in c) { sum = sum + t.a } }
// == xr and xs
chan c = [1] of { byte };
active proctype P() { xs c; c!1; c!2 }
active proctype Q() { byte x; xr c; c?x; c?x }
// == rendezvous into d_step
chan c = [0] of { byte }; byte x;
active proctype P() { c!3; c!4; x = 9 }
active proctype Q() { byte y; d_step { c?y; x = y; y = 0 }; d_step { c?4; x = 7 } }
// == send in d_step
chan c = [2] of { byte }; byte x;
active proctype P() { d_step { c!1; x = 1; c!2 }; d_step { c?x; c?x } }
// == receive order of assignments
chan c = [1] of { byte, byte }; byte a[3]; byte i;
active proctype P() { c!2,1; c!1,2 }
active proctype Q() { c?i,a[i]; c?a[i],i }
// == else with input
chan c = [1] of { byte }; byte x;
active proctype P() { do :: c?x :: else -> x++; if :: x > 2 -> break :: else fi od }
active proctype Q() { c!0 }
