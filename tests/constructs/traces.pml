// == trace that holds
mtype = { a, b }; chan c = [1] of { mtype };
active proctype P() { do :: c!a; c!b od }
active proctype Q() { mtype m; do :: c?m od }
trace { do :: c!a; c?a; c!b; c?b od }
// == trace that does not
mtype = { a, b }; chan c = [2] of { mtype };
active proctype P() { c!a; c!b; c!b }
active proctype Q() { mtype m; do :: c?m od }
trace { end: do :: c!a; c!b od }
// == trace that is not completed
mtype = { a, b }; chan c = [2] of { mtype, byte };
active proctype P() { c!a,1; c!b,2 }
active proctype Q() { byte n; c?_,n; c?_,n }
trace { c!a,_; c?_,1; c!b,2; c?_,2; c!a,7 }
// == rendezvous in a trace
chan c = [0] of { byte }; chan d = [0] of { byte }; byte x;
active proctype P() { if :: c!1 :: d!2 fi; c!3 }
active proctype Q() { do :: c?x :: d?x od }
trace { do :: c!1; c?1 :: c!3; c?3 od }
// == notrace
chan c = [2] of { byte };
active proctype P() { if :: c!1; c!2 :: c!2; c!1 fi }
active proctype Q() { byte x; do :: c?x od }
notrace { c!1; c!2 }
// == notrace with a choice
chan c = [2] of { byte };
active proctype P() { do :: c!1 :: c!2 od }
active proctype Q() { byte x; end: do :: c?x od }
notrace { if :: c!1 -> c!1 :: c!2 -> c!1; c!1 fi }
// == trace after the end of all processes
chan c = [1] of { byte };
trace { do :: c!1 od }
active proctype p() { c!1 }
// == trace that is not completed while a process is left
chan c = [1] of { byte };
trace { do :: c!1 od }
active proctype p() { c!1 }
active proctype q() { end: false }
