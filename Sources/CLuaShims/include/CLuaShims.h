// The only code of this package that lets Lua raise. Lua raises with longjmp, which must never
// cross a Swift frame; the code here either cannot raise (except for lack of memory, see below), or
// raises only above a protected call, or is itself a Lua function that runs after the Swift frame
// is gone.
//
// Memory: while host code runs (in the state of an interpreter outside a protected call, and inside
// a host function) the allocator ignores the memory limit and ends the process if the system itself
// has no memory left, exactly as Swift's own allocation would. So a function marked "memory only"
// may be called from Swift.
//
// Stack contracts are written `[-popped, +pushed]`, and `needs n` free slots. A host function has
// at least 20 free slots at its start.

#ifndef CLUASHIMS_H
#define CLUASHIMS_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- One interpreter (state.c) ---------------------------------------------------------------

typedef struct rac_lua rac_lua;

// Runs a host function. Returns a code (rac_lua_code); never raises.
typedef int64_t (*rac_lua_dispatch)(lua_State *L, void *object);
// Makes the host object of a late function; see rac_lua_set_late_functions. Returns one retain and
// pushes the function's name, or returns NULL. [-0, +1 or +0] needs 2
typedef void *(*rac_lua_make)(lua_State *L, int64_t number);
// Releases one retain of a host object. Called by the collector, with the owner while the
// interpreter is open and with NULL while it closes.
typedef void (*rac_lua_release)(void *owner, void *object);

// Receives what scripts write to standard output (descriptor 1) or standard error (2). Must not run
// Lua code of the interpreter.
typedef void (*rac_lua_sink)(void *owner, int descriptor, const char *bytes, size_t length);

// Opens an interpreter with the standard libraries; NULL if there is no memory. rac_lua_owner
// returns `owner`. `limit` in bytes, 0 for none.
rac_lua *rac_lua_open(void *owner, size_t limit, rac_lua_dispatch dispatch,
                      rac_lua_release release);
// Runs finalizers and frees everything. No Lua code of the interpreter may be on the stack.
void rac_lua_shut(rac_lua *host);
// Stops all notifications to the owner.
void rac_lua_disown(rac_lua *host);

lua_State *rac_lua_main(rac_lua *host);
// Returns the lua_State that is running, or the main one.
lua_State *rac_lua_current(rac_lua *host);
rac_lua *rac_lua_of(lua_State *L);
void *rac_lua_owner(lua_State *L);
// Returns a number that differs for every interpreter of the process.
uint64_t rac_lua_generation(rac_lua *host);
// Pushes the table of the package library that `require` uses, even if the global was changed.
// [-0, +1] needs 1
void rac_lua_push_package(lua_State *L);
// Returns the number of host calls into Lua on the stack.
int rac_lua_depth(rac_lua *host);
size_t rac_lua_memory(rac_lua *host);
size_t rac_lua_memory_limit(rac_lua *host);
void rac_lua_set_memory_limit(rac_lua *host, size_t limit);
// Stops the running code, within a tick or two, once the process has grown from now on by one and a
// half times this many bytes; 0 for no limit. Several interpreters share the sum of their limits.
void rac_lua_set_process_limit(rac_lua *host, size_t limit);
// Returns true if that has happened.
bool rac_lua_is_crowded(rac_lua *host);
// Runs a full collection. Lua itself protects the finalizers. [-0, +0]
void rac_lua_collect(rac_lua *host);

// --- The native stack (stack.c) -----------------------------------------------------------------

// Returns the lowest address of the calling thread's stack; 0 if unknown.
uintptr_t rac_lua_stack_end(void);
// Returns the address of the caller's frame. The address of a local does not work: under the
// address sanitizer locals may be elsewhere.
static inline uintptr_t rac_lua_stack_here(void) {
  return (uintptr_t)__builtin_frame_address(0);
}

// --- References (references.c) ---------------------------------------------------------------

