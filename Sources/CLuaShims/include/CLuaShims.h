#ifndef CLUASHIMS_H
#define CLUASHIMS_H
#include <lua.h>
#endif
