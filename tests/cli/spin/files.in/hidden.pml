#include "parts/only-gcc.h"
byte x;
active proctype P() { x = 1; assert(x == 1) }
