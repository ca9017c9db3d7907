byte tries;
chan line = [1] of { byte };

active proctype caller() {
  do
  :: line!1
  :: timeout -> tries++; assert(tries < 3); break
  od
}
