// == widths
bit a; bool b; byte c; short d; int e; unsigned f : 3; pid g;
active proctype P() {
  a = 2; b = 3; c = 257; d = 32768; e = 2147483647; f = 9; g = 256;
  a--; b = !b; c--; c = c - 3; d--; e++; f = f - 2; assert(e < 0 && d == 32767 && c == 253)
}
// == operators
int x; int y = 7;
active proctype P() {
  x = (y << 2) | 1; x = x ^ 5; x = x & ~2; x = -x / 3; x = x % 4; x = (x < 0 -> y * 2 : y);
  x = (x > 3) + (y >= 7) + (x != y) + (x == 14 && y < 8) + (x || 0); x = x >> 1; assert(x == 2)
}
// == mtypes
mtype = { a, b, c }; mtype = { d, e };
mtype:fruit = { apple, pear };
mtype x = b; mtype:fruit y;
active proctype P() { assert(a == 3 && c == 1 && e == 4 && d == 5); y = pear; x = d; if :: x == d -> y = apple fi }
// == arrays
byte a[3] = 2; byte b[3] = { 1, 2, 3 }; byte i;
active proctype P() { byte l[2] = 4; a[i] = b[2]; i = a[0]; if :: i = 1 :: i = 2 fi; l[1] = a[i] + b[i - 1]; a[l[1] - 3] = 0 }
// == typedefs
typedef In { byte v = 3; bit w[2] };
typedef Out { In one; In many[2]; short s };
Out o; Out p[2];
active proctype P() { Out l; o.one.v++; o.many[1].w[0] = 1; p[1].many[0].v = o.one.v; l.s = -1; l.many[1].v = 9; assert(l.one.v == 3) }
// == initial values
byte n = 3; byte m = n + 1; int z = -5;
#define K 2
byte a[K + 1];
active proctype P() { byte x = m; byte y = x * K; n = y; assert(y == 8); a[K] = 1 }
// == run
byte x;
proctype C(byte n; bit b) { x = x + n; b++; x = x + b }
init { byte p; p = run C(3, 1); run C(4, 0); x = p; _nr_pr == 1; assert(x > 0) }
// == run in a loop
byte x;
proctype C() { x++ }
init { byte i; do :: i < 4 -> run C(); i++ :: else -> break od }
// == run from processes
byte x;
proctype C(byte n) { x++; if :: n > 0 -> run C(n - 1) :: else fi; x-- }
init { run C(3) }
// == active and init
byte x;
active [2] proctype P() { x = x + _pid; _nr_pr < 3 -> x = 0 }
init { x = _pid; x = _nr_pr }
active proctype Q() { x == 2 }
// == death in order
byte x;
proctype A() { x++ }
proctype B() { x++; x++ }
init { run B(); run A(); x == 3; x = 9 }
// == pid reuse
byte x;
proctype A(byte n) { x = _pid + n }
init { run A(1); _nr_pr == 1; run A(2); _nr_pr == 1; assert(x == 3) }
// == scopes
byte x = 1;
active proctype P() { byte y = 2; { byte z = 3; z++; { byte w = z; w++; y = w } }; { byte z = 7; x = z }; assert(x == 7 && y == 5) }
// == local channels
byte s;
proctype P(byte n) { chan c = [1] of { byte }; chan d[2] = [2] of { byte }; c!n; d[1]!c; c?s }
init { run P(3); run P(4) }
// == assertion
byte x;
active [2] proctype P() { byte t; t = x; t++; x = t; _nr_pr; assert(x < 2 || _pid == 0) }
// == invalid index
byte a[2]; byte i;
active proctype P() { i = 1; a[i] = 1; assert(a[1] == 1) }
// == hidden
hidden byte h; byte x;
active proctype P() { atomic { h = x + 1; x = h }; x++ }
// == conditional and eval
chan c = [1] of { byte }; byte x;
active proctype P() { c!(x == 0 -> 4 : 5); c?eval(x + 4); x = 300 }
// == enabled
byte x;
active proctype P() { x == 1; x = 2 }
active proctype Q() { if :: enabled(0) -> x = 9 :: !enabled(0) -> x = 1 fi }
// == constants never written
byte n = 3; chan c = [2] of { byte }; byte lim[2] = { 2, 3 };
active proctype P() { byte i; do :: i < lim[1] && len(c) < 2 -> c!i; i++ :: i >= n -> break :: full(c) -> c?_ od }
// == unsigned in records and wide state
typedef T { unsigned u : 5; int v; short w };
T t[3];
active [2] proctype P() { t[_pid].u = 33; t[_pid].v = -1; t[2].w = t[2].w - 1; assert(t[_pid].u == 1 && t[_pid].v == -1) }
// == arrays of bits are arrays of bytes
bit y[1]; byte g; typedef T { bit z; bool w[2] }; T t;
active proctype P() { bool x[2]; bit z; if :: g = 2 :: g = 8 fi; y[0] = g; x[1] = g; t.w[1] = g; t.z = g; z = g; g = 0 }
