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
  const rac_lua_row *row;
  int32_t *next;
} rest;

enum { REST = 1, LIST, VALUE };

// Calls several functions inside one protected call: [rest, list, value]. An error ends it,
// and `next` tells where to go on; so does an interrupt, which the caller raises.
//
// It is not Lua code, which would not enter the interpreter for each of them: a loop of Lua takes half
// as long again for functions as short as most, measured with tables, locals and unrolled.
static int feed_rest(lua_State *L) {
  const rest *r = lua_touserdata(L, REST);
  rac_lua *host = rac_lua_host(L);
  for (int32_t place = *r->next; place < r->row->count;) {
    // Read each time: a function may remove others.
    if (!r->row->functions[place++]) continue;
    rac_lua_enter_next(host);
    if (host->interrupted) break;
    *r->next = place;
    lua_getiuservalue(L, LIST, place);
    lua_pushvalue(L, VALUE);
    lua_call(L, 1, 0);
  }
  return 0;
}

// This nests one call deeper in C, of which Lua allows about 197: deep inside others, each function has
// its own protected call.
enum { DEEPEST_ROW = 4 };

// Calls the functions of a row from `*next` on with the value at an index; the message handler is
// at another.
static int feed(lua_State *L, rac_lua_row *row, int32_t *next, int value, int handler) {
  rac_lua *host = rac_lua_host(L);
  int status = LUA_OK;
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (row->count - *next > 1 && host->depth <= DEEPEST_ROW && rac_lua_has_list(L, row)) {
    rest r = {.row = row, .next = next};
    lua_pushcfunction(L, feed_rest);
    lua_pushlightuserdata(L, &r);
    lua_rawgeti(L, LUA_REGISTRYINDEX, row->list);
    lua_pushvalue(L, value);
    status = lua_pcall(L, 3, 0, handler);
  }
  while (status == LUA_OK && *next < row->count) {
    // Read each time: a function may remove others.
    int32_t function = row->functions[(*next)++];
    if (!function) continue;
    rac_lua_enter_next(host);
    if (host->interrupted) {
      lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
      status = LUA_ERRRUN;
    } else {
      lua_rawgeti(L, LUA_REGISTRYINDEX, function);
      lua_pushvalue(L, value);
      status = lua_pcall(L, 1, 0, handler);
    }
  }
  rac_lua_leave(&frame, status);
  return status;
}

int rac_lua_feed(lua_State *L, rac_lua_row *row, int32_t *next) {
  int value = lua_gettop(L);
  return feed(L, row, next, value, value - 1);
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
  rac_lua_enter_next(host);
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

// Ends a turn, after which there may be values that have waited for that.
static void end_turn(const rac_lua_direct *way, rac_lua *host, lua_State *L) {
  if (way->end(way->object)) return;
  lua_State *running = pause(host, L);
  way->catch_up(way->object);
  go_on(host, running);
}

// A method that sends a value. If all who receive it are functions in one row, it calls them; the
// host only gives its consent.
int rac_lua_send(lua_State *L) {
  rac_lua_deliver_lines(L);
  const rac_lua_direct *found = rac_lua_direct_at(L, 1);
  rac_lua *host = rac_lua_host(L);
  if (!found || !host->enforced || host->closing || host->interrupted || host->depth > DEEPEST_SEND) {
    return rac_lua_trampoline(L);
  }
  // A copy: meanwhile another row may take the place of this one.
  rac_lua_direct way = *found;
  rac_lua_turn turn = way.begin(way.object);
  if (turn != RAC_LUA_SOLE) {
    if (turn == RAC_LUA_SHARED) end_turn(&way, host, L);
    return rac_lua_trampoline(L);
  }
  enum { VALUE = 2, HANDLER };
  if (lua_gettop(L) != VALUE) lua_settop(L, VALUE);
  lua_pushcfunction(L, rac_lua_on_error);
  int32_t next = 0;
  for (int status; (status = feed(L, way.row, &next, VALUE, HANDLER)) != LUA_OK;) {
    lua_State *running = pause(host, L);
    way.fail(way.object, L, next - 1, status);
    go_on(host, running);
  }
  end_turn(&way, host, L);
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
