#define STEP(n) n++
