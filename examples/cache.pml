/* Cache coherence by snooping: each cache holds one line that is invalid, shared or modified; requests go over a bus.
 *
 * Expected: no error. With -DNO_SNOOP a cache does not give up its line when another one writes: the assertion is violated.
 */
#ifndef N
#define N 3
#endif

mtype = { invalid, shared, modified };
mtype line[N];
bool bus_taken;

inline no_other_writer() {
  d_step {
    other = 0;
    do
    :: other < N ->
       assert(other == _pid || line[_pid] != modified || line[other] == invalid);
       other++
    :: else -> break
    od;
    other = 0
  }
}

active [N] proctype cache() {
  byte other;

  line[_pid] = invalid;
  do
  :: line[_pid] == invalid ->            /* read miss */
     atomic { !bus_taken -> bus_taken = true };
     d_step {
       other = 0;
       do
       :: other < N && line[other] == modified -> line[other] = shared; other++
       :: other < N && line[other] != modified -> other++
       :: else -> break
       od;
       other = 0
     };
     line[_pid] = shared;
     bus_taken = false
  :: line[_pid] != modified ->           /* write */
     atomic { !bus_taken -> bus_taken = true };
     d_step {
       other = 0;
       do
#ifdef NO_SNOOP
       :: other < N && line[other] == modified -> line[other] = invalid; other++
       :: other < N && line[other] != modified -> other++
#else
       :: other < N -> line[other] = invalid; other++
#endif
       :: else -> break
       od;
       other = 0
     };
     line[_pid] = modified;
     no_other_writer();
     bus_taken = false
  :: line[_pid] != invalid -> line[_pid] = invalid      /* the line is needed for something else */
  od
}
