// Host functions: the host returns a code, and this C acts on it once the host's frame is gone.

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The contents of a function's upvalue. The mark distinguishes it from a value that
// debug.setupvalue may put there.
typedef struct {
  const void *mark;
  void *object;
} box;

static const char box_mark = 0;

static int collect_box(lua_State *L) {
  box *b = lua_touserdata(L, 1);
  if (!b || lua_rawlen(L, 1) != sizeof *b || b->mark != &box_mark || !b->object) return 0;
  rac_lua *host = rac_lua_host(L);
  void *object = b->object;
  b->object = NULL;
  bool enforced = rac_lua_enforce(host, false);
  host->release(host->closing ? NULL : host->owner, object);
  rac_lua_enforce(host, enforced);
  return 0;
}

void rac_lua_open_boxes(rac_lua *host) {
  lua_State *L = host->main;
  lua_newtable(L);
  lua_pushcfunction(L, collect_box);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  host->box_metatable = luaL_ref(L, LUA_REGISTRYINDEX);
}

// The upvalues of a host function. The name is present only if it was given one. Those of a late
// function are its number and nothing until it is called.
enum { BOX = 1, NAME };

static void push_box(lua_State *L, void *object) {
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->mark = &box_mark;
  b->object = object;
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->box_metatable);
  lua_setmetatable(L, -2);
}

void rac_lua_push_function(lua_State *L, void *object) {
  push_box(L, object);
  lua_pushcclosure(L, rac_lua_trampoline, BOX);
}

void rac_lua_push_named_function(lua_State *L, void *object) {
  push_box(L, object);
  lua_insert(L, -2);
  lua_pushcclosure(L, rac_lua_trampoline, NAME);
}

void rac_lua_set_late_functions(lua_State *L, const char *names, int64_t first) {
  while (*names) {
    size_t length = strcspn(names, " \n");
    if (length > 0) {
      lua_pushlstring(L, names, length);
      lua_pushinteger(L, first++);
      lua_pushnil(L);
      lua_pushcclosure(L, rac_lua_trampoline, NAME);
      lua_rawset(L, -3);
    }
    names += length + (names[length] != 0);
  }
}

void rac_lua_on_late_call(rac_lua *host, rac_lua_make make) { host->make = make; }

// Gives the running function its object and its name, if it is a late one.
static box *make(lua_State *L, rac_lua *host) {
  if (!host->make || !lua_isinteger(L, lua_upvalueindex(BOX))) return NULL;
  bool enforced = rac_lua_enforce(host, false);
  void *object = host->make(L, lua_tointeger(L, lua_upvalueindex(BOX)));
  if (object) {
    lua_replace(L, lua_upvalueindex(NAME));
    push_box(L, object);
    lua_replace(L, lua_upvalueindex(BOX));
  }
  rac_lua_enforce(host, enforced);
  return lua_touserdata(L, lua_upvalueindex(BOX));
}

void rac_lua_push_sending_function(lua_State *L, void *object) {
  push_box(L, object);
  lua_insert(L, -2);
  lua_pushcclosure(L, rac_lua_send, NAME);
}

void rac_lua_name_carrier(lua_State *L) {
  lua_Debug activation;
  rac_lua_host(L)->carrier = lua_getstack(L, 0, &activation) ? activation.i_ci : NULL;
}

void rac_lua_carry(lua_State *L, int origin, const char *traceback) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_name_carrier(L);
  host->carries = true;
  host->carried_origin = origin;
  free(host->carried_traceback);
  host->carried_traceback = traceback ? strdup(traceback) : NULL;
}

static int finish_tail_call(lua_State *L, int status, lua_KContext base) {
  (void)status;
  return lua_gettop(L) - (int)base;
}

// Returns the function's own name if its caller, such as pcall, has none for it; NULL if there is
// none.
static const char *own_name(lua_State *L) {
  lua_Debug activation;
  if (!lua_getstack(L, 0, &activation) || !lua_getinfo(L, "n", &activation)) return NULL;
  return activation.name ? NULL : lua_tostring(L, lua_upvalueindex(NAME));
}