// Pops a value and keeps it. Memory only. [-1, +0] needs 1
int32_t rac_lua_ref(lua_State *L);
// Releases a reference. Cannot fail. [-0, +0] needs 1
void rac_lua_unref(rac_lua *host, int32_t reference);
// [-0, +1] needs 2
int rac_lua_push_ref(lua_State *L, int32_t reference);
// Returns the number of references held.
int32_t rac_lua_ref_count(rac_lua *host);

// --- Protected calls (calls.c) ---------------------------------------------------------------

// The cause of a stop that the code cannot catch.
typedef enum {
  RAC_LUA_NOT_INTERRUPTED = 0,
  RAC_LUA_INTERRUPTED = 1,  // by rac_lua_interrupt; in force until it is cleared
  RAC_LUA_DEADLINE = 2,     // it ran past its deadline; in force until the outermost call has ended
  RAC_LUA_TIME_LIMIT = 3,   // it ran for too long without a pause; likewise
  RAC_LUA_CROWDED = 4,      // the process holds too much memory; likewise
  RAC_LUA_ENDED = 5,        // it ran when all had to be over; a plain interrupt for later code
} rac_lua_interruption;

typedef enum {
  RAC_LUA_ORIGIN_SCRIPT = 0,       // error(), assert()
  RAC_LUA_ORIGIN_INTERPRETER = 1,  // Lua itself or a C library
  RAC_LUA_ORIGIN_HOST = 2,         // a host function
} rac_lua_origin;

// The record of the latest failure, besides its value. Strings belong to the interpreter and live
// until its next failure.
typedef struct {
  int origin;
  int interrupt;          // a rac_lua_interruption
  const char *traceback;  // or NULL
  const char *source;     // of the innermost script frame, or ""
  int line;               // 0 if unknown
} rac_lua_failure;

// Pushes the message handler that rac_lua_pcall needs beneath the function. [-0, +1] needs 1
void rac_lua_begin_call(lua_State *L);
// Calls; the stack is `handler, function, arguments…`. Returns a Lua status. Leaves the handler and
// the results or the one error value above it. [-(1 + arguments), +results or +1]
int rac_lua_pcall(lua_State *L, int arguments, int results);
// Returns the failure of the latest rac_lua_pcall, rac_lua_resume, … of this interpreter.
rac_lua_failure rac_lua_last_failure(rac_lua *host);
// Keeps the frames of the latest failures from now on, with the variables in them. Outside of calls.
void rac_lua_keep_frames(rac_lua *host);
// Pushes the table of a kept failure by its age, 0 for the latest: its traceback, and its frames from
// the innermost one. A frame has source, line, name, kind, function, environment, count, and the lists names and
// values, in which the first `locals` are local variables and the others upvalues. False if there is
// none. Memory only. [-0, +1 or +0] needs 2
bool rac_lua_push_kept_failure(lua_State *L, int age);

// Lua's message when calls or syntax nest deeper than it allows, and its replacement for scripts.
#define RAC_LUA_OVERFLOW "C stack overflow"
#define RAC_LUA_TOO_DEEP \
  "nested too deep: Lua allows about 200 calls through C or the library, or levels of syntax, inside each other (C stack overflow)"

// Compiles. Pushes the function or the error message; returns a Lua status. [-0, +1] needs 1
int rac_lua_load(lua_State *L, const char *bytes, size_t length, const char *name,
                 const char *mode);

// --- Places (places.c) -----------------------------------------------------------------------

enum { RAC_LUA_PLACE_SIZE = LUA_IDSIZE + 16 };

// Writes `file:line` of the line of a script's own chunk, outside its functions, that runs; false if none
// does. [-0, +0]
bool rac_lua_place_in_chunk(lua_State *L, char place[RAC_LUA_PLACE_SIZE]);

