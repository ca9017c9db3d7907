mtype = { token, done };
chan link[3] = [1] of { mtype, byte };
byte holder = 9;

proctype station(byte me) {
  byte round;
  do
  :: link[me]?token(round) ->
     holder = me;
     if
     :: round < 2 -> link[(me + 1) % 3]!token(round + (me == 2))
     :: else -> break
     fi
  od;
  holder = 9
}

init {
  atomic { run station(0); run station(1); run station(2) };
  link[0]!token(0)
}
