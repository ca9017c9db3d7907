/* Two users and one resource: Peterson's protocol, with a mistake. */
bool wants[2];
byte turn, inside;

active [2] proctype user() {
  do
  :: turn = 1 - _pid;            /* after you */
     wants[_pid] = true;
     (!wants[1 - _pid] || turn == _pid);
     inside++;
     assert(inside == 1);
     inside--;
     wants[_pid] = false
  od
}
