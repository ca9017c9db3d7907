bool asked, served;

active proctype client() { asked = true }

active proctype server() {
wait: if
      :: asked -> served = true
      fi
}

active proctype clock() {
  bit time;
end:  do
      :: time = 1; progress: time = 0
      od
}

ltl answer { [] (asked -> <> served) }
