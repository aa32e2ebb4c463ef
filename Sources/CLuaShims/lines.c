// Sends the lines of a text through a pipeline and collects the lines that come out, inside one
// protected call.
//
// Nobody sees that results wait: they are handed over before a function of the script calls the host
// or writes something, when the function takes long, and before an error. Each line has the limits of
// a call of its own.

#define _GNU_SOURCE  // CLOCK_MONOTONIC_COARSE

#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef CLOCK_MONOTONIC_COARSE
enum { CLOCK = CLOCK_MONOTONIC_COARSE };
#else
enum { CLOCK = CLOCK_MONOTONIC };
#endif

// Results of more bytes, or older ones, do not wait for others.
enum { MOST_BYTES = 1 << 16, MOST_MILLISECONDS = 20 };

static int64_t milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Adds a line to the results; false if it is none, or if there is no memory.
static bool append(rac_lua_lines *lines, const char *text, size_t length) {
  if (memchr(text, '\n', length)) return false;
  size_t needed = lines->size + length + 1;
  if (needed > lines->capacity) {
    size_t capacity = needed > MOST_BYTES / 2 ? needed + needed / 2 : MOST_BYTES;
    char *results = realloc(lines->results, capacity);
    if (!results) return false;
    lines->results = results;
    lines->capacity = capacity;
  }
  memcpy(lines->results + lines->size, text, length);
  lines->results[needed - 1] = '\n';
  lines->size = needed;
  lines->count++;
  return true;
}

// [lines, pipeline] to the result that is no line, if there is one.
static int run(lua_State *L) {
  enum { LINES = 1, PIPELINE };
  rac_lua *host = rac_lua_host(L);
  rac_lua_lines *lines = lua_touserdata(L, LINES);
  int64_t latest = milliseconds() + MOST_MILLISECONDS;
  while (rac_lua_has_lines(lines) && lines->size < MOST_BYTES) {
    rac_lua_enter_next(host);
    if (host->interrupted) return 0;
    const char *line = lines->next;
    const char *newline = memchr(line, '\n', (size_t)(lines->end - line));
    const char *end = newline ? newline : lines->end;
    lines->next = newline ? newline + 1 : end;
    lua_pushvalue(L, PIPELINE);
    lua_pushlstring(L, line, (size_t)(end - line));
    lua_call(L, 1, LUA_MULTRET);
    // What a function returns that has ended the subscription reaches nobody.
    if (lines->stopped || rac_lua_exceeds_limit(host)) return 0;
    if (lua_gettop(L) > PIPELINE) {
      size_t length;
      const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
      if (!text || !append(lines, text, length)) return 1;
      lua_settop(L, PIPELINE);
    }
    if (lines->count > 0 && milliseconds() > latest) return 0;
  }
  return 0;
}

int rac_lua_run_lines(lua_State *L, rac_lua_lines *lines) {
  rac_lua *host = rac_lua_host(L);
  int status = LUA_OK, handler = lua_gettop(L);
  rac_lua_pay(host);
  rac_lua_frame frame;
  rac_lua_enter(&frame, host, L);
  lines->outer = host->lines;
  host->lines = lines;
  if (!host->interrupted) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, lines);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lines->pipeline);
    status = lua_pcall(L, 2, LUA_MULTRET, handler);
  }
  // Between two lines, or in one that has caught the error which was to stop it.
  bool is_over = lua_gettop(L) == handler && rac_lua_has_lines(lines);
  if (status == LUA_OK && host->interrupted && (is_over || rac_lua_exceeds_limit(host))) {
    lua_settop(L, handler);
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->interrupt_value);
    status = LUA_ERRRUN;
  }
  host->lines = lines->outer;
  rac_lua_leave(&frame, status);
  return status;
}

void rac_lua_hand_over_lines(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_lines *lines = host->lines;
  lua_State *running = host->running;
  bool enforced = rac_lua_enforce(host, false);
  host->running = L;
  lines->hand_over(lines);
  host->running = running;
  rac_lua_enforce(host, enforced);
}

// The functions of Lua's own library that write. They are called in the frames of those that take
// their places, so that messages name them.
static _Atomic(lua_CFunction) write_output, write_file;

static int deliver_and_write_output(lua_State *L) {
  rac_lua_deliver_lines(L);
  return write_output(L);
}

static int deliver_and_write_file(lua_State *L) {
  rac_lua_deliver_lines(L);
  return write_file(L);
}

// Replaces the function `write` of the table on top.
static void replace(lua_State *L, _Atomic(lua_CFunction) *original, lua_CFunction function) {
  lua_getfield(L, -1, "write");
  lua_CFunction found = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  if (!found) return;
  atomic_store(original, found);
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, "write");
}

void rac_lua_open_writes(lua_State *L) {
  lua_getglobal(L, LUA_IOLIBNAME);
  replace(L, &write_output, deliver_and_write_output);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  lua_getfield(L, -1, "__index");
  replace(L, &write_file, deliver_and_write_file);
  lua_pop(L, 3);
}
