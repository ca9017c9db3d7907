/* Leader election in a ring of processes with one-way channels: everybody sends its number, larger numbers are passed on,
 * smaller ones are dropped; whoever gets its own number back is the leader (Chang and Roberts 1979).
 *
 * Expected: no error. With -DDROP_NONE smaller numbers are passed on as well: two leaders, the assertion is violated.
 */
#ifndef N
#define N 4
#endif

chan ring[N] = [N] of { byte };
byte leaders;

proctype node(byte place; byte number) {
  byte got;

  ring[(place + 1) % N]!number;
  do
  :: ring[place]?got ->
     if
     :: got == number ->
        leaders++;
        assert(leaders == 1);
        break
     :: got > number -> ring[(place + 1) % N]!got
#ifdef DROP_NONE
     :: got < number -> ring[(place + 1) % N]!got
#else
     :: got < number
#endif
     fi
  :: leaders == 1 && empty(ring[place]) -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run node(i, (i * 3 + 1) % (N + 1))
    }
  }
}
