// Files of Lua's io library that are the host's ends of pipes to programs, as io.popen makes them.

#define _GNU_SOURCE  // fopencookie

#include "host.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The stream comes first: Lua's library uses only that.
typedef struct {
  luaL_Stream stream;
  rac_lua_program calls;
  void *object;
  int descriptor;
} program;

// The longest time that a signal just before a wait may go unnoticed, in milliseconds.
enum { LOOK_AGAIN = 100 };

// Waits until the pipe can be used. False, with EINTR, if the host ends the wait.
static bool await_pipe(program *p, short events) {
  struct pollfd pipe = {.fd = p->descriptor, .events = events};
  for (;;) {
    if (!p->calls.attend(p->object)) {
      errno = EINTR;
      return false;
    }
    int found = poll(&pipe, 1, LOOK_AGAIN);
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

static ssize_t read_pipe(void *cookie, char *bytes, size_t length) {
  program *p = cookie;
  for (;;) {
    if (!await_pipe(p, POLLIN)) return -1;
    ssize_t count = read(p->descriptor, bytes, length);
    if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
  }
}

// The descriptor does not block, so a write that exceeds the room in the pipe returns.
static ssize_t write_pipe(void *cookie, const char *bytes, size_t length) {
  program *p = cookie;
  size_t done = 0;
  while (done < length) {
    if (!await_pipe(p, POLLOUT)) break;
    ssize_t count = write(p->descriptor, bytes + done, length - done);
    if (count >= 0) {
      done += (size_t)count;
    } else if (errno != EINTR && errno != EAGAIN) {
      break;
    }
  }
  return (ssize_t)done;
}

static int close_pipe(void *cookie) {
  program *p = cookie;
  int result = close(p->descriptor);
  p->descriptor = -1;
  return result;
}

#ifdef __APPLE__
static int read_some(void *cookie, char *bytes, int length) {
  return (int)read_pipe(cookie, bytes, (size_t)length);
}

static int write_some(void *cookie, const char *bytes, int length) {
  int count = (int)write_pipe(cookie, bytes, (size_t)length);
  return count < length ? -1 : count;
}

static fpos_t refuse_to_seek(void *cookie, fpos_t offset, int origin) {
  (void)cookie, (void)offset, (void)origin;
  errno = ESPIPE;
  return -1;
}

static FILE *open_pipe(program *p, bool writes) {
  return funopen(p, writes ? NULL : read_some, writes ? write_some : NULL, refuse_to_seek,
                 close_pipe);
}
#else
static int refuse_to_seek(void *cookie, off64_t *offset, int origin) {
  (void)cookie, (void)offset, (void)origin;
  errno = ESPIPE;
  return -1;
}

static FILE *open_pipe(program *p, bool writes) {
  return fopencookie(p, writes ? "w" : "r",
                     (cookie_io_functions_t){.read = read_pipe,
                                             .write = write_pipe,
                                             .seek = refuse_to_seek,
                                             .close = close_pipe});
}
#endif

// Called by `close`, by the collector, and when the interpreter ends.
static int close_program(lua_State *L) {
  program *p = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  fclose(p->stream.f);
  void *object = p->object;
  p->object = NULL;
  int status = p->calls.finish(object);
  errno = 0;
  return luaL_execresult(L, status);
}

int rac_lua_push_program(lua_State *L, int descriptor, bool writes, rac_lua_program calls,
                         void *object) {
  program *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (program){.calls = calls, .object = object, .descriptor = descriptor};
  luaL_setmetatable(L, LUA_FILEHANDLE);
  FILE *file = open_pipe(p, writes);
  if (!file) {
    int code = errno;
    lua_pop(L, 1);
    return code;
  }
  p->stream.f = file;
  p->stream.closef = close_program;
  return 0;
}
