active proctype p() {
  byte n;
  m = n + 1;
  assert(n < 2
}