// Writes the `file:line` of the innermost running line of a script; false if there is none. The
// host's own Lua code, a chunk named `=[rac]`, is not a script. [-0, +0]
bool rac_lua_place_of_call(lua_State *L, char place[RAC_LUA_PLACE_SIZE]);
// Writes the `file:line` where the function at an index is defined; false if it is not a Lua
// function. [-0, +0] needs 1
bool rac_lua_place_of_function(lua_State *L, int index, char place[RAC_LUA_PLACE_SIZE]);

// A frame of a script.
typedef struct {
  // The name of its chunk at loading, which lives as long as the frame.
  const char *source;
  // True if it is the chunk itself rather than a function in it.
  bool is_chunk;
} rac_lua_script_frame;

// Reads a frame, where 0 is the innermost; false beyond the outermost. [-0, +0]
bool rac_lua_script_frame_at(lua_State *L, int level, rac_lua_script_frame *frame);

// Returns true if a function that runs was called by `pcall` or `xpcall` of this coroutine, which catches an
// error that is raised now. [-0, +0] needs 1
bool rac_lua_is_protected(lua_State *L);

// Information about a Lua function.
typedef struct {
  // The name of its chunk at loading, which lives as long as the function.
  const char *source;
  int first_line, last_line;
  int parameters;
  bool is_variadic;
  // It uses local variables of the function around it.
  bool is_closure;
} rac_lua_function_facts;
// Describes the function at an index; false if it is not a Lua function. [-0, +0] needs 1
bool rac_lua_facts_of_function(lua_State *L, int index, rac_lua_function_facts *facts);
// Returns the name of a parameter, counted from 1, of the function at an index; null if it has
// none. The name lives as long as the function. [-0, +0] needs 1
const char *rac_lua_parameter_of_function(lua_State *L, int index, int number);

// --- Operations that may run metamethods, protected (operations.c) ----------------------------
// Each returns a Lua status and on failure pushes the error value in place of the result.
// All need 5 free slots.

// tostring(value), with metamethods. [-0, +1]
int rac_lua_tostring(lua_State *L, int index);
// value[key], key from the top. [-1, +1]
int rac_lua_get(lua_State *L, int index);
// table[key] = value, both from the top. [-2, +0 or +1 error]
int rac_lua_set(lua_State *L, int index);
// Raw assignment, which raises for a nil or NaN key. [-2, +0 or +1 error]
int rac_lua_rawset(lua_State *L, int index);
// table[key] = value, raw, for a key that is a string. Memory only. [-2, +0]
void rac_lua_rawset_string(lua_State *L, int index);
// LUA_REGISTRYINDEX, which is a macro that Swift cannot read.
int rac_lua_registry_index(void);
// a == b. [-0, +0 or +1 error]
int rac_lua_equal(lua_State *L, int first, int second, bool *equal);
// #value as an integer. [-0, +0 or +1 error]
int rac_lua_length(lua_State *L, int index, lua_Integer *length);
// next: pops a key, pushes the following key and value, or nothing at the end (`more` false).
// [-1, +2 or +0, or +1 error]
int rac_lua_next(lua_State *L, int index, bool *more);
// next of a table that has not changed since the first call, so that it cannot raise; 0 at the end.
// [-1, +2 or +0]
int rac_lua_next_unchanged(lua_State *L, int index);

// --- Host functions (trampoline.c) -----------------------------------------------------------

enum {
  RAC_LUA_RESULTS = 0,     // the topmost n values are the results
  RAC_LUA_RAISE = 1,       // the top value is raised; rac_lua_carry recorded its origin
  RAC_LUA_YIELD = 2,       // the topmost n values are yielded
  RAC_LUA_TAIL_CALL = 3,   // calls the function beneath the topmost n values; returns its results
  RAC_LUA_BAD_ARGUMENT = 4,  // argument n is bad; the top value gives the reason
  RAC_LUA_BAD_TYPE = 5,    // argument n has a wrong type; the top value names the right one
  RAC_LUA_RAISE_OWN = 6,   // the top value is raised as the host's own
};
// A code is `kind << 32 | n`.

