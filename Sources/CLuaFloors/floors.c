#include "CLuaFloors.h"

void floor_pcalls(lua_State *L, int times) {
  for (int i = 0; i < times; i++) {
    lua_pushvalue(L, -1);
    lua_pushinteger(L, i);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
  }
}

static int identity(lua_State *L) {
  lua_pushinteger(L, luaL_checkinteger(L, 1));
  return 1;
}

void floor_push_identity(lua_State *L) { lua_pushcfunction(L, identity); }
