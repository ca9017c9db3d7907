/* Each process computes something of its own before it adds it. */
byte sum;

active [2] proctype worker() {
  byte part, twice;
  part = _pid + 1;
  twice = 2 * part;
  sum = sum + twice;
  assert(sum <= LIMIT)
}
