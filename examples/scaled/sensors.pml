/* N sensors that smooth their readings and a voter that asks them one after another.
 *
 * A sensor keeps its last three readings and reports an alarm where two of them at least are high; the voter switches the plant off
 * when a majority of the sensors reports an alarm in one round.
 *
 *   (default)    the plant is off only if a majority said so    holds
 *   -DHASTY      one alarm is enough for the voter              violated
 */
#ifndef N
#define N 3
#endif
#define HIGH 3

chan ask[N] = [0] of { bool };

active [N] proctype sensor() {
  byte a, b, c;                          /* the last three readings, the newest in c */

  do
  :: a = b;                              /* a new reading */
     b = c;
     c = 0;
     do
     :: c < HIGH -> c++
     :: break
     od
  :: ask[_pid]!((a == HIGH) + (b == HIGH) + (c == HIGH) >= 2)
  od
}

active proctype voter() {
  byte i, alarms;
  bool alarm, off;

  do
  :: i = 0;
     alarms = 0;
     do
     :: i < N -> ask[i]?alarm; alarms = alarms + alarm; i++
     :: else -> break
     od;
#ifdef HASTY
     off = alarms > 0;
#else
     off = alarms > N / 2;
#endif
     assert(!off || 2 * alarms > N)
  od
}