// Pushes a Lua function that runs `dispatch(L, object)`. Takes ownership of one retain.
// Memory only. [-0, +1] needs 3
void rac_lua_push_function(lua_State *L, void *object);
// Pushes the same function with the name on top, which errors about its arguments use if its caller
// has no name for it. Memory only. [-1, +1] needs 3
void rac_lua_push_named_function(lua_State *L, void *object);
// Sets a function for each of the names, which spaces or line breaks separate, in the table on top.
// The functions have numbers from `first` on, with which the host makes their objects when they are
// first called. Memory only. [-0, +0] needs 4
void rac_lua_set_late_functions(lua_State *L, const char *names, int64_t first);
// Sets the function of the host that makes the objects of late functions.
void rac_lua_on_late_call(rac_lua *host, rac_lua_make make);
// Pushes the same function for a method that sends its argument: it takes the short way of its object
// (rac_lua_set_direct) if that is open. Memory only. [-1, +1] needs 3
void rac_lua_push_sending_function(lua_State *L, void *object);
// Records the origin of the value that is about to be raised (RAC_LUA_RAISE); the traceback is
// copied and may be NULL.
void rac_lua_carry(lua_State *L, int origin, const char *traceback);

// --- Results (results.c) ------------------------------------------------------------------------

// Returns false if the caller of the running host function drops its results.
bool rac_lua_wants_results(lua_State *L);

// --- Userdata (userdata.c) -------------------------------------------------------------------

// Identity of a kind of userdata, for all interpreters. Never freed.
typedef struct rac_lua_type {
  const struct rac_lua_type *parent;
  int number;     // from 0
  bool is_apart;  // its objects are none of its parent's
} rac_lua_type;

rac_lua_type *rac_lua_new_type(const rac_lua_type *parent, bool is_apart);

// Pushes a userdata. Takes ownership of one retain of the object. False, with no effect, if the
// type has no metatable yet. Memory only. [-0, +1 or +0] needs 3
bool rac_lua_push_object(lua_State *L, const rac_lua_type *type, void *object, int user_values);
// Does the same with one user value: the userdata with an anchor, or nil if it was collected.
// [-0, +1 or +0] needs 4
bool rac_lua_push_object_with(
  lua_State *L, const rac_lua_type *type, void *object, int64_t anchor);
// Returns the object; NULL if the value is not a userdata with an object of the type. [-0, +0]
void *rac_lua_object(lua_State *L, int index, const rac_lua_type *type);
// Returns true if the value is a userdata of the type or one of its subtypes that was not released.
// [-0, +0]
bool rac_lua_is(lua_State *L, int index, const rac_lua_type *type);
// Pops a value and pushes a userdata of the type that holds it, as its user value 1, in place of an
// object; it has no finalizer, because it contains nothing of the host's. False, with no effect, if
// the type has no metatable yet. Memory only. [-1, +1 or -0, +0] needs 6
bool rac_lua_hold(lua_State *L, const rac_lua_type *type);
// Pushes a function that does the same with its argument. Pops a function that is called if the
// type has no metatable yet, and has to install one. Memory only. [-1, +1] needs 2
void rac_lua_push_holding(lua_State *L, const rac_lua_type *type);
// Pushes a function that returns true and the value that such a userdata of the type holds, or false
// for anything else. Memory only. [-0, +1] needs 2
void rac_lua_push_taking(lua_State *L, const rac_lua_type *type);
// Pushes the value that such a userdata of the type or one of its subtypes holds. False, with nothing
// pushed, for anything else. [-0, +1 or +0] needs 1
bool rac_lua_push_held(lua_State *L, int index, const rac_lua_type *type);
// Stores the top value as the metatable of a type. Memory only. [-1, +0] needs 1
void rac_lua_register_type(lua_State *L, const rac_lua_type *type);
// Pushes the metatable of a type, or nil. [-0, +1] needs 1
bool rac_lua_push_metatable(lua_State *L, const rac_lua_type *type);
// Pops tables of setters, getters and methods (top to bottom) and gives the metatable beneath them
// the fields __index, __newindex and __gc. Memory only. [-3, +0] needs 4
void rac_lua_finish_metatable(lua_State *L);

