// == the guard that begins an atomic is a decision: end states wrong
chan left = [0] of { bit }; chan right = [0] of { bit };
active proctype Chooser() {
  byte mood; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  if
  :: atomic { mood < 1; left?1 }
  :: right!1
  fi
}
active proctype Partner() { right?1 }
// == two steps with a hidden one between them stay two: assertions wrong
byte lock;
active proctype Flip() {
  byte n;
  do
  :: lock = 2; n = 1 - n; lock = 0
  od
}
active proctype Look() { assert(lock != 2) }
// == an atomic sequence stays one: assertions right
byte lock;
active proctype Flip() {
  byte n;
  do
  :: atomic { lock = 2; n = 1 - n; lock = 0 }
  od
}
active proctype Look() { assert(lock != 2) }
// == the last hidden step of an atomic lets others in: assertions wrong
byte lock;
active proctype Flip() {
  byte n;
  do
  :: atomic { lock = 2; n = 1 - n }; lock = 0
  od
}
active proctype Look() { assert(lock != 2) }
// == the end of a process is seen by those who count: assertions wrong
bit go;
active proctype Counter() { end: _nr_pr < 2 && go == 1; assert(false) }
active proctype Short() { byte k; do :: k < 2 -> k++ :: else -> break od; go = 1; k = 0 }
// == a process that waits is not one that ended: assertions wrong
bit go;
init { run Old(); run Young(); end: _nr_pr < 2 && go == 1; assert(false) }
proctype Old() { byte n; n = 1; go = 1 }
proctype Young() { byte k; do :: k < 2 -> k++ :: else -> break od; go = 1; k = 0 }
// == an endless hidden loop is no deadlock: end states right
byte go;
active proctype Spinner() {
  byte n;
again:
  if
  :: go == 2; goto again
  :: n = (n + 1) % 3; goto again
  fi
}
// == an endless hidden loop keeps timeout away: assertions right
active proctype Spinner() { byte n; do :: n = (n + 1) % 3 od }
active proctype Patient() { timeout; assert(false) }
// == a value that comes round about is received too: end states right
byte via; chan first = [1] of { byte }; chan last = [1] of { byte };
active proctype Source() { first!5 }
active proctype Carrier() { first?via; last!via }
active proctype Sink() { byte got; last?got; if :: got == 5 -> skip :: else -> skip fi }
// == a d_step that begins with an assertion does not meet itself: assertions right
chan meet = [0] of { bit }; byte go;
active proctype Alone() { do :: meet!1 :: meet?1 -> assert(false) od }
active proctype Other() { byte n; do :: d_step { n = 2; assert(go == 0); go = 0 } od }
// == a copy in the middle of a d_step does not block: assertions right
byte from; byte seen;
active proctype Reader() {
  byte n;
  d_step { seen == 0; n = from };
  if
  :: n == 0 -> seen = 1
  :: n == 3 -> seen = 2
  fi
}
active proctype Writer() { from = 3 }
active proctype Look() { assert(seen < 3) }
// == else goes beside an assignment that always can: assertions right
byte from;
active proctype Reader() {
  byte n;
  if
  :: n = from
  :: else -> assert(false)
  fi;
  n <= from
}
active proctype Writer() { from = 4 }
// == else goes beside a hidden guard that holds: assertions right
bit go;
active proctype Waiter() {
  byte n;
  if
  :: n < 2 -> go == 1
  :: else -> assert(false)
  fi
}
active proctype Starter() { go = 1 }
// == else beside a block that receives is written as SPIN takes it: assertions right
chan box = [1] of { bit }; bit turn;
active proctype Poller() {
  byte n;
again:
  if
  :: atomic { box?_; n = 2 }; goto again
  :: else; turn = 1 - turn; goto again
  fi
}
active proctype Giver() { box!1 }
// == a hidden step leads away from an end label: end states wrong
bit go;
active proctype Waiter() { byte n; end: n = 2; go == 1 }
// == eval means the value before the receive: end states right
chan pair = [1] of { byte, byte };
active proctype Both() { byte n = 4; pair!2,4; pair?n,eval(n); assert(n == 2) }
// == a jump behind an atomic costs nothing: end states wrong
chan meet = [0] of { bit }; bit turn;
active proctype Caller() {
  byte n;
again:
  if
  :: atomic { turn == 0; n = 1 - n; meet!1 }; goto again
  fi
}
active proctype Answerer() { do :: meet?1 :: turn == 1 -> break od }
active proctype Turner() { byte k; do :: k < 3 -> k++; turn = 1 - turn :: else -> break od }
// == a guard that only goes round keeps its process alive: assertions right
bit go;
active proctype Watcher() {
  byte n;
  n = 1;
again:
  if
  :: go == 0; goto again
  :: go == 1
  fi
}
active proctype Patient() { timeout; assert(false) }
// == an index that is known to be too large is an error: assertions wrong
byte row[3]; byte went;
active proctype Walker() {
  byte at = 3; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  if
  :: row[at] == 0 -> went = 1
  :: went == 0 -> went = 2
  fi
}
// == nothing jumps into a d_step: assertions right
byte go;
active proctype Looper() {
  byte n;
again:
  if
  :: d_step { go == 0; n = 1 - n; go = 0 }; goto again
  fi
}
// == who moved last is seen in hidden steps: assertions wrong
bit go;
active proctype Watcher() { end: _last == 1; assert(false) }
active proctype Mover() { byte n; n = 5; end: go == 1 }
// == a claim that counts sees hidden steps: formula never_0 wrong
bit go;
active proctype Mover() { byte n; n = 1; n = 2; end: do :: go = 1 od }
never { go == 0; go == 0; go == 0 }
// == one text serves processes with different numbers: assertions right
byte used[2];
active [2] proctype Worker() { byte me; me = _pid; used[me] = used[me] + 1; assert(used[me] == 1) }
// == a hidden step that begins an atomic at a progress label keeps it: non-progress cycles right
byte go;
active proctype Busy() { byte n; progress: again: atomic { n = 1 - n; go = 2 }; goto again }
active proctype Noise() { byte k; do :: k = (k + 1) % 3 od }
// == a progress label is left by a hidden step: non-progress cycles wrong
byte go;
active proctype Busy() {
  byte n;
progress: again:
  go = 1;
rest:
  n = 1 - n;
  goto again
}
active proctype Noise() { byte k; do :: k = (k + 1) % 3 od }
// == where a process may not always move a hidden step may be its last: end states wrong
bit off;
active proctype Switch() { off = 1 }
active proctype Worker() provided (off == 0) { byte n; n = 2; end: false }
// == a label that became two is asked for in both places: assertions wrong
byte seen;
active proctype Inside() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
again:
  seen = n;
