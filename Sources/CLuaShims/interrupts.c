// Interrupts: a hook that is armed on demand, and protected calls that cannot swallow it.
//
// A long call into C (a pattern match, string.rep, table.concat) is not interrupted; the interrupt
// takes effect when the call returns to Lua.

#include "host.h"

#include <string.h>

// Records the place where the code was stopped, unless one is recorded already.
static void describe_place(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  if (!host->frame || host->frame->traceback) return;
  bool enforced = rac_lua_enforce(host, false);
  rac_lua_describe(host->frame, L, L, 0);
  rac_lua_enforce(host, enforced);
}

// Raises past the message handlers of scripts. A handler could loop, and no hook would stop it,
// because hooks are off while a hook raises an error. Lua calls no handler for a memory error, so
// that bypasses all of them.
static int raise_past_handlers(lua_State *L) {
  describe_place(L);
  lua_pushliteral(L, "not enough memory");
  return lua_error(L);
}

static void stop(lua_State *L, lua_Debug *activation);

// The number of instructions that a __close or __gc metamethod may take before it is interrupted as
// well: in general, and once everything is over.
enum { GRACE = 1000000, LAST_GRACE = 10000, PATIENCE = 100 };

void rac_lua_bound(lua_State *L) {
  bool is_over = rac_lua_host(L)->end == RAC_LUA_OVER;
  lua_sethook(L, stop, LUA_MASKCOUNT, is_over ? LAST_GRACE : GRACE);
}

int rac_lua_raise_interrupt(lua_State *L) {
  rac_lua_bound(L);
  if (rac_lua_host(L)->handlers > 0) return raise_past_handlers(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->interrupt_value);
  return lua_error(L);
}

// Nothing in a script can catch the interrupt, so after the first time the hook only has to bound
// the to-be-closed variables that run while the stack unwinds.
//
// A coroutine is suspended instead if possible, and the code that resumed it raises: an error
// raised in a hook would leave the coroutine that it ends without hooks, and its to-be-closed
// variables could loop for ever.
static void stop(lua_State *L, lua_Debug *activation) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_count_memory(host);
  if (!host->interrupted) {
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  if (lua_isyieldable(L)) {
    // Only between two Lua instructions; the next one is near unless C calls C.
    if (activation->event == LUA_HOOKCOUNT) {
      rac_lua_bound(L);
      host->yielded_by_hook = true;
      describe_place(L);
      lua_yield(L, 0);
      return;
    }
    if (host->patience-- > 0) return;
  }
  rac_lua_raise_interrupt(L);
}

static void arm(rac_lua *host, lua_State *L) {
  rac_lua_allow_hooks(host, L);
  lua_sethook(L, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

void rac_lua_stop(rac_lua *host, rac_lua_interruption why) {
  host->interrupted = why;
  host->patience = PATIENCE;
  lua_State *running = host->running;
  if (!running) return;
  arm(host, running);
  rac_lua_keep_ticking(host);
}

void rac_lua_stop_again(rac_lua *host) {
  lua_State *running = host->running;
  if (!running) return;
  if (lua_gethook(running) != stop) return arm(host, running);
  rac_lua_allow_hooks(host, running);
}

void rac_lua_interrupt(rac_lua *host, bool pending) {
  if (host->running || pending) rac_lua_stop(host, RAC_LUA_INTERRUPTED);
}

bool rac_lua_exceed_time_limit(rac_lua *host) {
  if (!host->running) return false;
  if (!host->interrupted) rac_lua_stop(host, RAC_LUA_TIME_LIMIT);
  return true;
}

void rac_lua_clear_interrupt(rac_lua *host) { rac_lua_forget_interrupt(host); }

bool rac_lua_is_interrupted(rac_lua *host) {
  rac_lua_count_memory(host);
  return host->interrupted;
}

bool rac_lua_is_crowded(rac_lua *host) {
  return rac_lua_is_interrupted(host) && host->interrupted == RAC_LUA_CROWDED;
}

// --- pcall and xpcall that do not catch an interrupt ---

// Adds to the message at the top what nests and how deep it may nest, which Lua leaves out.
static void explain_overflow(lua_State *L) {
  static const size_t width = sizeof RAC_LUA_OVERFLOW - 1;
  if (lua_type(L, -1) != LUA_TSTRING) return;
  size_t length;
  const char *message = lua_tolstring(L, -1, &length);
  if (length < width || memcmp(message + length - width, RAC_LUA_OVERFLOW, width) != 0) return;
  lua_pushlstring(L, message, length - width);
  lua_pushliteral(L, RAC_LUA_TOO_DEEP);
  lua_concat(L, 2);
  lua_replace(L, -2);
}

static int finish_pcall(lua_State *L, int status, lua_KContext extra) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)extra;
  if (rac_lua_host(L)->interrupted) return rac_lua_raise_interrupt(L);
  explain_overflow(L);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int protected_call(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall);
  return finish_pcall(L, status, 0);
}

