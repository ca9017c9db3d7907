#ifdef __GNUC__
c_decl { int seen; };
#endif
