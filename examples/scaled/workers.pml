/* N workers that share a printer: each reads a list of numbers, sorts it, prints it, and checks after that that it is in order.
 *
 * The lists are the workers' own; only the printer is shared.
 *
 *   (default)    every printed list is in order, one at a time    holds
 *   -DLAZY       the last comparison is left out                  violated
 */
#ifndef N
#define N 3
#endif
#define LENGTH 3
#define VALUES 4

chan printer = [0] of { byte };          /* who wants it */
chan ready = [0] of { byte };            /* who is done */

active [N] proctype worker() {
  byte list[LENGTH];
  byte i, j, small;

  do
  :: i = 0;                              /* some list */
     do
     :: i < LENGTH ->
        small = 0;
        do
        :: small < VALUES - 1 -> small++
        :: break
        od;
        list[i] = small;
        i++
     :: else -> break
     od;
     i = 0;                              /* bubble sort */
     do
     :: i < LENGTH - 1 ->
        j = 0;
        do
#ifdef LAZY
        :: j < LENGTH - 2 - i ->
#else
        :: j < LENGTH - 1 - i ->
#endif
           if
           :: list[j] > list[j + 1] -> small = list[j + 1]; list[j + 1] = list[j]; list[j] = small
           :: else
           fi;
           j++
        :: else -> break
        od;
        i++
     :: else -> break
     od;
     small = 0;
     j = 0;
     printer!_pid;
     i = 0;                              /* prints it */
     do
     :: i < LENGTH - 1 -> assert(list[i] <= list[i + 1]); i++
     :: else -> break
     od;
     ready!_pid
  od
}

active proctype spooler() {
  byte who;

end:
  do
  :: printer?who;
     ready?eval(who)
  od
}
