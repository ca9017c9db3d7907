/* Two processes take turns; the second one may also push in. */
byte turn, inside;

active [2] proctype user() {
  do
  :: turn == _pid ->
     inside++;
     assert(inside == 1);
     inside--;
     turn = 1 - turn
#ifdef PUSH
  :: _pid == 1 -> turn = 1
#endif
  od
}