// Returns an id with which host closures refer to a userdata without keeping it. 0 if the value is
// not a host userdata. Memory only. [-0, +0] needs 2
int64_t rac_lua_anchor(lua_State *L, int index);
// Pushes the userdata, or nil if it was collected. [-0, +1] needs 2
bool rac_lua_push_anchored(lua_State *L, int64_t anchor);
// Pushes a user value of the userdata, or nil. Returns its Lua type, -1 if the userdata was
// collected. [-0, +1] needs 3
int rac_lua_push_user_value(lua_State *L, int64_t anchor, int slot);
// Keeps the userdata while the count of roots is above 0. Memory only. needs 4
bool rac_lua_root(lua_State *L, int64_t anchor);
void rac_lua_unroot(lua_State *L, int64_t anchor);

// --- Coroutines (coroutines.c) ---------------------------------------------------------------

typedef enum {
  RAC_LUA_CAN_WAIT = 0,
  RAC_LUA_NO_COROUTINE = 1,  // not inside a coroutine that the host drives
  RAC_LUA_IN_CALLBACK = 2,   // a plain call is between the coroutine and here
} rac_lua_waiting;

// Pops a function, pushes a new thread that will run it. Memory only. [-1, +1] needs 2
lua_State *rac_lua_new_coroutine(lua_State *L);
// Resumes with the arguments on top of `coroutine`. With `raise` the one argument is raised at the
// coroutine's point of suspension. Returns a Lua status; the results or the error value are on top
// of `coroutine`.
int rac_lua_resume(lua_State *from, lua_State *coroutine, int arguments, bool raise, int *results);
// Returns true if the latest yield was a host function's (RAC_LUA_YIELD).
bool rac_lua_yielded_by_host(rac_lua *host);
// Runs the coroutine's pending to-be-closed variables. Returns LUA_OK, or a status with the error
// value on top of `coroutine`.
int rac_lua_reset(lua_State *from, lua_State *coroutine);
// Resets every suspended coroutine that the host references.
void rac_lua_reset_all(rac_lua *host);
rac_lua_waiting rac_lua_can_wait(lua_State *L);

// --- Guards (guards.c) -------------------------------------------------------------------------

// The capabilities of a function beyond computing, as a set of bits.
enum {
  RAC_LUA_TIME = 1 << 0,           // reads the clock, or waits
  RAC_LUA_INPUT = 1 << 1,          // reads standard input
  RAC_LUA_OUTPUT = 1 << 2,         // writes to standard output or standard error
  RAC_LUA_FILES = 1 << 3,          // inspects files
  RAC_LUA_FILE_CHANGES = 1 << 4,   // makes, writes, renames or removes files
  RAC_LUA_PROCESSES = 1 << 5,      // starts processes
  RAC_LUA_ENVIRONMENT = 1 << 6,    // reads or sets process-wide state: variables, locale
  RAC_LUA_INTROSPECTION = 1 << 7,  // inspects the frames of running functions
  RAC_LUA_FINALIZERS = 1 << 8,     // makes the collector run code
  RAC_LUA_EXIT = 1 << 9,           // ends the program
  RAC_LUA_UNSAFE_CODE = 1 << 10,   // C modules, compiled chunks, the interpreter's internals
};

