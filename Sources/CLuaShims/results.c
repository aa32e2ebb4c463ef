// The number of results that the caller of a running C function wants, which Lua does not tell: a
// statement drops them, and then a function need not make them.
//
// Lua keeps the number in its record of the call. The shim reads it there, once it has seen that the
// records of this Lua have it in its place; otherwise results are always made.

#include "host.h"

// The beginning of each CallInfo in Lua 5.4.
typedef struct {
  void *places[2], *neighbours[2];
  struct {
    void *continuation;
    ptrdiff_t handler;
    lua_KContext context;
  } function;
  int other;
  short results;
} call_record;

static int wanted(lua_State *L) {
  lua_Debug activation;
  if (!lua_getstack(L, 0, &activation)) return LUA_MULTRET;
  return ((const call_record *)activation.i_ci)->results;
}

static int look(lua_State *L) {
  *(int *)lua_touserdata(L, 1) = wanted(L);
  return 0;
}

void rac_lua_find_results(lua_State *L) {
  static const int samples[] = {0, 3, 1, LUA_MULTRET, 5, 0};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    int seen = -2, top = lua_gettop(L);
    lua_pushcfunction(L, look);
    lua_pushlightuserdata(L, &seen);
    lua_call(L, 1, samples[i]);
    lua_settop(L, top);
    if (seen != samples[i]) return;
  }
  rac_lua_host(L)->knows_results = true;
}

bool rac_lua_wants_results(lua_State *L) {
  return !rac_lua_host(L)->knows_results || wanted(L) != 0;
}
