bool done;
active proctype work() { done = true }
ltl finishes { <> done }
ltl idle { [] !done }
