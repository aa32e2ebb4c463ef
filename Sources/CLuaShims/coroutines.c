// Coroutines: those that the host drives, and the script's own, through which the host can wait.
//
// When a host function suspends inside a coroutine that a script made, its resumer cannot continue.
// So the script's resume function suspends too, and so on up to the coroutine that the host drives;
// when the host resumes that one, each level passes the values down again.

#include "host.h"

#include <stdlib.h>

// The mark on top of a coroutine that waits for the host; no other code may resume it.
static const char waiting_mark = 0;

static bool is_waiting(lua_State *coroutine) {
  return lua_status(coroutine) == LUA_YIELD && lua_gettop(coroutine) > 0
    && lua_touserdata(coroutine, -1) == &waiting_mark;
}

rac_lua_waiting rac_lua_can_wait(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_link *link = host->link;
  lua_State *level = L;
  while (level != host->driven) {
    if (!link || link->coroutine != level) return RAC_LUA_NO_COROUTINE;
    if (!lua_isyieldable(level)) return RAC_LUA_IN_CALLBACK;
    level = link->resumer;
    link = link->outer;
  }
  return lua_isyieldable(level) ? RAC_LUA_CAN_WAIT : RAC_LUA_IN_CALLBACK;
}

int rac_lua_resumed(lua_State *L, int status, lua_KContext base) {
  (void)status;
  rac_lua *host = rac_lua_host(L);
  if (host->raise_on_resume) {
    host->raise_on_resume = false;
    rac_lua_name_carrier(L);
    return lua_error(L);
  }
  return lua_gettop(L) - (int)base;
}

// Scripts see a coroutine that the host drives as the main one in Lua's own program.
static bool is_main(lua_State *L) { return L == rac_lua_host(L)->driven; }

int rac_lua_yield(lua_State *L) {
  rac_lua_host(L)->carries = false;
  if (is_main(L)) return luaL_error(L, "attempt to yield from outside a coroutine");
  return lua_yieldk(L, lua_gettop(L), 0, rac_lua_resumed);
}

// --- The script's coroutines ---

enum { FAILED = -1 };

// Resumes with the topmost values. Moves the results, or the error value (FAILED), to L.
static int drive(lua_State *L, lua_State *coroutine, int arguments, bool again, bool *waits) {
  rac_lua *host = rac_lua_host(L);
  *waits = false;
  if (host->interrupted) {
    host->raise_on_resume = false;
    rac_lua_raise_interrupt(L);
  }
  if (coroutine == host->main) {
    // The contents of its stack between two calls belong to the host.
    lua_pop(L, arguments);
    lua_pushliteral(L, "cannot resume non-suspended coroutine");
    return FAILED;
  }
  if (is_waiting(coroutine)) {
    if (!again) {
      lua_pop(L, arguments);
      lua_pushliteral(L, "cannot resume a coroutine that waits for the host");
      return FAILED;
    }
    lua_pop(coroutine, 1);
  }
  if (!lua_checkstack(coroutine, arguments + 1)) {
    lua_pop(L, arguments);
    lua_pushliteral(L, "too many arguments to resume");
    return FAILED;
  }
  lua_xmove(L, coroutine, arguments);
  rac_lua_link link = {host->link, coroutine, L};
  lua_State *running = host->running;
  host->link = &link;
  host->running = coroutine;
  host->yielded_by_host = false;
  if (!host->raise_on_resume) host->carries = false;
  int results = 0;
  int status = LUA_OK;
  // A signal that arrives after this point stops the coroutine.
  if (host->interrupted) {
    lua_pop(coroutine, arguments);
  } else {
    status = lua_resume(coroutine, L, arguments, &results);
  }
  host->running = running;
  host->link = link.outer;
  // The function to raise in may be gone; no other function is meant.
  host->raise_on_resume = host->yielded_by_hook = false;
  if (host->interrupted) rac_lua_raise_interrupt(L);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(coroutine, L, 1);
    return FAILED;
  }
  if (!lua_checkstack(L, results + 2)) {
    lua_pop(coroutine, results);
    lua_pushliteral(L, "too many results to resume");
    return FAILED;
  }
  *waits = status == LUA_YIELD && host->yielded_by_host;
  lua_xmove(coroutine, L, results);
  if (*waits) lua_pushlightuserdata(coroutine, (void *)&waiting_mark);
  return results;
}

// Records (or clears) the coroutine that L waits for, so that closing L can close that first.
static void set_inner(lua_State *L, lua_State *coroutine) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->waiting);
  lua_pushthread(L);
  if (coroutine) {
    lua_pushthread(coroutine);
    lua_xmove(coroutine, L, 1);
  } else {
    lua_pushnil(L);
  }
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static int suspend_too(lua_State *L, lua_State *coroutine, int values, int base,
                       lua_KFunction then) {
  set_inner(L, coroutine);
  rac_lua_host(L)->yielded_by_host = true;
  return lua_yieldk(L, values, base, then);
}

