// == if and do
byte x;
active proctype P() {
  do
  :: x < 5 -> x++
  :: x > 2 -> x = x - 2
  :: x == 5 -> break
  od;
  if :: x == 5 -> skip :: x == 4 fi
}
// == else
byte x;
active [2] proctype P() {
  do :: x < 3 -> x++ :: else -> break od;
  if :: x > 7 -> assert(false) :: else fi
}
// == goto and labels
byte x;
active proctype P() {
  goto L;
  x = 7;
L: x++;
  if :: x < 4 -> goto L :: x >= 4 -> goto done fi;
  x = 9;
done: skip
}
// == goto first in an option
byte x;
active proctype P() {
A: do :: x < 3 -> x++; if :: goto A :: x = 0 fi :: goto B od;
B: x = 5; if :: x == 5 -> goto C :: else fi; C: skip
}
// == break in the middle
byte x;
active proctype P() {
  do :: x++; if :: x > 3 -> break :: else -> skip; skip; x++ fi od;
  do :: do :: break od; break od
}
// == nested selections
byte x;
active proctype P() {
  do
  :: if :: x == 0 -> x = 1 :: x == 1 -> if :: x = 2 :: x = 3 fi fi
  :: do :: x == 2 -> x = 4 :: x == 4 -> break od
  :: x == 3 -> break
  od
}
// == atomic
byte x; byte y;
active [3] proctype P() {
  atomic { x++; y = x; x = x + 2 };
  atomic { y == x -> y++; if :: x++ :: skip fi }
}
// == atomic that blocks
byte x; byte y;
active proctype P() { atomic { x = 1; y == 1; x = 2; y = 3 } }
active proctype Q() { x == 1; y = 1; x = 5; y == 3; assert(x == 2) }
// == atomic with jumps
byte x;
active [2] proctype P() {
L: atomic { x < 6 -> x++; if :: x == 3 -> goto L :: x == 4 -> goto M :: else fi; x++ };
   goto L;
M: atomic { x = 0; do :: x < 2 -> x++ :: else -> break od };
   skip
}
// == atomic loops and last statements
byte x; byte y;
active [2] proctype P() {
  atomic { do :: x < 3 -> x++ :: x > 0 -> x--; break od };
  atomic { if :: x == 1 -> y = 1 :: else -> y = 2 fi };
  atomic { { x = 1; y = y + 1 } };
  do :: atomic { x == 1 -> x = 2 } :: atomic { x == 2 -> break } od
}
// == d_step
byte x; byte y; byte a[3];
active [2] proctype P() { byte i;
  d_step { i = 0; do :: i < 3 -> a[i] = a[i] + 1; i++ :: else -> break od; i = 0; x++ };
  d_step { x == 2 -> y = 1; if :: a[0] == 2 -> y = 2 :: else -> y = 3 fi }
}
// == d_step guards
byte x; byte y;
active proctype P() {
  do
  :: d_step { if :: x == 0 -> x = 1 :: x == 1 -> x = 2 fi; y++ }
  :: d_step { x == 2; x = 3 }
  :: d_step { do :: x == 3 -> x = 4 :: x == 4 -> break od; y = 0 }
  :: x == 4 -> break
  od
}
// == d_step inside atomic
byte x; byte y;
active [2] proctype P() { atomic { x++; d_step { y = x; x = 2 * y }; y++ }; x = 0 }
// == assertion in d_step
byte x;
active [2] proctype P() { d_step { x++; assert(x < 2); x++ }; x = 1 }
// == unless
byte x; byte y;
active proctype P() { { x = 1; x = 2; x = 3; y = 1 } unless { x == 2 -> y = 5; x = 7 }; x = 9 }
active proctype Q() { y = 2; y = 3 }
// == nested unless
byte x; byte y;
active proctype P() {
  { { do :: x < 4 -> x++ :: x >= 4 -> break od } unless { y == 1 -> x = 7 } } unless { y == 2 -> x = 8 };
  x = 9
}
active proctype Q() { y = 1; y = 2; y = 0 }
// == unless in atomic and on rendezvous
chan c = [0] of { byte }; byte x;
active proctype P() { { x = 1; c?x; x = 4 } unless { x == 3 -> skip }; x = 0 }
active proctype Q() { c!3 }
active proctype R() { x = 3 }
// == timeout
byte x;
active proctype P() { x == 1; x = 2 }
active proctype Q() { do :: timeout -> x++; if :: x > 2 -> break :: else fi od }
// == timeout in atomic
byte x; byte y;
active proctype P() { atomic { x = 1; timeout; x = 2 } }
active proctype Q() { y = 1; y = 2 }
// == end labels
byte x;
active proctype P() { end: do :: x == 1 -> x = 0 od }
active proctype Q() { x = 1; end2: x == 5 }
// == end label on a guard and on a jump
byte x;
active proctype P() { do :: x == 0 -> x = 1; end_a: goto L :: x == 3 od; L: x == 4 }
active proctype Q() { endx: if :: x == 7 :: x == 8 fi }
// == no end label
byte x;
active proctype P() { do :: x == 1 -> x = 0 od }
active proctype Q() { x = 1 }
// == for and select
byte x; byte a[4]; byte i;
active proctype P() { byte j;
  for (i : 0 .. 3) { a[i] = i; if :: i == 2 -> break :: else fi };
  select(j : 1 .. 3);
  for (j in a) { x = x + a[j] };
  select(x : j .. 5)
}
// == select over a large range
byte x;
active proctype P() { select(x : 1 .. 40); assert(x != 17) }
// == declarations in the middle
byte g;
active [2] proctype P() {
  byte a = 2;
  g = g + a;
  byte b = g; byte c;
  c++;
  do :: b < 6 -> byte d; d++; b = b + d :: b >= 6 -> break od;
  { byte e = b; g = e; byte f[2]; f[1] = e }
}
// == printf and skip
byte x;
active proctype P() {
  printf("x %d\n", x); skip; skip; x = 1;
  if :: skip; skip; x = 2 :: true -> skip; printf("a"); skip; x = 3 :: x == 1 -> printf("b"); printf("c") fi
}
// == provided
byte x; bit ok = 1;
active proctype P() provided (ok) { x++; x++; x++ }
active proctype Q() { ok = 0; x = 5; ok = 1 }
// == remote references
byte x;
active proctype P() { byte l = 3; x = 1; A: l = 4; B: goto C; C: x = 2 }
active proctype Q() { P@B; assert(P:l == 4); x = 3; P[0]@C -> x = 4 }
// == blocks and inline
byte x;
inline f(a, b) { a = b; if :: a > 2 -> goto out :: else fi; a++; out: skip }
active [2] proctype P() { byte y; f(y, x); { x++; { x++ } }; f(x, y + 3) }
// == last
byte x;
active proctype P() { x++; x++ }
active proctype Q() { if :: _last == 0 -> x = 7 :: _last == 1 fi; assert(_last == 1 || x > 0) }
// == an option that is never open
byte g;
active proctype P() { do :: false -> g = 5 :: g < 2 -> g++ :: g == 2 -> break od; assert(g == 3) }
// == a statement that is never open
byte g;
active proctype P() { do :: g < 2 -> g++ :: g == 2 -> break :: false od; false }
