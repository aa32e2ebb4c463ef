// Protected calls and the records of their failures.

#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

_Thread_local rac_lua_frame *volatile rac_lua_innermost;

void rac_lua_enter(rac_lua_frame *frame, rac_lua *host, lua_State *L) {
  frame->outer = rac_lua_innermost;
  frame->outer_of_host = host->frame;
  frame->host = host;
  frame->interrupted_state = host->running;
  frame->was_enforced = host->enforced;
  frame->interrupt = RAC_LUA_NOT_INTERRUPTED;
  frame->origin = RAC_LUA_ORIGIN_INTERPRETER;
  frame->traceback = NULL;
  frame->line = 0;
  frame->source[0] = 0;
  host->running = L;
  host->frame = frame;
  if (host->depth++ == 0) host->entries++;
  // A signal handler that sees the frame must see all of it.
  atomic_signal_fence(memory_order_release);
  rac_lua_innermost = frame;
  rac_lua_enforce(host, true);
}

// Copies the frame's record to host->failure, and frees the frame's copy.
static void fail(rac_lua_frame *frame) {
  rac_lua *host = frame->host;
  free(host->failure_traceback);
  host->failure_traceback = frame->traceback;
  memcpy(host->failure_source, frame->source, LUA_IDSIZE);
  host->failure.origin = frame->origin;
  host->failure.interrupt = frame->interrupt;
  host->failure.traceback = host->failure_traceback;
  host->failure.source = host->failure_source;
  host->failure.line = frame->line;
}

void rac_lua_leave(rac_lua_frame *frame, int status) {
  rac_lua *host = frame->host;
  rac_lua_enforce(host, frame->was_enforced);
  rac_lua_innermost = frame->outer;
  atomic_signal_fence(memory_order_release);
  host->running = frame->interrupted_state;
  host->frame = frame->outer_of_host;
  frame->interrupt = host->interrupted;
  if (--host->depth > 0) {
    // The code that continues here has not been stopped yet.
    rac_lua_keep_stopping(host);
  } else if (rac_lua_exceeds_limit(host)) {
    // A limit stops all of the code that was running; what runs next is other code.
    rac_lua_forget_interrupt(host);
  }
  if (status == LUA_OK || status == LUA_YIELD) {
    free(frame->traceback);
  } else {
    fail(frame);
  }
}

rac_lua_failure rac_lua_last_failure(rac_lua *host) { return host->failure; }

// Returns true if an activation of a function raises the error that host->carried_origin and
// host->carried_traceback describe.
static bool raises_carried(rac_lua *host, const lua_Debug *activation, lua_CFunction function) {
  return host->carries && host->carrier == activation->i_ci
    && (function == rac_lua_trampoline || function == rac_lua_send || function == rac_lua_wrapped
        || function == rac_lua_yield);
}

int rac_lua_origin_at(lua_State *L, int level) {
  rac_lua *host = rac_lua_host(L);
  lua_Debug frame;
  if (!lua_getstack(L, level, &frame)) return RAC_LUA_ORIGIN_INTERPRETER;
  lua_getinfo(L, "f", &frame);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  if (!function) return RAC_LUA_ORIGIN_INTERPRETER;
  if (function == host->error_function || function == host->assert_function) {
    return RAC_LUA_ORIGIN_SCRIPT;
  }
  if (raises_carried(host, &frame, function)) return host->carried_origin;
  return RAC_LUA_ORIGIN_INTERPRETER;
}

// Returns the length of a traceback line that is of no use to a script's author: frames without a
// name are the host's own calls into Lua, and lines marked [rac] or without a source, as those of
// pipelines are, are its own Lua code. 0 for any other line.
static size_t host_frame(const char *text) {
  static const char anonymous[] = "\n\t[C]: in ?", own[] = "\n\t[rac]:",
    generated[] = "\n\t?: in function <?:";
  size_t width = sizeof anonymous - 1;
  if (strncmp(text, anonymous, width) == 0 && (text[width] == '\n' || !text[width])) return width;
  if (strncmp(text, own, sizeof own - 1) != 0
      && strncmp(text, generated, sizeof generated - 1) != 0) return 0;
  return 1 + strcspn(text + 1, "\n");
}