static lua_State *coroutine_argument(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, 1);
  if (!coroutine) luaL_typeerror(L, 1, "coroutine");
  return coroutine;
}

static int resumed_again(lua_State *L, int status, lua_KContext base);

static int finish_resume(lua_State *L, lua_State *coroutine, int results, bool waits) {
  if (waits) return suspend_too(L, coroutine, results, 1, resumed_again);
  lua_pushboolean(L, results != FAILED);
  int count = results == FAILED ? 1 : results;
  lua_insert(L, -(count + 1));
  return count + 1;
}

static int resumed_again(lua_State *L, int status, lua_KContext base) {
  (void)status;
  lua_State *coroutine = lua_tothread(L, 1);
  set_inner(L, NULL);
  bool waits;
  int results = drive(L, coroutine, lua_gettop(L) - (int)base, true, &waits);
  return finish_resume(L, coroutine, results, waits);
}

static int resume(lua_State *L) {
  lua_State *coroutine = coroutine_argument(L);
  bool waits;
  int results = drive(L, coroutine, lua_gettop(L) - 1, false, &waits);
  return finish_resume(L, coroutine, results, waits);
}

// Runs the to-be-closed variables of a coroutine; an interrupt can stop them.
static int reset(rac_lua *host, lua_State *coroutine) {
  lua_State *running = host->running;
  host->running = coroutine;
  if (host->interrupted) {
    rac_lua_allow_hooks(host, coroutine);
    rac_lua_bound(coroutine);
  }
  int status = lua_resetthread(coroutine);
  host->running = running;
  return status;
}

static int wrapped_again(lua_State *L, int status, lua_KContext base);

// Raises the value on top, prefixing a message with the position. Takes ownership of the traceback.
static int raise_here(lua_State *L, int status, int origin, char *traceback) {
  rac_lua *host = rac_lua_host(L);
  bool enforced = rac_lua_enforce(host, false);
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  rac_lua_carry(L, origin, traceback);
  free(traceback);
  rac_lua_enforce(host, enforced);
  return lua_error(L);
}

static int finish_wrapped(lua_State *L, lua_State *coroutine, int results, bool waits) {
  if (waits) return suspend_too(L, coroutine, results, 0, wrapped_again);
  if (results != FAILED) return results;
  int status = lua_status(coroutine);
  if (status == LUA_OK || status == LUA_YIELD) {
    return raise_here(L, status, RAC_LUA_ORIGIN_INTERPRETER, NULL);
  }
  rac_lua *host = rac_lua_host(L);
  rac_lua_frame description = {.host = host};
  bool enforced = rac_lua_enforce(host, false);
  rac_lua_describe(&description, L, coroutine, 0);
  rac_lua_enforce(host, enforced);
  status = reset(host, coroutine);
  lua_xmove(coroutine, L, 1);
  return raise_here(L, status, description.origin, description.traceback);
}

static int wrapped_again(lua_State *L, int status, lua_KContext base) {
  (void)status;
  lua_State *coroutine = lua_tothread(L, lua_upvalueindex(1));
  set_inner(L, NULL);
  bool waits;
  int results = drive(L, coroutine, lua_gettop(L) - (int)base, true, &waits);
  return finish_wrapped(L, coroutine, results, waits);
}

int rac_lua_wrapped(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, lua_upvalueindex(1));
  if (!coroutine) return luaL_error(L, "the coroutine is gone");
  bool waits;
  int results = drive(L, coroutine, lua_gettop(L), false, &waits);
  return finish_wrapped(L, coroutine, results, waits);
}

// Lua 5.4.4 goes on at the old place when the stack of a coroutine moves while `..` calls a metamethod,
// and so does the collector. A new coroutine has room for 40 values, which the second function needs.
enum { ROOM = 240 };

static lua_State *new_coroutine(lua_State *L) {
  lua_State *coroutine = lua_newthread(L);
  lua_checkstack(coroutine, ROOM);
  return coroutine;
}

static int create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *coroutine = new_coroutine(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, coroutine, 1);
  return 1;
}

static int wrap(lua_State *L) {
  create(L);
  lua_pushcclosure(L, rac_lua_wrapped, 1);
  return 1;
}

// Agrees with coroutine.status, except that the interpreter's own thread is always running or waits
// for what it runs: between two calls its stack belongs to the host, and looks like that of an
// ended coroutine.
static const char *status_of(lua_State *L, lua_State *coroutine) {
  if (coroutine == L) return "running";
  if (coroutine == rac_lua_host(L)->main) return "normal";
  int status = lua_status(coroutine);
  if (status == LUA_YIELD) return "suspended";
  if (status != LUA_OK) return "dead";
  lua_Debug activation;
  if (lua_getstack(coroutine, 0, &activation)) return "normal";
  return lua_gettop(coroutine) == 0 ? "dead" : "suspended";
}

static int status(lua_State *L) {
  lua_pushstring(L, status_of(L, coroutine_argument(L)));
  return 1;
}