// The capabilities that a function's arguments add to those it needs.
typedef enum {
  RAC_LUA_GUARD_ALL,            // nothing
  RAC_LUA_GUARD_OPEN,           // io.open: the mode may write
  RAC_LUA_GUARD_OUTPUT,         // io.output: a name is a file to write
  RAC_LUA_GUARD_LOAD_FILE,      // loadfile: compiled chunks
  RAC_LUA_GUARD_DO_FILE,        // dofile: likewise
  RAC_LUA_GUARD_SET_METATABLE,  // setmetatable: finalizers
  RAC_LUA_GUARD_GET_INFO,       // debug.getinfo: functions of C
} rac_lua_guard;

// Writes the explanation for refusing a function that needs the missing capabilities, with a
// terminating zero. Must not use the interpreter.
typedef void (*rac_lua_explain)(void *owner, uint32_t missing, const char *name, char *text,
                                size_t size);

// Restricts guards to the granted capabilities from now on.
void rac_lua_confine(rac_lua *host, uint32_t granted, rac_lua_explain explain);
// Returns true if all needed capabilities are granted.
bool rac_lua_allows(rac_lua *host, uint32_t needs);
// Pops a function, pushes one that does the same if it is allowed, and otherwise raises.
// Memory only. [-1, +1] needs 5
void rac_lua_push_guard(lua_State *L, const char *name, uint32_t needs, rac_lua_guard kind);
// Makes `getmetatable("")` return a name. Memory only. [-0, +0] needs 4
void rac_lua_hide_string_metatable(lua_State *L);

// --- print (print.c) -------------------------------------------------------------------------

// How a text ended.
enum rac_lua_line {
  RAC_LUA_LINE_UNCHANGED,  // There was none.
  RAC_LUA_LINE_OPEN,
  RAC_LUA_LINE_ENDED,
};

// How the latest text that a script sent to the process's standard error ended, since the last call.
enum rac_lua_line rac_lua_take_error_line(void);

// How what waits in the buffer of standard output ends, where the C library tells it.
enum rac_lua_line rac_lua_pending_output_line(void);
// Redirects what scripts print and write to Lua's standard output and standard error to the sink;
// on request, output is passed on a line or a full buffer at a time. Returns 0 or an errno.
// Memory only. [-0, +0]
int rac_lua_redirect_output(rac_lua *host, bool by_line, rac_lua_sink sink);
// Passes on an unfinished line.
void rac_lua_flush_output(rac_lua *host);

// --- Programs behind pipes (programs.c) ------------------------------------------------------

typedef struct {
  // Supervises the program while a script waits for it; false to end the wait. Must not run Lua
  // code.
  bool (*attend)(void *object);
  // Waits for the program's end, after its pipe was closed, and releases the retain. Returns a
  // status as waitpid reports it. Must not run Lua code.
  int (*finish)(void *object);
} rac_lua_program;

// Pushes a file of Lua's io library for our end of a pipe, which must not block. Takes ownership of
// the descriptor and of one retain of the object, unless it returns an errno. Memory only.
// [-0, +1 or +0] needs 2
int rac_lua_push_program(lua_State *L, int descriptor, bool writes, rac_lua_program calls,
                         void *object);

// --- Interrupts (interrupts.c) ---------------------------------------------------------------

// Interrupts the running code; does nothing unless Lua runs or `pending`. Async-signal-safe, on the
// interpreter's thread.
void rac_lua_interrupt(rac_lua *host, bool pending);
void rac_lua_clear_interrupt(rac_lua *host);
// Stops the running code as its time limit does; false if none runs. On the interpreter's thread.
bool rac_lua_exceed_time_limit(rac_lua *host);
bool rac_lua_is_interrupted(rac_lua *host);
// Makes a signal interrupt all interpreters that are running Lua on the calling thread, and do what
// its current handler does. Call it again after another handler was installed. Returns 0 or an errno.
int rac_lua_interrupt_on_signal(int signal);
// Makes such a signal also stop the next call if it arrives while this interpreter runs nothing.
void rac_lua_await_interrupt(rac_lua *host, int signal);
// Does the same, and the signal begins the end on arrival, even if other code runs; see
// rac_lua_end_within.
void rac_lua_end_by(rac_lua *host, int signal, uint64_t clean_up_time);
// Undoes both, for one signal or all.
void rac_lua_ignore_interrupt(rac_lua *host, int signal);
void rac_lua_ignore_interrupts(rac_lua *host);

