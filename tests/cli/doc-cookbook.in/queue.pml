mtype = { work, stop };
chan jobs = [2] of { mtype };
byte done;

active proctype boss() {
  byte sent;
  do
  :: sent < 2 -> jobs!work; sent++
  :: sent >= 2 -> break
  od;
  jobs!stop
}

active proctype worker() {
  do
  :: jobs?work -> done++
  :: jobs?stop -> break
  :: done > 2 -> assert(false)
  od;
  assert(done == 2)
}

ltl all_done { [] ((done == 3) -> <> (done == 2)) }
