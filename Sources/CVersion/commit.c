#include "CVersion.h"

const char *raclette_commit(void) { return RACLETTE_COMMIT; }
