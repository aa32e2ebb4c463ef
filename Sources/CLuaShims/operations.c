// Lua operations that may run metamethods or raise, each under a protected call.

#include "host.h"

static int tostring(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static int get(lua_State *L) {
  lua_gettable(L, 1);
  return 1;
}

static int set(lua_State *L) {
  lua_settable(L, 1);
  return 0;
}

static int rawset(lua_State *L) {
  lua_rawset(L, 1);
  return 0;
}

static int equal(lua_State *L) {
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPEQ));
  return 1;
}

static int length(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, 1));
  return 1;
}

static int next(lua_State *L) {
  if (!lua_next(L, 1)) return 0;
  return 2;
}

// Calls `operation(value at index, the topmost operands…)`. Leaves results or one error value.
static int run(lua_State *L, lua_CFunction operation, int index, int operands, int results) {
  index = lua_absindex(L, index);
  int base = lua_gettop(L) - operands;
  rac_lua_begin_call(L);
  lua_pushcfunction(L, operation);
  lua_pushvalue(L, index);
  lua_rotate(L, base + 1, 3);
  int status = rac_lua_pcall(L, operands + 1, results);
  lua_remove(L, base + 1);
  return status;
}

int rac_lua_tostring(lua_State *L, int index) { return run(L, tostring, index, 0, 1); }

int rac_lua_get(lua_State *L, int index) { return run(L, get, index, 1, 1); }

int rac_lua_set(lua_State *L, int index) { return run(L, set, index, 2, 0); }

int rac_lua_rawset(lua_State *L, int index) { return run(L, rawset, index, 2, 0); }

int rac_lua_equal(lua_State *L, int first, int second, bool *result) {
  first = lua_absindex(L, first);
  lua_pushvalue(L, second);
  int status = run(L, equal, first, 1, 1);
  if (status != LUA_OK) return status;
  *result = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return status;
}

int rac_lua_length(lua_State *L, int index, lua_Integer *result) {
  int status = run(L, length, index, 0, 1);
  if (status != LUA_OK) return status;
  *result = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return status;
}

int rac_lua_next(lua_State *L, int index, bool *more) {
  int base = lua_gettop(L) - 1;
  int status = run(L, next, index, 1, LUA_MULTRET);
  *more = status == LUA_OK && lua_gettop(L) == base + 2;
  return status;
}

int rac_lua_next_unchanged(lua_State *L, int index) { return lua_next(L, index); }

void rac_lua_rawset_string(lua_State *L, int index) { lua_rawset(L, index); }

int rac_lua_registry_index(void) { return LUA_REGISTRYINDEX; }
