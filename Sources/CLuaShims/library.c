// Which library of Lua the process has loaded, and the parts of it that code of the host uses.

// For dladdr.
#define _GNU_SOURCE

#include "CLuaShims.h"

#include <dlfcn.h>

static void *address_of(const char *symbol) {
  void *program = dlopen(NULL, RTLD_LAZY);
  if (program == NULL) return NULL;
  void *address = dlsym(program, symbol);
  dlclose(program);
  return address;
}

const char *rac_lua_ident(void) { return address_of("lua_ident"); }

const char *rac_lua_library_path(void) {
  // By its name: the address that this file would see may belong to the executable.
  void *address = address_of("lua_newstate");
  Dl_info information;
  return address != NULL && dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}

void rac_lua_push_parts(lua_State *L) {
  // A library, a name in it, and the name of the part.
  static const char *const parts[][3] = {
    {"_G", "select", "select"}, {"_G", "type", "type"}, {"_G", "next", "next"},
    {"_G", "setmetatable", "setmetatable"}, {"_G", "tostring", "tostring"}, {"_G", "load", "load"},
    {"_G", "rawset", "rawset"}, {"_G", "rawget", "rawget"}, {"_G", "error", "error"},
    {"_G", "pcall", "pcall"}, {"_G", "collectgarbage", "collectgarbage"}, {"_G", "warn", "warn"},
    {"_G", "_G", "_G"}, {"table", "concat", "concat"}, {"table", "unpack", "unpack"},
    {"table", "pack", "pack"}, {"table", "sort", "sort"}, {"string", "dump", "dump"}, {"string", "byte", "byte"},
    {"string", "format", "format"},
    {"math", "type", "math_type"}, {"debug", "getmetatable", "metatable_of"},
    {"debug", "getupvalue", "upvalue"}, {"_G", "package", "package"},
    {"package", "loaded", "loaded"}, {"package", "searchpath", "searchpath"},
  };
  lua_createtable(L, 0, sizeof parts / sizeof *parts);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    lua_pushstring(L, parts[i][2]);
    lua_pushstring(L, parts[i][0]);
    if (lua_rawget(L, -3) == LUA_TTABLE) {
      lua_pushstring(L, parts[i][1]);
      lua_rawget(L, -2);
      lua_remove(L, -2);
    }
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
}