static int finish_handled(lua_State *L, int status, lua_KContext extra) {
  rac_lua *host = rac_lua_host(L);
  if (!lua_iscfunction(L, 2) && host->handlers > 0) host->handlers--;
  return finish_pcall(L, status, extra);
}

static int protected_call_with_handler(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  if (!lua_iscfunction(L, 2)) rac_lua_host(L)->handlers++;
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  int status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_handled);
  return finish_handled(L, status, 2);
}

bool rac_lua_is_protected(lua_State *L) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "f", &frame);
    lua_CFunction function = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    if (function == protected_call || function == protected_call_with_handler) return true;
  }
  return false;
}

// --- load ---

// The slot of the reader's latest piece, after the arguments.
enum { PIECE = 5 };

static const char *read_piece(lua_State *L, void *context, size_t *length) {
  (void)context;
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *length = 0;
    return NULL;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, PIECE);
  return lua_tolstring(L, PIECE, length);
}

// Lua's own `load` calls its reader protected, and would return an interrupt as a message. It is
// reimplemented rather than called, so that the stack contains no function that loads compiled
// chunks for scripts that may not.
static int load_chunk(lua_State *L) {
  size_t length;
  const char *text = lua_tolstring(L, 1, &length);
  if (!text) luaL_checktype(L, 1, LUA_TFUNCTION);
  const char *name = luaL_optstring(L, 2, text ? text : "=(load)");
  const char *mode = luaL_optstring(L, 3, "bt");
  if (!rac_lua_allows(rac_lua_host(L), RAC_LUA_UNSAFE_CODE)) mode = "t";
  bool has_environment = !lua_isnone(L, 4);
  int status;
  if (text) {
    status = luaL_loadbufferx(L, text, length, name, mode);
  } else {
    lua_settop(L, PIECE);
    status = lua_load(L, read_piece, NULL, name, mode);
  }
  if (rac_lua_host(L)->interrupted) return rac_lua_raise_interrupt(L);
  if (status != LUA_OK) {
    explain_overflow(L);
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_environment) {
    lua_pushvalue(L, 4);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

static int describe_interrupt(lua_State *L) {
  lua_pushliteral(L, "interrupted");
  return 1;
}

void rac_lua_open_interrupts(lua_State *L) {
  lua_pushcfunction(L, protected_call);
  lua_setglobal(L, "pcall");
  lua_pushcfunction(L, protected_call_with_handler);
  lua_setglobal(L, "xpcall");
  lua_pushcfunction(L, load_chunk);
  lua_setglobal(L, "load");
  lua_newuserdatauv(L, 0, 0);
  lua_newtable(L);
  lua_pushcfunction(L, describe_interrupt);
  lua_setfield(L, -2, "__tostring");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  rac_lua_host(L)->interrupt_value = luaL_ref(L, LUA_REGISTRYINDEX);
}
