/* N dining philosophers who eat in courses: each counts its courses and thinks longer after a large meal.
 *
 * How much somebody has eaten and how long they think is nobody else's business: others see the forks only.
 *
 *   (default)    the first philosopher takes the right fork first: no deadlock    holds
 *   -DGREEDY     everybody takes the left fork first                              invalid end state
 */
#ifndef N
#define N 4
#endif
#define COURSES 6

bool fork[N];

#define LEFT  _pid
#define RIGHT ((_pid + 1) % N)

active [N] proctype philosopher() {
  byte courses, thoughts;

  do
  :: thoughts = courses;                 /* thinks */
     do
     :: thoughts > 0 -> thoughts--
     :: else -> break
     od;
     if
#ifndef GREEDY
     :: _pid == 0 ->
        atomic { !fork[RIGHT] -> fork[RIGHT] = true };
        atomic { !fork[LEFT] -> fork[LEFT] = true }
     :: _pid != 0 ->
#else
     :: true ->
#endif
        atomic { !fork[LEFT] -> fork[LEFT] = true };
        atomic { !fork[RIGHT] -> fork[RIGHT] = true }
     fi;
     courses = 0;
     do
     :: courses < COURSES -> courses++
     :: courses > 0 -> break
     od;
     fork[LEFT] = false;
     fork[RIGHT] = false
  od
}