// Returns the same name as luaL_typeerror.
static const char *type_name(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
  return lua_islightuserdata(L, index) ? "light userdata" : luaL_typename(L, index);
}

static int bad_argument(lua_State *L, int argument, bool type, int given) {
  rac_lua_carry(L, RAC_LUA_ORIGIN_INTERPRETER, NULL);
  // The list of the keys of a command is long.
  char text[4096];
  snprintf(text, sizeof text, "%s", lua_tostring(L, -1));
  // Lua inspects the stack to distinguish a missing argument from a wrong one.
  lua_settop(L, given);
  const char *name = own_name(L);
  if (name && type) {
    return luaL_error(L, "bad argument #%d to '%s' (%s expected, got %s)", argument, name, text,
                      type_name(L, argument));
  }
  if (name) return luaL_error(L, "bad argument #%d to '%s' (%s)", argument, name, text);
  return type ? luaL_typeerror(L, argument, text) : luaL_argerror(L, argument, text);
}

static int suspend(lua_State *L, rac_lua *host, int values) {
  switch (rac_lua_can_wait(L)) {
    case RAC_LUA_CAN_WAIT:
      host->yielded_by_host = true;
      return lua_yieldk(L, values, lua_gettop(L) - values, rac_lua_resumed);
    case RAC_LUA_IN_CALLBACK:
      rac_lua_carry(L, RAC_LUA_ORIGIN_INTERPRETER, NULL);
      return luaL_error(L, "cannot wait inside a synchronous callback");
    case RAC_LUA_NO_COROUTINE:
      break;
  }
  rac_lua_carry(L, RAC_LUA_ORIGIN_INTERPRETER, NULL);
  return luaL_error(L, "cannot wait outside a coroutine of the host");
}

static int act(lua_State *L, rac_lua *host, int kind, int count, int given) {
  switch (kind) {
    case RAC_LUA_RAISE_OWN:
      rac_lua_carry(L, RAC_LUA_ORIGIN_HOST, NULL);
      return lua_error(L);
    case RAC_LUA_RAISE:
      return lua_error(L);
    case RAC_LUA_YIELD:
      return suspend(L, host, count);
    case RAC_LUA_TAIL_CALL: {
      lua_KContext base = lua_gettop(L) - count - 1;
      lua_callk(L, count, LUA_MULTRET, base, finish_tail_call);
      return finish_tail_call(L, LUA_OK, base);
    }
    case RAC_LUA_BAD_ARGUMENT:
      return bad_argument(L, count, false, given);
    default:
      return bad_argument(L, count, true, given);
  }
}

int rac_lua_trampoline(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  // Host code is running further down the stack, and its state must not change.
  if (!host->enforced && !host->closing) {
    rac_lua_carry(L, RAC_LUA_ORIGIN_INTERPRETER, NULL);
    return luaL_error(L, "a finaliser called the host while the host was at work");
  }
  box *b = lua_touserdata(L, lua_upvalueindex(BOX));
  if (!b && !host->closing) b = make(L, host);
  if (!b || b->mark != &box_mark || !b->object || host->closing) {
    rac_lua_carry(L, RAC_LUA_ORIGIN_INTERPRETER, NULL);
    return luaL_error(L, "the host function is gone");
  }
  rac_lua_deliver_lines(L);
  lua_State *running = host->running;
  rac_lua_enforce(host, false);
  host->running = L;
  host->carries = false;
  int given = lua_gettop(L);
  int64_t code = host->dispatch(L, b->object);
  host->running = running;
  rac_lua_enforce(host, true);
  if (code >> 32 == RAC_LUA_RESULTS) {
    if (rac_lua_owes(host)) rac_lua_repay(L);
    return (int)code;
  }
  return act(L, host, (int)(code >> 32), (int)(code & 0xffffffff), given);
}
