// One interpreter: its memory, its opening and its closing.

#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void) {
  static const char text[] = "raclette: out of memory\n";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  abort();
}

// Returns true if Lua code gets more memory. Lua answers a refusal with a full collection and asks
// once more; near the limit it would do little else. So if two such collections in a row leave less
// than a sixteenth of the limit free, the second is the last.
static bool is_within_limit(rac_lua *host, size_t wanted) {
  bool is_again = host->was_refused;
  host->was_refused = wanted > host->limit && !is_again;
  if (wanted > host->limit) return false;
  if (!is_again) {
    if (host->limit - wanted >= host->limit / 16) host->was_vain = false;
    return true;
  }
  bool was_vain = host->was_vain;
  host->was_vain = host->limit - wanted < host->limit / 16;
  return !(was_vain && host->was_vain);
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
  rac_lua *host = context;
  // For a new block Lua passes the kind of object as the old size.
  size_t old = block ? old_size : 0;
  if (new_size == 0) {
    free(block);
    host->memory -= old;
    return NULL;
  }
  if (new_size > old) {
    size_t wanted = host->memory - old + new_size;
    if (!host->enforced) {
      host->unpaid += new_size - old;
      if (rac_lua_wants_collection(host, wanted)) return NULL;
    } else if (host->limit && !is_within_limit(host, wanted)) {
      return NULL;
    }
  }
  void *moved = realloc(block, new_size);
  if (!moved) {
    if (new_size <= old) return block;
    // An error raised here would unwind a host frame.
    if (!host->enforced) out_of_memory();
    return NULL;
  }
  host->memory += new_size - old;
  if (!host->first_block) {
    host->first_block = moved;
    host->first_size = new_size;
  }
  return moved;
}

// Only reached because of a bug in the shim: nothing raises outside protected calls.
static int panic(lua_State *L) {
  const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(no message)";
  fprintf(stderr, "raclette: unprotected error in Lua: %s\n", message);
  return 0;
}

static lua_CFunction global_function(lua_State *L, const char *name) {
  lua_getglobal(L, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return function;
}

static int new_slot(lua_State *L, const char *mode) {
  lua_newtable(L);
  if (mode) {
    lua_newtable(L);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int open_all(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  luaL_openlibs(L);
  // Most objects of the library are short-lived userdata; collecting only the young ones costs a
  // third as much.
  lua_gc(L, LUA_GCGEN, 0, 0);
  // An object with a finaliser outlives the collection that finds it dead. With Lua's own pause,
  // until memory has doubled, each collection would leave at least as much as the last, and so more
  // and more.
  lua_gc(L, LUA_GCSETPAUSE, 150);
  host->error_function = global_function(L, "error");
  host->assert_function = global_function(L, "assert");
  host->anchors = new_slot(L, "v");
  host->roots = new_slot(L, NULL);
  host->waiting = new_slot(L, "k");
  lua_getglobal(L, LUA_LOADLIBNAME);
  host->package = luaL_ref(L, LUA_REGISTRYINDEX);
  rac_lua_find_results(L);
  rac_lua_open_boxes(host);
  rac_lua_open_interrupts(L);
  rac_lua_open_coroutines(L);
  rac_lua_open_print(L);
  rac_lua_open_writes(L);
  // Lua creates these outside its own protection; while they are kept, that allocates nothing.
  static const char *const kept[] = {
    "error in error handling", "C stack overflow", "cannot resume dead coroutine",
    "cannot resume non-suspended coroutine",
  };
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    lua_pushstring(L, kept[i]);
    luaL_ref(L, LUA_REGISTRYINDEX);
  }
  return 0;
}

rac_lua *rac_lua_open(void *owner, size_t limit, rac_lua_dispatch dispatch,
                      rac_lua_release release) {
  rac_lua *host = calloc(1, sizeof *host);
  if (!host) return NULL;
  static _Atomic uint64_t generations;
  host->generation = atomic_fetch_add(&generations, 1) + 1;
  host->owner = owner;
  host->limit = limit;
  host->use_at_opening = rac_lua_in_use();
  host->dispatch = dispatch;
  host->release = release;
  host->collector = &host->no_collector;
  rac_lua_open_ticker(host);
  lua_State *L = lua_newstate(allocate, host);
  if (!L) {
    rac_lua_close_ticker(host);
    free(host);
    return NULL;
  }
  host->main = L;
  *(rac_lua **)lua_getextraspace(L) = host;
  lua_atpanic(L, panic);
  rac_lua_find_collector(host);
  rac_lua_open_warnings(host);
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    rac_lua_shut(host);
    return NULL;
  }
  rac_lua_enforce(host, false);
  return host;
}

void rac_lua_disown(rac_lua *host) { host->owner = NULL; }

// Closes Lua and runs its finalisers. Memory is leaked if they do not end and are interrupted.
static void close_state(rac_lua *host) {
  jmp_buf escape;
  if (setjmp(escape) != 0) return;
  host->escape = &escape;
  lua_close(host->main);
}

void rac_lua_shut(rac_lua *host) {
  host->closing = true;
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, host->main);
  if (host->interrupted) rac_lua_stop(host, host->interrupted);
  close_state(host);
  host->running = NULL;
  host->collector = &host->no_collector;
  rac_lua_leave(&frame, LUA_OK);
  rac_lua_close_ticker(host);
  rac_lua_set_process_limit(host, 0);
  rac_lua_ignore_interrupts(host);
  rac_lua_close_output(host);
  free(host->carried_traceback);
  free(host->failure_traceback);
  free(host->slots);
  free(host->free_slots);
  free(host->metatables);
  // A tick may be on its way to another thread, although only its own thread should close an
  // interpreter.
  if (pthread_equal(host->thread, pthread_self())) free(host);
}

lua_State *rac_lua_main(rac_lua *host) { return host->main; }

lua_State *rac_lua_current(rac_lua *host) {
  lua_State *running = host->running;
  return running ? running : host->main;
}

rac_lua *rac_lua_of(lua_State *L) { return rac_lua_host(L); }

void *rac_lua_owner(lua_State *L) { return rac_lua_host(L)->owner; }

uint64_t rac_lua_generation(rac_lua *host) { return host->generation; }

void rac_lua_push_package(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->package);
}

int rac_lua_depth(rac_lua *host) { return host->depth; }

size_t rac_lua_memory(rac_lua *host) { return host->memory; }

size_t rac_lua_memory_limit(rac_lua *host) { return host->limit; }

void rac_lua_set_memory_limit(rac_lua *host, size_t limit) { host->limit = limit; }
