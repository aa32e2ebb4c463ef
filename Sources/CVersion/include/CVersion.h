/// The commit that the executable was built from, abbreviated; empty if the build was not told.
const char *raclette_commit(void);