// Works as Lua's own, but its to-be-closed variables can be interrupted, and cannot swallow the
// interrupt.
static int close(lua_State *L) {
  lua_State *coroutine = coroutine_argument(L);
  if (is_waiting(coroutine)) return luaL_error(L, "cannot close a coroutine that waits for the host");
  const char *state = status_of(L, coroutine);
  if (*state == 'r' || *state == 'n') return luaL_error(L, "cannot close a %s coroutine", state);
  rac_lua *host = rac_lua_host(L);
  int status = reset(host, coroutine);
  if (host->interrupted) return rac_lua_raise_interrupt(L);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(coroutine, L, 1);
  return 2;
}

static int running(lua_State *L) {
  bool main = lua_pushthread(L);
  lua_pushboolean(L, main || is_main(L));
  return 2;
}

static int isyieldable(lua_State *L) {
  lua_State *coroutine = lua_isnone(L, 1) ? L : coroutine_argument(L);
  lua_pushboolean(L, !is_main(coroutine) && lua_isyieldable(coroutine));
  return 1;
}

void rac_lua_open_coroutines(lua_State *L) {
  lua_getglobal(L, LUA_COLIBNAME);
  const luaL_Reg functions[] = {
    {"create", create}, {"resume", resume}, {"wrap", wrap}, {"yield", rac_lua_yield}, {"close", close},
    {"running", running}, {"status", status}, {"isyieldable", isyieldable}, {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

// --- The host's coroutines ---

lua_State *rac_lua_new_coroutine(lua_State *L) {
  lua_State *coroutine = new_coroutine(L);
  lua_insert(L, -2);
  lua_xmove(L, coroutine, 1);
  return coroutine;
}

bool rac_lua_yielded_by_host(rac_lua *host) { return host->yielded_by_host; }

int rac_lua_resume(lua_State *from, lua_State *coroutine, int arguments, bool raise,
                   int *results) {
  rac_lua *host = rac_lua_host(coroutine);
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, coroutine);
  lua_State *driven = host->driven;
  rac_lua_link *link = host->link;
  host->driven = coroutine;
  host->link = NULL;
  host->yielded_by_host = false;
  host->yielded_by_hook = false;
  host->raise_on_resume = raise;
  if (!raise) host->carries = false;
  *results = 0;
  int status;
  if (host->interrupted) {
    lua_pop(coroutine, arguments);
    lua_rawgeti(coroutine, LUA_REGISTRYINDEX, host->interrupt_value);
    status = LUA_ERRRUN;
  } else {
    status = lua_resume(coroutine, from, arguments, results);
    bool stopped = status == LUA_YIELD && host->yielded_by_hook;
    rac_lua_enforce(host, false);
    if (!stopped && (status == LUA_OK || status == LUA_YIELD) && rac_lua_exceeds_limit(host)) {
      lua_pop(coroutine, *results);
      stopped = true;
    }
    if (status != LUA_OK && status != LUA_YIELD) {
      // luaL_traceback assumes free slots.
      if (lua_checkstack(from, 40)) rac_lua_describe(&frame, from, coroutine, 0);
    }
    if (stopped) {
      if (!lua_checkstack(coroutine, 8)) lua_settop(coroutine, 0);
      lua_rawgeti(coroutine, LUA_REGISTRYINDEX, host->interrupt_value);
      status = LUA_ERRRUN;
    }
  }
  host->raise_on_resume = false;
  host->driven = driven;
  host->link = link;
  rac_lua_leave(&frame, status);
  return status;
}

static void reset_inner(lua_State *from, lua_State *coroutine) {
  rac_lua *host = rac_lua_host(coroutine);
  lua_rawgeti(from, LUA_REGISTRYINDEX, host->waiting);
  lua_pushthread(coroutine);
  lua_xmove(coroutine, from, 1);
  lua_rawget(from, -2);
  lua_State *inner = lua_tothread(from, -1);
  if (inner && is_waiting(inner)) {
    reset_inner(from, inner);
    reset(host, inner);
  }
  lua_pop(from, 2);
}

int rac_lua_reset(lua_State *from, lua_State *coroutine) {
  rac_lua *host = rac_lua_host(coroutine);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, coroutine);
  if (lua_checkstack(coroutine, 2) && lua_checkstack(from, 4)) reset_inner(from, coroutine);
  int status = reset(host, coroutine);
  rac_lua_leave(&frame, status);
  return status;
}

void rac_lua_reset_all(rac_lua *host) {
  lua_State *L = host->main;
  for (int32_t i = 0; i < host->slot_count; i++) {
    bool is_coroutine = rac_lua_push_ref(L, host->slots[i]) == LUA_TTHREAD;
    lua_State *coroutine = is_coroutine ? lua_tothread(L, -1) : NULL;
    if (coroutine && coroutine != L && lua_status(coroutine) == LUA_YIELD) {
      rac_lua_reset(L, coroutine);
    }
    lua_pop(L, 1);
  }
}
