// == local steps are one step with the guard before them
byte g;
active [2] proctype P() { byte x, y; do :: g < 3 -> x = 1; y = x + 1; g = g + y - 1 :: else -> break od }
// == a local variable is zero after its last use
byte g;
active [2] proctype P() { byte x; x = g; x > 0 || x == 0; g = 1 - g; g = 1; }
// == dead after a receive, and after a write that nobody reads
chan c = [2] of { byte, byte };
active proctype S() { byte i; for (i : 1 .. 3) { c!i,i } }
active proctype R() { byte x, y; do :: c?x,y -> if :: x > 1 -> skip :: else -> y = 7 fi :: timeout -> break od }
// == a variable that is read on one branch only
byte g;
active [2] proctype P() { byte x = 3; if :: g == 0 -> g = x :: g == 3 -> skip fi; x = 5; g = 4 }
// == merging stops at labels
byte g;
active [2] proctype P() { byte x; x = 1; here: x = 2; x = 3; goto there; x = 9; there: g = x }
// == merging stops at labels that others look at
byte g;
active proctype P() { byte x; x = 1; if :: true -> here: x = 2; x = 3 fi; g = x }
active proctype Q() { do :: P@here -> g = 7; break :: g == 3 -> break od }
// == global steps inside atomic are one step
byte g, h;
active [2] proctype P() { atomic { g = 1; h = g + h; h = h % 4 }; h = h + 1 }
// == an atomic that blocks after merged steps
byte g;
active [2] proctype P() { byte x; atomic { x = 1; g++; g == 2; x = g; g = x + 1 } }
// == a rendezvous in the model keeps sends apart
chan r = [0] of { byte };
chan q = [3] of { byte };
byte g;
active proctype P() { byte x; atomic { q!1; x = 2; r!x }; atomic { q!3; g = 1 } }
active proctype Q() { byte x; r?x; x = 4; q?x; g = x }
// == sends are merged where there is no rendezvous
chan q = [3] of { byte };
byte g;
active [2] proctype P() { byte x; atomic { q!1; x = 2; g++ }; atomic { q?x; g = x; x = 1 } }
// == a jump into another atomic
byte g;
active [2] proctype P() { byte x; atomic { x = 1; goto M }; x = 2; atomic { g = 5; M: g++; x = g }; g = x }
// == escapes are not merged
byte g;
active [2] proctype P() { byte x; { x = 1; x = 2; g = x } unless { g == 2 -> x = 7; x = 3 }; g = x + g }
// == d_step keeps its variables
byte g;
active [2] proctype P() { byte x, y; d_step { x = g; y = x; g = y + 1 }; y = 3; g = 0 }
// == a write-only global is no part of a state
byte g, only;
active [2] proctype P() { only = g; g = g + 1; only++; printf("%d", only) }
// == a global that is counted and read
byte g, count;
active [2] proctype P() { count++; g = count }
// == provided turns merging off
byte g;
active [2] proctype P() provided (g < 9) { byte x; x = 1; x = 2; x = 3; g = x }
// == a remote variable turns all off
byte g;
active proctype P() { byte x; x = 1; x = 2; x > 1; g = 1 }
active proctype Q() { P:x == 2; g = 2 }
// == run as a value
byte g;
proctype C(byte n) { byte x; x = n; g = g + x }
active proctype P() { byte x, y; y = 2; x = run C(y); y = 3; g = y }
// == a global as the index of a local array
byte g;
active [2] proctype P() { byte x, y, a[2]; y = 1; x = a[g]; y = x + 1; g = 1; g = y }
// == assertions inside merged steps
byte g;
active [2] proctype P() { byte x; g == 0 -> x = 1; assert(x == 1); x = 2; assert(x == 1); g = 1 }
// == loops of local steps
active [2] proctype P() { byte x; do :: x < 3 -> x++ :: x == 3 -> x = 0; break od }
// == inline blocks
inline twice(v) { v = v + 1; v = v * 2 }
byte g;
active [2] proctype P() { byte x; x = 1; twice(x); { x = x + 1; x = x % 5 }; g = x }
// == skips and prints
byte g;
active [2] proctype P() { byte x; skip; printf("a"); x = 1; skip; x = 2; printf("%d", x); g = 1 }
// == a process is started with global arguments, its number is kept in a local variable
byte g; bit b; chan q = [1] of { byte };
proctype C(byte x; chan c) { b = x }
active proctype P() {
  byte l, n;
  l = run C(g, q);
  n = 0;
  do
  :: n < 2 -> g = g + l; n++
  :: else -> break
  od
}