critical:
  n = 1 - n;
  seen = 5;
  goto again
}
active proctype Guard() { atomic { Inside@critical && seen == 1 -> assert(false) } }
// == an endless hidden loop is written so that SPIN takes it: formula f0 right
byte go;
active proctype Spinner() { byte n; do :: n = (n + 1) % 4 od }
ltl f0 { [] <> (go == 0) }
// == what is decided before is not looked at: assertions right
byte row[3]; byte went;
active proctype Walker() {
  byte at; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  do
  :: at < 3 && row[at] == 0 -> at++
  :: at == 3 -> break
  od;
  went = at
}
active proctype Look() { assert(went < 4) }
// == a hidden choice is made before anybody looks: end states wrong
chan meet = [0] of { bit };
active proctype Chooser() {
  byte n;
  if
  :: n = 1
  :: n = 2
  fi;
  if
  :: n == 1; meet!0
  :: n == 2; meet!1
  fi
}
active proctype Taker() { meet?1 }
// == a type keeps what it can: assertions right
byte out;
active proctype Adder() {
  byte n = 254; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  n = n + 3;
  out = n;
  assert(out == 1);
  n--;
  n--;
  if
  :: n == 255 -> out = 3
  :: else -> out = 4
  fi;
  assert(out == 3)
}
active proctype Look() { assert(out < 5) }
// == a message keeps what its field can: end states right
chan box = [1] of { byte };
active proctype Both() { int n = 260; int m; box!n; box?m; assert(m == 4) }
// == SPIN misses a fair cycle beside timeout: formula f0 wrong
bit go;
active proctype Patient() { timeout; go = 1 }
active proctype Spinner() { byte n; do :: n = 1 - n :: go = 0; break od }
ltl f0 { [] <> (go == 1) }
// == SPIN misses a fair cycle beside a process that ends: non-progress cycles wrong
byte a; byte b;
active proctype Stuck() {
  byte n;
  b = n;
progress:
  a == 0;
  atomic { n < 3; b == 7; a = 1 }
}
active proctype Ender() {
  bit y;
again:
  if
  :: b = 0; goto again
  :: a = 0; goto next
  fi;
next:
  if
  :: atomic { y > a; b = 1 }; goto next
  :: else; goto again
  :: a = 2
  fi
}
// == a variable that a formula reads stays: formula f0 wrong
bit go;
active proctype Holder() { byte n = 1; byte k; do :: k = 1 - k; n = 3 - n :: go = 1 od }
ltl f0 { [] (Holder:n == 1) }
// == every step of what can be interrupted is a place for it: assertions wrong
bit stop; byte at;
active proctype Worker() {
  byte n;
  { n = 1; n = 2; at = n; n = 3; at = n } unless { stop == 1 };
  assert(at != 2)
}
active proctype Stopper() { stop = 1 }
// == an acceptance cycle goes through hidden steps: acceptance cycles wrong
byte go;
active proctype Runner() {
  byte n;
again:
  go = 1;
accept:
  n = (n + 1) % 3;
  goto again
}
active proctype Noise() { byte k; do :: k = 1 - k od }
// == a rendezvous inside an atomic gives control away and back: assertions right
chan meet = [0] of { byte }; byte lock;
active proctype Caller() { byte n; byte k; do :: k < 2 -> k++ :: else -> break od; do :: atomic { lock = 1; n = (n + 1) % 2; meet!n; lock = 0 } od }
active proctype Answerer() { byte got; do :: atomic { meet?got; assert(lock == 1); got = 0 } od }
// == a process may wait where its text says so: end states right
bit go;
active proctype Waiter() { byte k; do :: k < 2 -> k++ :: else -> break od; end: go == 1 }
active proctype Starter() { if :: go = 1 :: skip fi }
// == the same step inside and outside of an atomic is not the same: assertions wrong
byte lock;
active proctype Flip() {
  byte k;
  do :: k < 2 -> k++ :: else -> break od;
  do
  :: atomic { lock = 2; lock = 0 }
  :: lock = 2; lock = 0
  od
}
active proctype Look() { assert(lock != 2) }
// == else waits until nothing else can be done: assertions right
bit go;
active proctype Waiter() {
  byte k;
  do :: k < 2 -> k++ :: else -> break od;
  go == 1;
  if
  :: go == 1 -> skip
  :: else -> assert(false)
  fi
}
active proctype Starter() { go = 1 }
// == every value that may come is received: end states right
chan box = [1] of { byte }; byte seen;
active proctype Source() { if :: box!3 :: box!5 fi }
active proctype Sink() {
  byte got;
  box?got;
  if
  :: got == 3 -> seen = 1
  :: got == 5 -> seen = 2
  fi
}
active proctype Check() { assert(seen < 3) }
// == what is not asked for is not received: end states wrong
chan box = [1] of { byte }; byte seen;
active proctype Source() { box!5 }
active proctype Sink() {
  byte k;
  do :: k < 2 -> k++ :: else -> break od;
  if
  :: box?3 -> seen = 1
  :: box?4 -> seen = 1
  fi
}
active proctype Check() { assert(seen < 3) }
// == who is not ready yet for a rendezvous inside of an atomic is noticed: assertions wrong
chan meet = [0] of { bit }; byte lock;
active proctype Caller() { atomic { lock = 2; meet!1 } }
active proctype Answerer() { byte k; do :: k < 2 -> k++ :: else -> break od; atomic { meet?1; lock = 0 } }
active proctype Look() { assert(lock != 2) }
// == what is looked at first can go wrong before the rest is known: assertions wrong
byte row[3]; byte at = 3; byte went;
active proctype Walker() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  if
  :: row[at] == 0 && n == 1 -> went = 1
  :: went == 0 -> went = 2
  fi
}
// == the place of a field follows from the fields before it: assertions right
chan pair = [1] of { byte, byte }; byte row[3];
active proctype Both() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  pair!2,7;
  pair?n,row[n];
  assert(row[2] == 7)
}
// == what waits inside of a d_step is a fault even if all before it is hidden: other faults wrong
bit go; byte seen;
active proctype Waiter() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  skip;
  d_step { n == 0; go == 1; n = 1 };
  seen = n
}
active proctype Starter() { go = 1 }
// == what waits at the start of a d_step only waits: other faults right
bit go; byte seen;
active proctype Waiter() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  skip;
  d_step { go == 1 && n == 0; n = 1; seen = n }
}
active proctype Starter() { go = 1 }
// == a d_step that cannot begin is not begun: end states wrong
bit go; byte seen;
active proctype Waiter() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  skip;
  d_step { n == 1; go = 1; seen = 1 }
}
active proctype Other() { byte k; do :: k < 2 -> k++ :: else -> break od; go == 1 }
// == the first option of a d_step that is possible is taken: assertions right
bit go; byte seen;
active proctype Chooser() {
  byte n; byte k;
  do :: k < 2 -> k++ :: else -> break od;
  skip;
  d_step {
    if
    :: go == 1 -> seen = 1
    :: n == 0 -> seen = 2
    :: go == 0 -> seen = 3
    fi;
    n = 1
  };
  assert(seen != 3)
}
active proctype Starter() { go = 1; assert(seen != 3) }
// == each process knows its own number: assertions wrong
byte used[3]; byte sum;
active [3] proctype Worker() {
  byte k;
  do
  :: k < 3 && k != _pid -> k++
  :: k == _pid -> used[k] = used[k] + 1; break
  od;
  sum = sum + k;
  assert(sum != 3)
}
// == each process has what it was started with: assertions wrong
byte total; chan one = [1] of { byte }; chan two = [1] of { byte };
proctype Adder(byte n; chan from) {
  byte got; byte k;
  do :: k < n -> k++; total = total + 1 :: k == n -> break od;
  from?got;
  assert(total != 5 || got != 2)
}
init { one!1; two!2; run Adder(2, one); run Adder(3, two) }
// == an argument that a process changes is not the same for ever: assertions wrong
byte total;
proctype Counter(byte n) { byte k; do :: k < 2 -> k++ :: else -> break od; n++; total = n; assert(total == 1) }
init { run Counter(1) }
// == an argument keeps what its type can: assertions right
byte total;
proctype Counter(bit n) { byte k; do :: k < 2 -> k++ :: else -> break od; total = n; assert(total == 1) }
init { run Counter(3) }
// == who is not always ready for a rendezvous need not be met by a fair run: non-progress cycles, fair wrong
chan meet = [0] of { bit };
active proctype Busy() {
  byte n;
again:
  if
  :: meet?1
  :: n = 1; n = 0; goto again
  fi;
progress:
  do :: n = 1 - n od
}
active proctype Caller() { meet!1; progress: do :: (_pid >= 0) od }
// == who goes on at once is never met on the way: assertions right
chan meet = [0] of { bit }; bit met;
active proctype Busy() {
  byte n;
  atomic {
    n = 1;
    if :: meet?1 -> met = 1 :: n = 0 fi
  }
}
active proctype Caller() { end: meet!1; assert(false) }
// == a loop through an atomic is none that SPIN refuses: assertions right
byte old; byte go; bit other;
active proctype Loop() {
  byte n;
end0: progress0: if
  :: (go == 1); goto again
  fi;
progress1: again: if
  :: n = (n + 1) % 3; goto on
  :: atomic { assert(old != 1 || n != 2); old = n }; goto again
  fi;
on: if
  :: else; goto step
  fi;
step: if
  :: atomic { go = (go + 1) % 3; (go == 0) }; goto last
  fi;
last: if
  :: atomic { go = 2; n = 1; go = 1 }; goto end0
  fi
}
ltl f { [] (go != 0 || other == 0 || old == 1) }
// == conditions that leave a case out do not let a process go on: end states wrong
byte go;
active proctype Waiter() {
  byte n;
  if
  :: go == 0; n = 1
  :: go == 1; n = 2
  fi;
  n = 3
}
active proctype Other() { go = 1; go = 2 }
// == conditions that leave no case out let a process go on: end states right
byte go;
active proctype Asker() {
  byte n;
  if
  :: go == 0; n = 1
  :: go == 1; n = 2
  :: go == 2; n = 2
  fi;
  n = 3
}
active proctype Other() { go = 1; go = 2 }
// == else stands beside conditions that leave no case out: assertions right
chan box = [1] of { bit }; byte go;
active proctype Poller() {
  byte n;
  if
  :: atomic { box?_; n = 2 }
  :: go < 2; n = 1
  :: go >= 2; n = 2
  :: else -> assert(false)
  fi;
  n = 3
}
active proctype Other() { go = 2; box!1; go = 1 }
// == whoever always finds something to ask goes round for ever: assertions right
byte go;
active proctype Asker() {
  byte n;
  do
  :: go == 0; n = 1 - n
  :: go != 0; n = 1
  od
}
active proctype Other() { if :: go = 1 :: skip fi }
active proctype Patient() { timeout; assert(false) }
// == whoever may ask or go on is at rest nowhere: formula f0 wrong
byte go;
active proctype Asker() {
  byte n;
  n = 1;
  n = 2;
again:
  if
  :: go == 0; goto again
  :: n = 0
  fi;
  go = 1
}
active proctype Other() { skip }
ltl f0 { <> (go == 1) }
// == what goes wrong when it is asked is asked: assertions wrong
byte row[3]; byte at; byte went;
active proctype Walker() {
  byte n;
  went = 1;
  if
  :: row[at] == 0; n = 1
  :: n = 2
  fi;
  n = 3
}
active proctype Mover() { at = 3 }
// == whoever asks first is not ready for a rendezvous: assertions wrong
chan meet = [0] of { bit }; byte lock; bit go;
active proctype Caller() { atomic { lock = 2; meet!1 } }
active proctype Answerer() {
  byte n;
  if
  :: go == 0; n = 1
  :: go == 1; n = 2
  fi;
  n = 3;
  atomic { meet?1; lock = 0 }
}
active proctype Look() { assert(lock != 2) }
active proctype Other() { go = 1 }
// == what nobody has to ask any more is still written: assertions right
byte slot; byte go;
active proctype Writer() {
  byte n;
  do
  :: n = 1; slot = n; n = 2; slot <= 2; go = 1 - go
  od
}
active proctype Other() { byte k; k = 1; slot == 1 || slot != 1; k = 2; slot = k; assert(go < 2) }
// == what is asked behind a hidden choice depends on the choice: end states wrong
byte go;
active proctype Chooser() {
  byte n;
  if
  :: n = 1
  :: n = 2
  fi;
  if
  :: n == 1 && go == 0; n = 3
  :: n == 2 && go != 0; n = 3
  fi;
  n = 0
}
active proctype Other() { go = 1; go = 2 }
// == a process that may not always move keeps its hidden steps: end states wrong
bit off; byte seen;
active proctype Switch() { seen == 1; off = 1 }
active proctype Worker() provided (off == 0) {
  byte n;
  if
  :: seen = 1; n = 5
  :: seen = 1; n = 6
  fi;
  n = 2;
end:
  false
}
// == a condition on when a process may move reads the variable: end states wrong
byte off;
active proctype Worker() provided (off < 2) { byte n; do :: n = 1 - n; off = (off + 1) % 3 od }
active proctype Other() { skip }
