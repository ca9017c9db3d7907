/* Two users and one resource: Peterson's protocol. */
bool wants[2];
byte turn, inside;

active [2] proctype user() {
  do
  :: wants[_pid] = true;
     turn = 1 - _pid;            /* after you */
     (!wants[1 - _pid] || turn == _pid);
     inside++;
     assert(inside == 1);
     inside--;
     wants[_pid] = false
  od
}

ltl no_starving { [] (wants[0] -> <> !wants[0]) }