// --- Pipelines (pipeline.c) ----------------------------------------------------------------------

// The operation of a stage on its function and the value.
enum {
  RAC_LUA_STAGE_MAP,     // passes on the result
  RAC_LUA_STAGE_FILTER,  // passes on the value if the result is true
  RAC_LUA_STAGE_SCAN,    // called with running value, value and index; passes on the result
  RAC_LUA_STAGE_EACH,    // passes on the value
  RAC_LUA_STAGE_SINK,    // passes on nothing: the last stage
  // Passes on the value that the result holds. With another result, and from the first of those on
  // with all, calls a function with the result and its own function, and passes on nothing.
  RAC_LUA_STAGE_FLAT_MAP
};

// Combines the functions on top, each scan's followed by its seed, and a flat_map's by the function
// of rac_lua_push_taking and the one for results that hold no value, into one function of a value
// that returns the output of the last stage, or nothing; or of the first and last integer of a loop
// and its step. At most 62 stages, of which one is a flat_map: with that, pushes on top of it a
// function of a value that enters behind that stage. Returns a Lua status; on an error, leaves what
// rac_lua_begin_call pushes beneath it. [-functions and others, +1 or +2] needs 4
int rac_lua_push_pipeline(lua_State *L, const uint8_t *kinds, int count);
// Makes a referenced pipeline call no stages any more, even in a run that is in progress.
void rac_lua_stop_pipeline(rac_lua *host, int reference);

// --- Lines (lines.c) -----------------------------------------------------------------------------

// Lines of a text on their way through a pipeline. The caller frees `results`.
typedef struct rac_lua_lines {
  const char *next, *end;  // what is left of the text
  int32_t pipeline;        // a reference
  // The lines that have come out and wait, each with its newline.
  char *results;
  size_t size, capacity;
  int64_t count;
  // Takes them, so that none wait. It may run Lua code, and end the subscription.
  void (*hand_over)(struct rac_lua_lines *lines);
  void *owner;
  bool stopped;  // the pipeline has been stopped
  struct rac_lua_lines *outer;
} rac_lua_lines;

// Calls the pipeline, protected, with the lines that are left, until a result is no line, which it
// leaves on the stack, or until those that wait are to be taken. On top is what rac_lua_begin_feed
// pushes. Returns a Lua status. [-0, +0 or +1 result or error]
int rac_lua_run_lines(lua_State *L, rac_lua_lines *lines);

// --- Rows (rows.c) -------------------------------------------------------------------------------

// Functions that receive the same values one after the other.
typedef struct {
  int32_t *functions;  // references; 0 for an empty place
  int32_t count, capacity;
  // A reference to the list, see rows.c, or 0; the number of places that it has; and how many it can
  // have.
  int32_t list, listed, most_listed;
} rac_lua_row;

// Adds a referenced function, which the owner of the row keeps.
void rac_lua_append_to_row(rac_lua_row *row, int32_t function);
// Empties a place. `host` is NULL once the interpreter has closed. [-0, +0]
void rac_lua_remove_from_row(rac_lua *host, rac_lua_row *row, int32_t place);
// Closes empty places. `host` likewise. [-0, +0] needs 1
void rac_lua_compact_row(rac_lua *host, rac_lua_row *row);

// --- Feeding (feed.c) ----------------------------------------------------------------------------

