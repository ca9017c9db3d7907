/* The sliding window protocol of the quotient paper's experiments: red, white and blue messages, a window of two.
 *
 * The sender takes messages from its user and keeps up to two of them until they are confirmed; the network loses messages
 * and confirmations; the receiver puts them in order and gives them to its user. Properties, chosen by -DPROPERTY_x:
 *
 *   A  (default) no white message in the sender's input, none in the receiver's output     holds
 *   B  no white message in the sender's input, none on the network                         holds
 *   C  no white message on the network, none in the receiver's output                      holds
 *   D  the receiver never gives anything to its user                                       violated
 */
#if !defined(PROPERTY_A) && !defined(PROPERTY_B) && !defined(PROPERTY_C) && !defined(PROPERTY_D)
#define PROPERTY_A 1
#endif

#define NUMBERS 4                /* sequence numbers: twice the window */

mtype = { red, white, blue };

chan network = [0] of { mtype, byte };
chan confirm = [0] of { byte };

#ifdef PROPERTY_C
bool white_sent;                 /* a white message was on the network */
#endif

active proctype sender() {
  mtype first, second;           /* the window; 0 is an empty place */
  byte  base;                    /* number of the first message */
  byte  number;

  do
  :: first == 0 ->               /* a message from the user */
     if
     :: first = red
#if !defined(PROPERTY_A) && !defined(PROPERTY_B)
     :: first = white
#endif
     :: first = blue
     fi
  :: first != 0 && second == 0 ->
     if
     :: second = red
#if !defined(PROPERTY_A) && !defined(PROPERTY_B)
     :: second = white
#endif
     :: second = blue
     fi
  :: first != 0 ->
     if
     :: network!first,base
     :: skip                     /* lost */
     fi;
#ifdef PROPERTY_B
     assert(first != white)
#endif
  :: second != 0 ->
     if
     :: network!second,(base + 1) % NUMBERS
     :: skip                     /* lost */
     fi;
#ifdef PROPERTY_B
     assert(second != white)
#endif
  :: confirm?number ->           /* everything before this number has arrived */
     if
     :: number == (base + 1) % NUMBERS && first != 0 ->
        atomic { first = second; second = 0; base = number }
     :: number == (base + 2) % NUMBERS && second != 0 ->
        atomic { first = 0; second = 0; base = number }
     :: else
     fi
  od
}

active proctype receiver() {
  mtype message, waiting;        /* waiting: the one after next, come too early */
  byte  number, next;

  do
  :: atomic {
       network?message,number;
#ifdef PROPERTY_C
       white_sent = white_sent || message == white
#endif
     };
     do
     :: number == next ->        /* the one that is wanted: out it goes */
#ifdef PROPERTY_A
        assert(message != white);
#endif
#ifdef PROPERTY_C
        assert(message != white || white_sent);
#endif
#ifdef PROPERTY_D
        assert(false);
#endif
        next = (next + 1) % NUMBERS;
        message = waiting;
        waiting = 0;
        if
        :: message != 0 -> number = next
        :: else -> break
        fi
     :: number == (next + 1) % NUMBERS ->
        waiting = message;
        break
     :: else -> break
     od;
     message = 0;
     number = 0
  :: confirm!next
  od
}
