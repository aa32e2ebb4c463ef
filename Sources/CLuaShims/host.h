// The state that the shim keeps beside each lua_State; private to the shim.

#ifndef RAC_LUA_HOST_H
#define RAC_LUA_HOST_H

#include "CLuaShims.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <time.h>

// The life of an interpreter's code is one number, `end`: 0 while it lives, then the time until
// which it may clean up, then OVER. It never goes back, even when interrupts are cleared.
enum rac_lua_life { RAC_LUA_LIVES = 0, RAC_LUA_OVER = 1 };

// One host call into Lua (protected call or resume). The frames of all interpreters on one thread
// form a list, so that a signal handler finds everything that runs.
typedef struct rac_lua_frame {
  struct rac_lua_frame *outer, *outer_of_host;  // of all interpreters, and of this one
  rac_lua *host;
  lua_State *interrupted_state;  // the state that ran before
  bool was_enforced;
  int interrupt;  // the interruption in force at the end
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

// The metatables of a type as slots of the registry, 0 for none: that of userdata with an object, and
// that of those that hold a value.
typedef struct {
  int own, held;
} rac_lua_metatables;

struct rac_lua {
  lua_State *main;
  uint64_t generation;
  void *owner;
  rac_lua_dispatch dispatch;
  rac_lua_make make;
  rac_lua_release release;
  rac_lua_sink sink;
  FILE *output, *errors;  // the streams to the sink; NULL for the process's
  bool warns, warns_on;   // warnings are printed; one is unfinished

  jmp_buf *escape;  // out of a closing whose finalisers do not end
  int lost_finalisers;

  size_t memory;
  size_t limit;
  bool was_refused, was_vain;  // the latest request; the latest collection that followed a refusal

  // State of the whole process, see memory.c.
  volatile size_t process_limit;
  volatile size_t next_count;  // the memory from the system at which it is counted again
  size_t use_at_opening, process_share;
  volatile bool seems_crowded;
  bool enforced;  // Lua code runs, above a protected call: the limit holds and the collector works
  size_t unpaid;   // bytes host code has requested since the collector last worked
  size_t ceiling;  // the memory allowed to host code; 0 until its first request
  bool closing;

  bool is_confined;  // guards allow only what is granted
  uint32_t granted;
  rac_lua_explain explain;

  // Parts of Lua's own state, see collector.c. If they are not known, bytes without effect.
  uint8_t *first_block;
  size_t first_size;
  volatile uint8_t *collector;
  uint8_t no_collector;
  bool knows_hooks;
  bool knows_results;  // see results.c

  // Read by signal handlers.
  lua_State *volatile running;
  volatile sig_atomic_t interrupted;  // a rac_lua_interruption
  volatile uint64_t awaited;          // the signals that stop the next call, as bits
  volatile uint64_t ending;           // the subset that begins the end
  volatile uint64_t end;              // see rac_lua_life
  uint64_t clean_up_time;             // the time for that end, in nanoseconds
  rac_lua *volatile next_awaiting;
  int patience;  // hook events that a coroutine may skip until it can be suspended
  volatile uint64_t deadline, time_limit;
  volatile uint64_t entries;  // counts the outermost calls from the host
  uint64_t seen_entry, seen_since, stopped_at;  // used by the tick only
  volatile uint64_t ticks_from;  // the time of the first tick; 0 for none
  volatile bool has_timer;       // the timer that sends them to `thread`
  pthread_t thread;
#ifdef __linux__
  timer_t timer;
#else
  void *timer;
#endif
  int handlers;  // calls of xpcall with a handler written in Lua (at least as many as run)

  rac_lua_lines *lines;  // the innermost lines that pass through a pipeline
  int depth;
  rac_lua_frame *frame;
  rac_lua_link *link;
  lua_State *driven;     // the innermost coroutine that the host resumed
  bool yielded_by_host;
  bool yielded_by_hook;  // an interrupt has suspended the coroutine
  bool raise_on_resume;  // the value that a suspended function is resumed with is to be raised

  // The error that a host function, coroutine.wrap or a resumed function is about to raise;
  // `carries` is false until such a function has recorded it, because Lua may raise errors in the
  // function's name. The activation is the one that raises: a finaliser that runs meanwhile has
  // others.
  bool carries;
  const void *carrier;
  int carried_origin;
  char *carried_traceback;
  rac_lua_failure failure;
  char *failure_traceback;
  char failure_source[LUA_IDSIZE];

  lua_CFunction error_function, assert_function;

  // Slots of the registry.
  int anchors, roots, box_metatable, interrupt_value, waiting, package;
  int output_file, error_file;  // io.stdout and io.stderr
  int kept_failures;            // a table, or 0
  unsigned kept_count;          // of the failures that were put there
  rac_lua_metatables *metatables;  // by the numbers of types
  int metatable_count;
  int32_t *slots, *free_slots;  // of references: all, and those without one
  int32_t slot_count, slot_capacity, free_count;
  int64_t next_anchor;
};

extern _Thread_local rac_lua_frame *volatile rac_lua_innermost;

static inline rac_lua *rac_lua_host(lua_State *L) { return *(rac_lua **)lua_getextraspace(L); }

// --- The collector (collector.c) ---

// A bit in Lua's own record of why its collector is stopped; Lua uses the lower bits.
enum { RAC_LUA_HELD = 0x80 };

// Records that Lua code runs from here on, or host code. Returns the previous record.
static inline bool rac_lua_enforce(rac_lua *host, bool enforced) {
  bool before = host->enforced;
  host->enforced = enforced;
  if (enforced) {
    *host->collector &= (uint8_t)~RAC_LUA_HELD;
  } else {
    *host->collector |= RAC_LUA_HELD;
    host->ceiling = 0;
  }
  return before;
}

// Returns true if host code gets no more memory until garbage has been freed.
bool rac_lua_wants_collection(rac_lua *host, size_t wanted);
void rac_lua_find_collector(rac_lua *host);

// Returns true if host code has requested so much memory that the collector has to work for it: Lua
// does not count requests while its collector is stopped.
static inline bool rac_lua_owes(rac_lua *host) { return host->unpaid >= 16 << 10; }

// Lets the collector work for the memory that host code has requested. Call it where Lua code runs.
void rac_lua_repay(lua_State *L);

// Lets the collector do the work that is due for the values that host code has made. Call it where
// the host is about to run Lua code, and no Lua code runs further down the stack.
void rac_lua_pay(rac_lua *host);
// Allows hooks on a thread even inside a finaliser; async-signal-safe.
void rac_lua_allow_hooks(rac_lua *host, lua_State *L);

void rac_lua_enter(rac_lua_frame *frame, rac_lua *host, lua_State *L);
// Ends a frame whose code returned a Lua status.
void rac_lua_leave(rac_lua_frame *frame, int status);
// Clears the interrupt of code that has ended, for the code that runs next; unless everything is
// over.
static inline void rac_lua_forget_interrupt(rac_lua *host) {
  host->interrupted =
    host->end == RAC_LUA_OVER ? RAC_LUA_INTERRUPTED : RAC_LUA_NOT_INTERRUPTED;
}
// Returns true if a limit has stopped the code that runs. It has failed then, even if it has come to
// its end all the same: the error that stops it may have been raised in a finaliser, where it is lost.
static inline bool rac_lua_exceeds_limit(const rac_lua *host) {
  return host->interrupted > RAC_LUA_INTERRUPTED;
}
// Begins the next of several calls that share a frame: it counts as other code, as with a frame of
// its own.
static inline void rac_lua_enter_next(rac_lua *host) {
  if (host->depth > 1) return;
  host->entries++;
  if (rac_lua_exceeds_limit(host)) rac_lua_forget_interrupt(host);
}
// Fills frame from the stack of `L` from `level` on.
void rac_lua_describe(rac_lua_frame *frame, lua_State *from, lua_State *L, int level);
int rac_lua_origin_at(lua_State *L, int level);
int rac_lua_on_error(lua_State *L);

// Completes the list of a row of several functions; false if the row is too long for one.
// [-0, +0] needs 2
bool rac_lua_has_list(lua_State *L, rac_lua_row *row);

int rac_lua_trampoline(lua_State *L);
int rac_lua_send(lua_State *L);
// Returns the short way of the userdata at an index; NULL if it has none.
const rac_lua_direct *rac_lua_direct_at(lua_State *L, int index);
// Keeps the frames of a failure from a level on, under its traceback, if the host asks for that; behind
// those of the latest failure if it goes on here. `to` has free slots, which a failed coroutine may not
// have. May raise a memory error.
void rac_lua_keep_failure(lua_State *to, lua_State *L, int level, const char *traceback,
                          bool goes_on);
// Records that the running function raises the carried error.
void rac_lua_name_carrier(lua_State *L);
int rac_lua_wrapped(lua_State *L);
int rac_lua_yield(lua_State *L);
// The continuation of every function that suspends on behalf of the host.
int rac_lua_resumed(lua_State *L, int status, lua_KContext base);

// Finds where Lua records how many results a caller wants.
void rac_lua_find_results(lua_State *L);

void rac_lua_open_boxes(rac_lua *host);
void rac_lua_open_coroutines(lua_State *L);
void rac_lua_open_interrupts(lua_State *L);
void rac_lua_open_print(lua_State *L);

// --- Lines (lines.c) ---

// Replaces functions of Lua's own library before which results must not wait. [-0, +0] needs 4
void rac_lua_open_writes(lua_State *L);
static inline bool rac_lua_has_lines(const rac_lua_lines *lines) {
  return !lines->stopped && lines->next < lines->end;
}
void rac_lua_hand_over_lines(lua_State *L);
// Hands over the results that wait, before code that is about to do something that others see.
static inline void rac_lua_deliver_lines(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  if (host->lines && host->lines->count > 0 && host->enforced) rac_lua_hand_over_lines(L);
}
void rac_lua_open_warnings(rac_lua *host);
// Call it once Lua has closed: its library uses the file until then.
void rac_lua_close_output(rac_lua *host);
// Stops the running code; async-signal-safe, on the interpreter's thread.
void rac_lua_stop(rac_lua *host, rac_lua_interruption why);
// Arms the hook that stops the running code once more. Async-signal-safe, on the interpreter's thread.
void rac_lua_stop_again(rac_lua *host);
// Stops the running code if it has escaped an interrupt: a finaliser that began at that moment runs
// without hooks, and a script may have replaced the hook that stops it with its own.
// Async-signal-safe, on the interpreter's thread.
static inline void rac_lua_keep_stopping(rac_lua *host) {
  if (host->interrupted || host->seems_crowded) rac_lua_stop_again(host);
}
// Returns the bytes that the process has allocated; 0 if the C library cannot report them. Not for
// signal handlers.
size_t rac_lua_in_use(void);
// Returns true if the process may have exceeded its limit; async-signal-safe.
bool rac_lua_seems_crowded(rac_lua *host);
// Interrupts the running code if the process has exceeded its limit; not inside a signal handler.
void rac_lua_count_memory(rac_lua *host);
// Starts the ticks.
void rac_lua_keep_watching(rac_lua *host);
void rac_lua_open_ticker(rac_lua *host);
void rac_lua_close_ticker(rac_lua *host);
// Starts ticks at short intervals while something is to be stopped. Async-signal-safe, on the
// interpreter's thread.
void rac_lua_keep_ticking(rac_lua *host);
// Bounds the to-be-closed variables of a thread while an interrupt is in force.
void rac_lua_bound(lua_State *L);
// Raises the interrupt. Does not return.
int rac_lua_raise_interrupt(lua_State *L);

#endif
