/* A bus with N stations that back off when it is taken, as on an Ethernet segment.
 *
 * A station that finds the bus taken waits a random number of slots, twice as many at most after each failure, and gives the frame
 * up after TRIES failures. Whatever it counts is its own; the others only see whether the bus is taken.
 *
 *   (default)    never two stations on the bus    holds
 *   -DDEAF       a station does not listen first  violated
 */
#ifndef N
#define N 4
#endif
#define TRIES 4

bool taken;
byte senders;

active [N] proctype station() {
  byte failures, slots, window;

  do
  :: failures = 0;
     window = 1;
     do
     :: atomic {
#ifdef DEAF
          true
#else
          !taken
#endif
          -> taken = true; senders++ };
        assert(senders == 1);
        atomic { senders--; taken = false };
        break
     :: taken && failures < TRIES ->         /* wait between 0 and window - 1 slots */
        failures++;
        window = window * 2;
        slots = 0;
        do
        :: slots < window - 1 -> slots++
        :: break
        od;
        do
        :: slots > 0 -> slots--
        :: else -> break
        od
     :: failures == TRIES -> break           /* the frame is lost */
     od
  od
}
