// The output of scripts. Everything that goes to Lua's standard output can go to the host instead.

#define _GNU_SOURCE  // fopencookie

#include "host.h"

#include <CSignals.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int print(lua_State *L) {
  rac_lua_deliver_lines(L);
  FILE *output = rac_lua_host(L)->output;
  FILE *file = output ? output : stdout;
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = luaL_tolstring(L, i, &length);
    if (i > 1) fputc('\t', file);
    fwrite(text, 1, length, file);
    lua_pop(L, 1);
  }
  fputc('\n', file);
  fflush(file);
  return 0;
}

// --- What scripts leave of a line ---

// How the latest text of a script at standard error ended, since somebody asked.
static enum rac_lua_line error_line = RAC_LUA_LINE_UNCHANGED;

enum rac_lua_line rac_lua_take_error_line(void) {
  enum rac_lua_line line = error_line;
  error_line = RAC_LUA_LINE_UNCHANGED;
  return line;
}

enum rac_lua_line rac_lua_pending_output_line(void) {
#ifdef __GLIBC__
  if (stdout->_IO_write_ptr <= stdout->_IO_write_base) return RAC_LUA_LINE_UNCHANGED;
  return stdout->_IO_write_ptr[-1] == '\n' ? RAC_LUA_LINE_ENDED : RAC_LUA_LINE_OPEN;
#else
  return RAC_LUA_LINE_UNCHANGED;
#endif
}

// --- Output for the host ---

static void hand_over(rac_lua *host, int descriptor, const char *bytes, size_t length) {
  if (!host->owner) return;
  bool enforced = rac_lua_enforce(host, false);
  host->sink(host->owner, descriptor, bytes, length);
  rac_lua_enforce(host, enforced);
}

#ifdef __APPLE__
static int hand_output(void *host, const char *bytes, int length) {
  hand_over(host, 1, bytes, (size_t)length);
  return length;
}

static int hand_errors(void *host, const char *bytes, int length) {
  hand_over(host, 2, bytes, (size_t)length);
  return length;
}

static FILE *open_file(rac_lua *host, int (*write)(void *, const char *, int)) {
  return funopen(host, NULL, write, NULL, NULL);
}
#else
static ssize_t hand_output(void *host, const char *bytes, size_t length) {
  hand_over(host, 1, bytes, length);
  return (ssize_t)length;
}

static ssize_t hand_errors(void *host, const char *bytes, size_t length) {
  hand_over(host, 2, bytes, length);
  return (ssize_t)length;
}

static FILE *open_file(rac_lua *host, cookie_write_function_t *write) {
  return fopencookie(host, "w", (cookie_io_functions_t){.write = write});
}
#endif

#ifdef __APPLE__
static int pass_on_errors(void *cookie, const char *bytes, int length) {
#else
static ssize_t pass_on_errors(void *cookie, const char *bytes, size_t length) {
#endif
  (void)cookie;
  fflush(stderr);
  size_t count = csignals_write(STDERR_FILENO, bytes, (size_t)length);
  if (count > 0) error_line = bytes[count - 1] == '\n' ? RAC_LUA_LINE_ENDED : RAC_LUA_LINE_OPEN;
  return count;
}

// Lua's library writes through the files of two userdata, which scripts cannot replace.
static void replace_file(lua_State *L, int reference, FILE *file) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  luaL_Stream *stream = lua_touserdata(L, -1);
  if (stream) stream->f = file;
  lua_pop(L, 1);
}

// Standard error for scripts, one for all states; NULL if there is no memory for it.
static FILE *errors_of_scripts;

static void open_errors_of_scripts(void) {
#ifdef __APPLE__
  errors_of_scripts = funopen(NULL, NULL, pass_on_errors, NULL, NULL);
#else
  errors_of_scripts = fopencookie(NULL, "w", (cookie_io_functions_t){.write = pass_on_errors});
#endif
  if (errors_of_scripts) setvbuf(errors_of_scripts, NULL, _IONBF, 0);
}

void rac_lua_open_print(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  lua_pushcfunction(L, print);
  lua_setglobal(L, "print");
  lua_getglobal(L, LUA_IOLIBNAME);
  lua_getfield(L, -1, "stderr");
  lua_getfield(L, -2, "stdout");
  host->output_file = luaL_ref(L, LUA_REGISTRYINDEX);
  host->error_file = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pop(L, 1);
  static pthread_once_t opened = PTHREAD_ONCE_INIT;
  pthread_once(&opened, open_errors_of_scripts);
  if (errors_of_scripts) replace_file(L, host->error_file, errors_of_scripts);
}

int rac_lua_redirect_output(rac_lua *host, bool by_line, rac_lua_sink sink) {
  host->sink = sink;
  if (host->output) return 0;
  FILE *output = open_file(host, hand_output);
  FILE *errors = output ? open_file(host, hand_errors) : NULL;
  if (!errors) {
    int code = errno;
    if (output) fclose(output);
    return code;
  }
  setvbuf(output, NULL, by_line ? _IOLBF : _IONBF, BUFSIZ);
  setvbuf(errors, NULL, _IONBF, 0);
  host->output = output;
  host->errors = errors;
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 2)) return 0;
  replace_file(L, host->output_file, output);
  replace_file(L, host->error_file, errors);
  return 0;
}

void rac_lua_flush_output(rac_lua *host) {
  if (host->output) fflush(host->output);
}

void rac_lua_close_output(rac_lua *host) {
  if (!host->output) return;
  fclose(host->output);
  fclose(host->errors);
  host->output = host->errors = NULL;
}
