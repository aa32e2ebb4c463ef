// Passes one value to any number of functions: the path of everything that a subscriber receives.

#include "host.h"

lua_State *rac_lua_begin_feed(rac_lua *host) {
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 40)) return NULL;
  lua_pushcfunction(L, rac_lua_on_error);
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  return L;
}

int rac_lua_feed(lua_State *L, const int32_t *functions, int32_t count, int32_t *next) {
  rac_lua *host = rac_lua_host(L);
  int value = lua_gettop(L);
  int status = LUA_OK;
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  while (status == LUA_OK && *next < count) {
    // Read each time: a function may remove others.
    int32_t function = functions[(*next)++];
    if (!function) continue;
    rac_lua_enter_next(&frame);
    if (host->interrupted) {
      lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
      status = LUA_ERRRUN;
    } else {
      lua_rawgeti(L, value - 1, function);
      lua_pushvalue(L, value);
      status = lua_pcall(L, 1, 0, value - 2);
    }
  }
  rac_lua_leave(&frame, status);
  return status;
}

int rac_lua_feed_range(
  lua_State *L, int32_t pipeline, int64_t first, int64_t last, int64_t step
) {
  rac_lua *host = rac_lua_host(L);
  int status, references = lua_gettop(L);
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (host->interrupted) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
    status = LUA_ERRRUN;
  } else {
    lua_rawgeti(L, references, pipeline);
    lua_pushinteger(L, first);
    lua_pushinteger(L, last);
    lua_pushinteger(L, step);
    status = lua_pcall(L, 3, 0, references - 1);
  }
  rac_lua_leave(&frame, status);
  return status;
}

void rac_lua_end_feed(lua_State *L) { lua_pop(L, 3); }
