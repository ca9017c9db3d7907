/* N clients send files to a server over a line that loses blocks, with the alternating bit protocol; the line serves one block
 * at a time.
 *
 * A client keeps how many blocks are left and how often it has tried; the server only needs the bit that it expects next.
 *
 *   (default)    no block is taken twice or left out        holds
 *   -DNO_BIT     the server takes every block               violated
 */
#ifndef N
#define N 3
#endif
#define BLOCKS 6
#define TRIES 4

chan line = [0] of { byte, bit, bit };   /* client, bit, whether the block is one that was not acknowledged yet */
chan answer[N] = [0] of { bit };         /* whether the acknowledgement came through */

active [N] proctype client() {
  byte left, tries;
  bit number, came, again;

  do
  :: left = BLOCKS;
     do
     :: left > 0 && tries < TRIES ->
        line!_pid,number,again;
        answer[_pid]?came;
        if
        :: came -> left--; number = 1 - number; tries = 0; again = 0
        :: else -> tries++; again = 1
        fi
     :: left > 0 && tries == TRIES -> tries = 0   /* waits for better days */
     :: left == 0 -> break
     od
  od
}

active proctype server() {
  bit expected[N], taken[N];             /* taken: the block that is sent again was taken before */
  bit number, again;
  byte who;

  do
  :: line?who,number,again;
     if
     :: true ->                          /* the block is lost */
        if
        :: !again -> taken[who] = 0
        :: else
        fi;
        answer[who]!0
     :: true ->
#ifdef NO_BIT
        if
        :: true ->
#else
        if
        :: number == expected[who] ->
#endif
           assert(!(again && taken[who]));
           taken[who] = 1;
           expected[who] = 1 - expected[who]
#ifndef NO_BIT
        :: else
#endif
        fi;
        if
        :: answer[who]!1; taken[who] = 0 /* the acknowledgement comes through, or not */
        :: answer[who]!0
        fi
     fi;
     number = 0; again = 0; who = 0
  od
}
