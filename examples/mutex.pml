/* Mutual exclusion between two processes that tell each other what they do: they request a resource, enter, and leave.
 * After the running example of the quotient paper (its Figure 1): each process is in one of nine states, its own
 * situation (idle, wanting, critical) together with what it knows of the other one.
 *
 * Expected: no error. With -DGREEDY the second process enters without looking: the assertion is violated.
 */
mtype = { request, enter, leave };

chan to_second = [0] of { mtype };
chan to_first  = [0] of { mtype };

byte inside;                     /* how many are in the critical section */

active proctype first() {
idle_idle:
  if
  :: to_second!request -> goto wanting_idle
  :: to_first?request -> goto idle_wanting
  fi;
idle_wanting:
  if
  :: to_second!request -> goto wanting_wanting
  :: to_first?enter -> goto idle_critical
  fi;
idle_critical:
  if
  :: to_second!request -> goto wanting_critical
  :: to_first?leave -> goto idle_idle
  fi;
wanting_idle:
  if
  :: atomic { to_second!enter -> inside++ }; goto critical_idle
  :: to_first?request -> goto wanting_wanting
  fi;
wanting_wanting:
  if
  :: atomic { to_second!enter -> inside++ }; goto critical_wanting
  :: to_first?enter -> goto wanting_critical
  fi;
wanting_critical:
  to_first?leave; goto wanting_idle;
critical_idle:
  assert(inside == 1);
  if
  :: atomic { to_second!leave -> inside-- }; goto idle_idle
  :: to_first?request -> goto critical_wanting
  fi;
critical_wanting:
  assert(inside == 1);
  if
  :: atomic { to_second!leave -> inside-- }; goto idle_wanting
#ifdef GREEDY
  :: to_first?enter -> goto critical_wanting
#endif
  fi
}

active proctype second() {
idle_idle:
  if
  :: to_first!request -> goto wanting_idle
  :: to_second?request -> goto idle_wanting
  fi;
idle_wanting:
  if
  :: to_first!request -> goto wanting_wanting
  :: to_second?enter -> goto idle_critical
  fi;
idle_critical:
  if
  :: to_first!request -> goto wanting_critical
  :: to_second?leave -> goto idle_idle
  fi;
wanting_idle:
  if
  :: atomic { to_first!enter -> inside++ }; goto critical_idle
  :: to_second?request -> goto wanting_wanting
  fi;
wanting_wanting:
  if
  :: atomic { to_first!enter -> inside++ }; goto critical_wanting
  :: to_second?enter -> goto wanting_critical
  fi;
wanting_critical:
#ifdef GREEDY
  if
  :: atomic { to_first!enter -> inside++ }; goto critical_wanting
  :: to_second?leave -> goto wanting_idle
  fi;
#else
  to_second?leave; goto wanting_idle;
#endif
critical_idle:
  assert(inside == 1);
  if
  :: atomic { to_first!leave -> inside-- }; goto idle_idle
  :: to_second?request -> goto critical_wanting
  fi;
critical_wanting:
  assert(inside == 1);
  atomic { to_first!leave -> inside-- }; goto idle_wanting
}
