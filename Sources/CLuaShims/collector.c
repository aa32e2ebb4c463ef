// The collector, kept out of host code.
//
// Lua's collector runs whenever memory is requested, and calls the finalisers of scripts there: in
// the middle of a host function they would run Lua code, and through it the host, at a place where
// neither expects it, without a memory limit, and on a stack that the shim does not know to be
// running. So the collector is held while host code runs, and does the work that is due when Lua
// code resumes.
//
// Lua's own way to stop the collector does not help: restarting it makes it work at once. Instead
// the shim sets a bit of the byte in which Lua records why the collector is stopped. It locates
// that byte by observing what LUA_GCSTOP changes. If nothing changes, Lua's collector is not
// touched, and finalisers that run inside host code may not call the host (trampoline.c).

#include "host.h"

#include <stdlib.h>
#include <string.h>

// --- Lua's own state ---

// The beginning of each lua_State in Lua 5.4.
typedef struct {
  void *next;
  uint8_t type, marked, status, allows_hooks;
} thread_head;

static void look_at_hooks(lua_State *L, lua_Debug *activation) {
  (void)activation;
  const thread_head *head = (const thread_head *)L;
  rac_lua_host(L)->knows_hooks = head->allows_hooks == 0;
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

// Checks that the byte is in its known place: set, but not inside a hook.
static int find_hooks(lua_State *L) {
  const thread_head *head = (const thread_head *)L;
  if (head->type != LUA_TTHREAD || head->status != LUA_OK || head->allows_hooks != 1) return 0;
  lua_sethook(L, look_at_hooks, LUA_MASKCALL, 0);
  lua_pushcfunction(L, nothing);
  lua_call(L, 0, 0);
  lua_sethook(L, NULL, 0, 0);
  return 0;
}

void rac_lua_allow_hooks(rac_lua *host, lua_State *L) {
  if (host->knows_hooks) ((thread_head *)L)->allows_hooks = 1;
}

void rac_lua_find_collector(rac_lua *host) {
  lua_State *L = host->main;
  lua_pushcfunction(L, find_hooks);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);

  // The main thread and the state shared by all threads form one block, the first.
  uint8_t before[4096], stopped[4096];
  uint8_t *state = host->first_block;
  size_t size = host->first_size;
  if (size > sizeof before) return;
  memcpy(before, state, size);
  lua_gc(L, LUA_GCSTOP);
  memcpy(stopped, state, size);
  lua_gc(L, LUA_GCRESTART);
  uint8_t *found = NULL;
  for (size_t i = 0; i < size; i++) {
    if (before[i] == stopped[i]) continue;
    if (found || before[i] != 0 || stopped[i] != 1 || state[i] != 0) return;
    found = state + i;
  }
  if (!found) return;
  // The value as Lua itself reads it.
  *found = RAC_LUA_HELD;
  bool stands = !lua_gc(L, LUA_GCISRUNNING);
  *found = 0;
  if (stands && lua_gc(L, LUA_GCISRUNNING)) host->collector = found;
}

// --- Memory in host code ---

// Frees the garbage of host code that makes values for a long time while no Lua code runs that
// would let the collector work: Lua answers a refused request with a collection, which runs no
// finalisers.
bool rac_lua_wants_collection(rac_lua *host, size_t wanted) {
  enum { ROOM = 4 << 20 };
  if (host->collector == &host->no_collector) return false;
  if (!host->ceiling) {
    host->ceiling = wanted * 2 + ROOM;
    return false;
  }
  if (wanted <= host->ceiling) return false;
  // Lua asks once more, and the request is granted.
  host->ceiling = 0;
  return true;
}

void rac_lua_repay(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  int kilobytes = (int)(host->unpaid >> 10);
  host->unpaid = 0;
  // A script may have stopped it.
  if (lua_gc(L, LUA_GCISRUNNING)) lua_gc(L, LUA_GCSTEP, kilobytes);
}

static int do_what_is_due(lua_State *L) {
  rac_lua_repay(L);
  return 0;
}

void rac_lua_pay(rac_lua *host) {
  if (!rac_lua_owes(host) || host->depth > 0) return;
  lua_State *L = host->main;
  if (host->interrupted || !lua_checkstack(L, 2)) return;
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  lua_pushcfunction(L, do_what_is_due);
  // Fails only if a finaliser was interrupted, or there is no memory.
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
  rac_lua_leave(&frame, LUA_OK);
}

// --- Full collections ---

// Rebuilds the table of anchors, which grows with the userdata that wait to be collected, and would
// not shrink.
static void shrink_anchors(rac_lua *host, lua_State *L) {
  if (!lua_checkstack(L, 8)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->anchors);
  lua_newtable(L);
  if (lua_getmetatable(L, -2)) lua_setmetatable(L, -2);
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_rawseti(L, LUA_REGISTRYINDEX, host->anchors);
  lua_pop(L, 1);
}

static int collect(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

void rac_lua_collect(rac_lua *host) {
  lua_State *L = rac_lua_current(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (host->interrupted) rac_lua_stop(host, host->interrupted);
  lua_pushcfunction(L, collect);
  // Fails only if a finaliser was interrupted.
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
  rac_lua_leave(&frame, LUA_OK);
  shrink_anchors(host, L);
}
