byte n;
active proctype P() { do :: n = (n + 1) % 3 od }
ltl bounded { [] (n < 3) }
ltl steps { [] ((n == 0) ->
  X (n == 1)) }