static char *without_host_frames(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (!copy) return NULL;
  char *end = copy;
  while (*text) {
    size_t skipped = host_frame(text);
    if (skipped) {
      text += skipped;
    } else {
      *end++ = *text++;
    }
  }
  *end = 0;
  return copy;
}

static char *joined(char *first, char *second) {
  static const char header[] = "stack traceback:";
  if (!first || !second) return first ? first : second;
  const char *tail = strncmp(second, header, sizeof header - 1) == 0
    ? second + sizeof header - 1 : second;
  char *both = realloc(first, strlen(first) + strlen(tail) + 1);
  if (both) strcat(both, tail);
  free(second);
  return both ? both : first;
}

void rac_lua_describe(rac_lua_frame *frame, lua_State *from, lua_State *L, int level) {
  rac_lua *host = frame->host;
  frame->line = 0;
  frame->source[0] = 0;
  // A failed coroutine has no free slots.
  if (!lua_checkstack(L, 20)) return;
  frame->origin = rac_lua_origin_at(L, level);
  lua_Debug activation;
  for (int i = level; lua_getstack(L, i, &activation); i++) {
    lua_getinfo(L, "Sl", &activation);
    if (activation.currentline > 0) {
      frame->line = activation.currentline;
      memcpy(frame->source, activation.short_src, LUA_IDSIZE);
      break;
    }
  }
  luaL_traceback(from, L, NULL, level);
  free(frame->traceback);
  frame->traceback = without_host_frames(lua_tostring(from, -1));
  lua_pop(from, 1);
  bool goes_on = false;
  // A value that passes through a host function keeps its original traceback.
  lua_Debug raiser;
  if (host->carried_traceback && lua_getstack(L, level, &raiser)) {
    lua_getinfo(L, "f", &raiser);
    lua_CFunction function = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    if (raises_carried(host, &raiser, function)) {
      frame->traceback = joined(host->carried_traceback, frame->traceback);
      host->carried_traceback = NULL;
      goes_on = true;
    }
  }
  rac_lua_keep_failure(from, L, level, frame->traceback, goes_on);
}

// The message handler of every protected call: leaves the value unchanged.
int rac_lua_on_error(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  bool enforced = rac_lua_enforce(host, false);
  rac_lua_describe(host->frame, L, L, 1);
  rac_lua_enforce(host, enforced);
  lua_settop(L, 1);
  return 1;
}

void rac_lua_begin_call(lua_State *L) { lua_pushcfunction(L, rac_lua_on_error); }

static int fail_interrupted(rac_lua_frame *frame, lua_State *L, int base) {
  rac_lua *host = frame->host;
  lua_settop(L, base);
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
  rac_lua_leave(frame, LUA_ERRRUN);
  return LUA_ERRRUN;
}

int rac_lua_pcall(lua_State *L, int arguments, int results) {
  rac_lua *host = rac_lua_host(L);
  int handler = lua_gettop(L) - arguments - 1;
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  if (host->interrupted) return fail_interrupted(&frame, L, handler);
  int status = lua_pcall(L, arguments, results, handler);
  if (status == LUA_OK && rac_lua_exceeds_limit(host)) return fail_interrupted(&frame, L, handler);
  rac_lua_leave(&frame, status);
  return status;
}

int rac_lua_load(lua_State *L, const char *bytes, size_t length, const char *name,
                 const char *mode) {
  rac_lua_frame frame;
  rac_lua_enter(&frame, rac_lua_host(L), L);
  int status = luaL_loadbufferx(L, bytes, length, name, mode);
  rac_lua_leave(&frame, status);
  return status;
}
