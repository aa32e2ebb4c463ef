// Which library of Lua the process has loaded.

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
