// Passes one value to any number of functions: the path of everything that a subscriber receives.

#include "host.h"

lua_State *rac_lua_begin_feed(rac_lua *host) {
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 40)) return NULL;
  lua_pushcfunction(L, rac_lua_on_error);
  return L;
}

// The functions that still receive the value.
typedef struct {
  rac_lua_frame *frame;
  const rac_lua_row *row;
  int32_t *next;
} rest;

// Calls several functions inside one protected call: [rest, value]. An error ends it,
// and `next` tells where to go on; so does an interrupt, which the caller raises.
static int feed_rest(lua_State *L) {
  rest *r = lua_touserdata(L, 1);
  while (*r->next < r->row->count) {
    // Read each time: a function may remove others.
    int32_t function = r->row->functions[*r->next];
    if (function) {
      rac_lua_enter_next(r->frame);
      if (r->frame->host->interrupted) return 0;
    }
    ++*r->next;
    if (!function) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    lua_pushvalue(L, 2);
    lua_call(L, 1, 0);
  }
  return 0;
}

// This nests one call deeper in C, of which Lua allows about 197: deep inside others, each function has
// its own protected call.
enum { DEEPEST_ROW = 4 };

static int call_rest(lua_State *L, rest *r, int value) {
  lua_pushcfunction(L, feed_rest);
  lua_pushlightuserdata(L, r);
  lua_pushvalue(L, value);
  return lua_pcall(L, 2, 0, value - 1);
}

int rac_lua_feed(lua_State *L, const rac_lua_row *row, int32_t *next) {
  rac_lua *host = rac_lua_host(L);
  int value = lua_gettop(L);
  int status = LUA_OK;
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (row->count - *next > 1 && host->depth <= DEEPEST_ROW) {
    rest r = {.frame = &frame, .row = row, .next = next};
    status = call_rest(L, &r, value);
  }
  while (status == LUA_OK && *next < row->count) {
    // Read each time: a function may remove others.
    int32_t function = row->functions[(*next)++];
    if (!function) continue;
    rac_lua_enter_next(&frame);
    if (host->interrupted) {
      lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
      status = LUA_ERRRUN;
    } else {
      lua_rawgeti(L, LUA_REGISTRYINDEX, function);
      lua_pushvalue(L, value);
      status = lua_pcall(L, 1, 0, value - 1);
    }
  }
  rac_lua_leave(&frame, status);
  return status;
}

lua_State *rac_lua_begin_feed_one(rac_lua *host, int32_t function) {
  lua_State *L = rac_lua_begin_feed(host);
  if (L) lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  return L;
}

int rac_lua_feed_one(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  rac_lua_enter_next(&frame);
  int status;
  if (host->interrupted) {
    lua_pop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
    status = LUA_ERRRUN;
  } else {
    status = lua_pcall(L, 1, 0, -3);
  }
  rac_lua_leave(&frame, status);
  if (status == LUA_OK) lua_pop(L, 1);
  return status;
}

// A send that nests deeper goes by way of the host, which knows how deep sends may nest.
enum { DEEPEST_SEND = 4 };

// The host's code runs from here on, or Lua's again.
static lua_State *pause(rac_lua *host, lua_State *L) {
  lua_State *running = host->running;
  rac_lua_enforce(host, false);
  host->running = L;
  return running;
}

static void go_on(rac_lua *host, lua_State *running) {
  host->running = running;
  rac_lua_enforce(host, true);
}

// A method that sends a value. If all who receive it are functions in one row, it calls them; the
// host only gives its consent.
int rac_lua_send(lua_State *L) {
  const rac_lua_direct *way = rac_lua_direct_at(L, 1);
  rac_lua *host = rac_lua_host(L);
  if (!way || !host->enforced || host->closing || host->interrupted || host->depth > DEEPEST_SEND
      || !way->begin(way->object)) {
    return rac_lua_trampoline(L);
  }
  // A copy: meanwhile another row may take the place of this one.
  rac_lua_direct direct = *way;
  lua_settop(L, 2);
  lua_pushcfunction(L, rac_lua_on_error);
  lua_pushvalue(L, 2);
  int32_t next = 0;
  lua_State *running;
  for (int status; (status = rac_lua_feed(L, direct.row, &next)) != LUA_OK;) {
    running = pause(host, L);
    direct.fail(direct.object, L, next - 1, status);
    go_on(host, running);
  }
  running = pause(host, L);
  direct.end(direct.object);
  go_on(host, running);
  if (rac_lua_owes(host)) rac_lua_repay(L);
  return 0;
}

int rac_lua_feed_range(
  lua_State *L, int32_t pipeline, int64_t first, int64_t last, int64_t step
) {
  rac_lua *host = rac_lua_host(L);
  int status, handler = lua_gettop(L);
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (host->interrupted) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
    status = LUA_ERRRUN;
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, pipeline);
    lua_pushinteger(L, first);
    lua_pushinteger(L, last);
    lua_pushinteger(L, step);
    status = lua_pcall(L, 3, 0, handler);
  }
  rac_lua_leave(&frame, status);
  return status;
}

void rac_lua_end_feed(lua_State *L) { lua_pop(L, 2); }
