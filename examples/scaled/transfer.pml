/* N clients send files over a shared radio channel that loses blocks and answers, with the alternating bit protocol; each has a
 * handler on the other side.
 *
 * A client keeps how many blocks are left and how often it has tried; its handler only needs the bit that it expects next.
 *
 *   (default)    no block is taken twice      holds
 *   -DNO_BIT     handlers take every block    violated
 */
#ifndef N
#define N 3
#endif
#define BLOCKS 6
#define TRIES 4

chan block[N] = [0] of { bit, bit };     /* bit, whether the block is sent again */
chan answer[N] = [0] of { bit };         /* whether the acknowledgement came through */
bool busy;                               /* somebody uses the channel */

active [N] proctype client() {
  byte left, tries;
  bit number, came, again;

  do
  :: left = BLOCKS;
     do
     :: left > 0 && tries < TRIES ->
        atomic { !busy -> busy = true };
        block[_pid]!number,again;
        answer[_pid]?came;
        busy = false;
        if
        :: came -> left--; number = 1 - number; tries = 0; again = 0
        :: else -> tries++; again = 1
        fi;
        came = 0
     :: left > 0 && tries == TRIES -> tries = 0   /* waits for better days */
     :: left == 0 -> break
     od
  od
}

active [N] proctype handler() {
  bit expected, taken;                   /* taken: the block that is sent again was taken before */
  bit number, again;

  do
  :: block[_pid - N]?number,again;
     if
     :: !again -> taken = 0
     :: else
     fi;
     if
     :: answer[_pid - N]!0               /* the block is lost */
     :: true ->
        if
#ifdef NO_BIT
        :: true ->
#else
        :: number == expected ->
#endif
           assert(!taken);
           taken = 1;
           expected = 1 - expected
#ifndef NO_BIT
        :: else
#endif
        fi;
        if                               /* the acknowledgement comes through, or not */
        :: answer[_pid - N]!1
        :: answer[_pid - N]!0
        fi
     fi;
     number = 0;
     again = 0
  od
}
