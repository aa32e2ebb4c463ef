// What Lua's own interface costs, for the benchmarks to compare with: nothing here is protected from
// what the program itself does around it.

#ifndef CLUAFLOORS_H
#define CLUAFLOORS_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

// Calls the function on top by a bare lua_pcall so many times with an integer.
void floor_pcalls(lua_State *L, int times);
// Pushes a function that returns its integer argument.
void floor_push_identity(lua_State *L);

#endif
