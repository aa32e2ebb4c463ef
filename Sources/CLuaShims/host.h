// The state that the shim keeps beside each lua_State; private to the shim.

#ifndef RAC_LUA_HOST_H
#define RAC_LUA_HOST_H

#include "CLuaShims.h"

#include <stdio.h>

// One host call into Lua (protected call or resume). Frames of all interpreters on one thread form
// a list, so that a signal handler finds everything that runs.
typedef struct rac_lua_frame {
  struct rac_lua_frame *outer;
  rac_lua *host;
  lua_State *interrupted_state;  // what ran before
  bool was_enforced;
  int interrupt;  // the reason that was in force at the end
  int origin;
  char *traceback;
  int line;
  char source[LUA_IDSIZE];
} rac_lua_frame;

// A coroutine resumed by a script, while it runs.
typedef struct rac_lua_link {
  struct rac_lua_link *outer;
  lua_State *coroutine;
  lua_State *resumer;
} rac_lua_link;

struct rac_lua {
  lua_State *main;
  uint64_t generation;
  void *owner;
  rac_lua_dispatch dispatch;
  rac_lua_release release;
  rac_lua_sink sink;
  FILE *output, *errors;  // what leads to the sink; NULL for the process's

  size_t memory;
  size_t limit;
  bool enforced;  // the limit holds: Lua code runs, above a protected call
  bool closing;

  bool is_confined;  // guards allow only what is granted
  uint32_t granted;
  rac_lua_explain explain;

  // Read by signal handlers.
  lua_State *volatile running;
  volatile sig_atomic_t interrupted;  // a rac_lua_interruption
  int patience;  // hook events that a coroutine may let pass until it can be suspended
  volatile uint64_t deadline, time_limit;
  volatile uint64_t entries;  // counts the outermost calls from the host
  uint64_t seen_entry, seen_since, stopped_at;  // for the tick alone
  int handlers;  // calls of xpcall with a handler written in Lua (at least as many as run)

  int depth;
  rac_lua_frame *frame;
  rac_lua_link *link;
  lua_State *driven;     // the innermost coroutine that the host resumed
  bool yielded_by_host;
  bool yielded_by_hook;  // an interrupt has suspended the coroutine
  bool raise_on_resume;  // the value that a suspended function is resumed with is to be raised

  // What is about to be raised by a host function, by coroutine.wrap or after a yield; `carries` is
  // false while such a function has not yet said so, as Lua may raise in its name.
  bool carries;
  int carried_origin;
  char *carried_traceback;
  rac_lua_failure failure;
  char *failure_traceback;
  char failure_source[LUA_IDSIZE];

  lua_CFunction error_function, assert_function;

  // Slots of the registry.
  int references, anchors, roots, box_metatable, interrupt_value, waiting, package;
  int output_file, error_file;  // io.stdout and io.stderr
  int32_t *free_references;
  int32_t free_count, free_capacity, reference_count, next_reference;
  int64_t next_anchor;
};

extern _Thread_local rac_lua_frame *volatile rac_lua_innermost;

static inline rac_lua *rac_lua_host(lua_State *L) { return *(rac_lua **)lua_getextraspace(L); }

void rac_lua_enter(rac_lua_frame *frame, rac_lua *host, lua_State *L);
void rac_lua_leave(rac_lua_frame *frame);
// The next of several calls that share a frame: other code, as for a frame of its own.
static inline void rac_lua_enter_next(rac_lua_frame *frame) {
  rac_lua *host = frame->host;
  if (host->depth > 1) return;
  host->entries++;
  if (host->interrupted > RAC_LUA_INTERRUPTED) host->interrupted = 0;
}
// Copies what the frame gathered into host->failure, and frees the frame's own.
void rac_lua_fail(rac_lua_frame *frame);
// Fills frame from the stack of `L` from `level` on.
void rac_lua_describe(rac_lua_frame *frame, lua_State *from, lua_State *L, int level);
int rac_lua_origin_at(lua_State *L, int level);
int rac_lua_on_error(lua_State *L);

int rac_lua_trampoline(lua_State *L);
int rac_lua_wrapped(lua_State *L);
int rac_lua_yield(lua_State *L);
// The continuation of every function that suspends on behalf of the host.
int rac_lua_resumed(lua_State *L, int status, lua_KContext base);

void rac_lua_open_boxes(rac_lua *host);
void rac_lua_open_coroutines(lua_State *L);
void rac_lua_open_interrupts(lua_State *L);
void rac_lua_open_print(lua_State *L);
// Once Lua has closed: its library still knows the file until then.
void rac_lua_close_output(rac_lua *host);
// Stops what runs now; async-signal-safe, on the interpreter's thread.
void rac_lua_stop(rac_lua *host, rac_lua_interruption why);
// Bounds the to-be-closed variables of a thread while an interrupt is in force.
void rac_lua_bound(lua_State *L);
// Raises the interrupt. Does not return.
int rac_lua_raise_interrupt(lua_State *L);

#endif
