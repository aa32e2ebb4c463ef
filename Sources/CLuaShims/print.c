// Lua's print, which tells why it could not write; Lua's own forgets that.

#include "host.h"

#include <errno.h>
#include <stdio.h>

static int failure;

static void put(const char *bytes, size_t length) {
  if (fwrite(bytes, 1, length, stdout) < length && !failure) failure = errno;
}

static int print(lua_State *L) {
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = luaL_tolstring(L, i, &length);
    if (i > 1) put("\t", 1);
    put(text, length);
    lua_pop(L, 1);
  }
  put("\n", 1);
  if (fflush(stdout) != 0 && !failure) failure = errno;
  return 0;
}

void rac_lua_open_print(lua_State *L) {
  lua_pushcfunction(L, print);
  lua_setglobal(L, "print");
}

int rac_lua_print_failure(void) { return failure; }
