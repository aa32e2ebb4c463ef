// Passes one value to any number of functions: the path of everything that a subscriber receives.

#include "host.h"

lua_State *rac_lua_begin_feed(rac_lua *host) {
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 40)) return NULL;
  lua_pushcfunction(L, rac_lua_on_error);
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  return L;
}

// The functions that still receive the value.
typedef struct {
  rac_lua_frame *frame;
  const int32_t *functions;
  int32_t count;
  int32_t *next;
} row;

// Calls several functions inside one protected call: [row, references, value]. An error ends it, and
// `next` tells where to go on; so does an interrupt, which the caller raises.
static int feed_row(lua_State *L) {
  row *r = lua_touserdata(L, 1);
  while (*r->next < r->count) {
    // Read each time: a function may remove others.
    int32_t function = r->functions[*r->next];
    if (function) {
      rac_lua_enter_next(r->frame);
      if (r->frame->host->interrupted) return 0;
    }
    ++*r->next;
    if (!function) continue;
    lua_rawgeti(L, 2, function);
    lua_pushvalue(L, 3);
    lua_call(L, 1, 0);
  }
  return 0;
}

// A row nests one call deeper in C, of which Lua allows about 197: deep inside others, each function
// has its own protected call.
enum { DEEPEST_ROW = 4 };

static int call_row(lua_State *L, row *r, int value) {
  lua_pushcfunction(L, feed_row);
  lua_pushlightuserdata(L, r);
  lua_pushvalue(L, value - 1);
  lua_pushvalue(L, value);
  return lua_pcall(L, 3, 0, value - 2);
}

int rac_lua_feed(lua_State *L, const int32_t *functions, int32_t count, int32_t *next) {
  rac_lua *host = rac_lua_host(L);
  int value = lua_gettop(L);
  int status = LUA_OK;
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (count - *next > 1 && host->depth <= DEEPEST_ROW) {
    row r = {.frame = &frame, .functions = functions, .count = count, .next = next};
    status = call_row(L, &r, value);
  }
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