// Pushes what calls of referenced functions need onto the current stack. Then push the value that
// they receive. NULL if Lua's stack is full. [-0, +1]
lua_State *rac_lua_begin_feed(rac_lua *host);
// Calls the functions of a row from `*next` on without results, each as if it was protected. Stops
// after one that fails, with the error above the value; `*next` is the one after it. Returns a Lua
// status. Places may be emptied meanwhile, but none added. [-0, +0 or +1 error]
int rac_lua_feed(lua_State *L, rac_lua_row *row, int32_t *next);
// The same for one function: pushes what the call needs, after which the value follows. NULL if Lua's
// stack is full. [-0, +2]
lua_State *rac_lua_begin_feed_one(rac_lua *host, int32_t function);
// Calls it. Returns a Lua status. [-3, +0; on error -2, +1 error]
int rac_lua_feed_one(lua_State *L);
// Calls a referenced pipeline, protected, with integers, up to the first for which it fails; the
// stack is as for rac_lua_feed, but without the value. Returns a Lua status. [-0, +0 or +1 error]
int rac_lua_feed_range(
  lua_State *L, int32_t pipeline, int64_t first, int64_t last, int64_t step);
// Drops what rac_lua_begin_feed pushed, and the value. [-2, +0]
void rac_lua_end_feed(lua_State *L);

// The answer of a row to a value that is about to be sent on the short way.
typedef enum {
  RAC_LUA_BUSY,    // something is being sent to it
  RAC_LUA_SHARED,  // nothing is, until `end`; but there are other receivers
  RAC_LUA_SOLE     // likewise, and it is the only receiver
} rac_lua_turn;

// A short way from a method to a row, for values that need nothing of the host on it. Of the functions
// of the host, `begin` and `end` must not run Lua code.
typedef struct {
  rac_lua_row *row;  // NULL while there is no such way
  void *object;      // for these functions; it must live until the last of them returns
  rac_lua_turn (*begin)(void *object);
  // Receives the error of a function, from the top of the stack, which it pops.
  void (*fail)(void *object, lua_State *L, int32_t place, int status);
  // Ends what `begin` began, and returns true; unless something has waited for that, which `catch_up`
  // then does first.
  bool (*end)(void *object);
  void (*catch_up)(void *object);
} rac_lua_direct;

// Gives the userdata at an index such a way, which must live as long as its object. [-0, +0]
void rac_lua_set_direct(lua_State *L, int index, const rac_lua_direct *direct);

// --- Time (watch.c) --------------------------------------------------------------------------

// Returns true if the system has provided the timer, without which no deadline or limit works.
bool rac_lua_has_timer(rac_lua *host);
// Returns the nanoseconds of the clock used for deadlines.
uint64_t rac_lua_now(void);
// Stops code that still runs at a given time on that clock, at the next tick; 0 for never.
void rac_lua_set_deadline(rac_lua *host, uint64_t moment);
// Stops code that runs for longer than this many nanoseconds without returning to the host; 0 for
// no limit.
void rac_lua_set_time_limit(rac_lua *host, uint64_t nanoseconds);
// Begins the end of all code: code that still runs after this many nanoseconds is stopped, and from
// then on only to-be-closed variables and finalisers run, each for a short time. This cannot be
// undone, and of several calls the strictest applies. Async-signal-safe, on the interpreter's
// thread.
void rac_lua_end_within(rac_lua *host, uint64_t nanoseconds);
// Sets the function that the tick calls, in a signal handler, if code does not stop although the
// time limit has stopped it, because it is inside a long C operation. NULL to wait for it.
void rac_lua_on_stuck(void (*give_up)(void));

// --- The library itself (library.c) -----------------------------------------------------------

// The text with which the library names its release, "$LuaVersion: Lua 5.4.6 ... $"; NULL if it
// has none.
const char *rac_lua_ident(void);
// The file that the library was loaded from; NULL if that is unknown.
const char *rac_lua_library_path(void);
// Pushes a table of the functions of Lua's library that the host's own Lua code uses, before a script
// can replace them. Memory only. [-0, +1] needs 5
void rac_lua_push_parts(lua_State *L);

#endif
