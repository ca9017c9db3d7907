/* The alternating bit protocol over channels that lose messages.
 *
 * Expected: no error. With -DNO_BIT the receiver takes every message for a new one: the assertion is violated.
 */
#define MESSAGES 4               /* data is numbered modulo this */

chan data = [1] of { byte, bit };
chan ack  = [1] of { bit };

active proctype sender() {
  byte number;
  bit  current;

  do
  :: data!number,current         /* send, or send again */
  :: data?_,_                    /* the channel loses what is in it */
  :: ack?eval(current) ->        /* confirmed: the next message */
     current = 1 - current;
     number = (number + 1) % MESSAGES
  :: ack?eval(1 - current)       /* an old confirmation */
  od
}

active proctype receiver() {
  byte number, wanted;
  bit  received, expected;

  do
  :: data?number,received ->
     if
#ifdef NO_BIT
     :: true ->
#else
     :: received == expected ->
#endif
        assert(number == wanted);
        wanted = (wanted + 1) % MESSAGES;
        expected = 1 - expected
#ifndef NO_BIT
     :: else
#endif
     fi;
     if
     :: ack!received
     :: skip                     /* the confirmation is lost */
     fi
  od
}
