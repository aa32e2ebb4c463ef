// The frames of the latest failures with their variables, for a debugger after the fact.

#include "host.h"

#include <string.h>

enum {
  FAILURES = 4,   // kept
  FRAMES = 50,    // of a failure, the innermost ones
  VARIABLES = 200 // of a frame
};

void rac_lua_keep_frames(rac_lua *host) {
  lua_State *L = host->main;
  if (host->kept_failures || !lua_checkstack(L, 2)) return;
  lua_newtable(L);
  host->kept_failures = luaL_ref(L, LUA_REGISTRYINDEX);
}

static void set_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

// Appends a variable to the lists of the frame at the top of `to`: its name, and its value from the top
// of `L`, which it pops.
static void add_variable(lua_State *to, lua_State *L, const char *name, int *count) {
  if (to != L) lua_xmove(L, to, 1);
  if (name[0] == '(' || *count >= VARIABLES) {
    lua_pop(to, 1);
    return;
  }
  if (strcmp(name, "_ENV") == 0) {
    lua_setfield(to, -2, "environment");
    return;
  }
  ++*count;
  lua_getfield(to, -2, "values");
  lua_insert(to, -2);
  lua_rawseti(to, -2, *count);
  lua_pop(to, 1);
  lua_getfield(to, -1, "names");
  lua_pushstring(to, name);
  lua_rawseti(to, -2, *count);
  lua_pop(to, 1);
}

// Pushes the table of a frame on `to`. The function of the frame is at the top of `L`, which it pops.
static void push_frame(lua_State *to, lua_State *L, const lua_Debug *activation) {
  if (to != L) lua_xmove(L, to, 1);
  lua_createtable(to, 0, 8);
  set_text(to, "source", activation->short_src);
  lua_pushinteger(to, activation->currentline);
  lua_setfield(to, -2, "line");
  set_text(to, "name", activation->name ? activation->name : "");
  set_text(to, "kind", activation->what);
  lua_pushvalue(to, -2);
  lua_setfield(to, -2, "function");
  const int function = lua_gettop(to) - 1;
  lua_newtable(to);
  lua_setfield(to, -2, "names");
  lua_newtable(to);
  lua_setfield(to, -2, "values");
  int count = 0;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, activation, i)) != NULL; i++) {
    // Lua 5.4 does not know where it was in some instructions, as in a division by zero.
    if (name[0] == '(' && i <= activation->nparams) {
      lua_pushvalue(to, function);
      const char *parameter = lua_getlocal(to, NULL, i);
      lua_pop(to, 1);
      if (parameter) name = parameter;
    }
    add_variable(to, L, name, &count);
  }
  lua_pushinteger(to, count);
  lua_setfield(to, -2, "locals");
  for (int i = 1; (name = lua_getupvalue(to, function, i)) != NULL; i++) {
    add_variable(to, to, name, &count);
  }
  lua_pushinteger(to, count);
  lua_setfield(to, -2, "count");
  lua_remove(to, function);
}

// Copies the frames of the latest failure to the table on top, whose frames follow them. Returns their
// number.
static int copy_latest(lua_State *L) {
  if (!rac_lua_push_kept_failure(L, 0)) return 0;
  const int count = (int)lua_rawlen(L, -1);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    lua_rawseti(L, -3, i);
  }
  lua_pop(L, 1);
  return count;
}

void rac_lua_keep_failure(lua_State *to, lua_State *L, int level, const char *traceback,
                          bool goes_on) {
  rac_lua *host = rac_lua_host(L);
  if (!host->kept_failures || !traceback) return;
  if (!lua_checkstack(to, 20) || !lua_checkstack(L, 20)) return;
  lua_createtable(to, FRAMES, 1);
  set_text(to, "traceback", traceback);
  int count = goes_on ? copy_latest(to) : 0;
  lua_Debug activation;
  for (int i = level; count < FRAMES && lua_getstack(L, i, &activation); i++) {
    lua_getinfo(L, "Slnu", &activation);
    if (activation.currentline <= 0 || strcmp(activation.source, "=[rac]") == 0
        || strcmp(activation.source, "=[repl]") == 0) continue;
    lua_getinfo(L, "f", &activation);
    push_frame(to, L, &activation);
    lua_rawseti(to, -2, ++count);
  }
  lua_rawgeti(to, LUA_REGISTRYINDEX, host->kept_failures);
  lua_insert(to, -2);
  lua_rawseti(to, -2, 1 + (int)(host->kept_count++ % FAILURES));
  lua_pop(to, 1);
}

bool rac_lua_push_kept_failure(lua_State *L, int age) {
  rac_lua *host = rac_lua_host(L);
  if (!host->kept_failures || age >= FAILURES || (unsigned)age >= host->kept_count) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->kept_failures);
  lua_rawgeti(L, -1, 1 + (int)((host->kept_count - 1 - (unsigned)age) % FAILURES));
  lua_remove(L, -2);
  return true;
}
