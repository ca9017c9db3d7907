#include "parts/count.h"

byte n;
active [2] proctype P() {
  STEP(n)
  assert(n < 2)
}
