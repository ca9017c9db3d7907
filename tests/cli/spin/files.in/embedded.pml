c_decl { int seen; };
byte x;
active proctype P() { x = 1; c_code { seen++; }; assert(x == LAST) }
