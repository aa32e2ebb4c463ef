// Functions of Lua's own library restricted to what the interpreter is allowed to do.
//
// A guard calls its function in its own frame if the function has no upvalues, so that Lua's
// messages name the same place and function as without the guard.

#include "host.h"

#include <string.h>

bool rac_lua_allows(rac_lua *host, uint32_t needs) {
  return !host->is_confined || (needs & ~host->granted) == 0;
}

void rac_lua_confine(rac_lua *host, uint32_t granted, rac_lua_explain explain) {
  host->is_confined = true;
  host->granted = granted;
  host->explain = explain;
}

// The upvalues of a guard.
enum { FUNCTION = 1, NEEDS, KIND, NAME, IS_PLAIN };

static int refuse(lua_State *L, uint32_t needs, const char *name) {
  rac_lua *host = rac_lua_host(L);
  char text[512] = "not available";
  if (host->owner) host->explain(host->owner, needs & ~host->granted, name, text, sizeof text);
  return luaL_error(L, "%s", text);
}

// Sets the optional mode argument of a chunk to "t", text only.
static void allow_text_only(lua_State *L, int argument) {
  if (rac_lua_allows(rac_lua_host(L), RAC_LUA_UNSAFE_CODE)) return;
  if (lua_gettop(L) < argument) lua_settop(L, argument);
  lua_pushliteral(L, "t");
  lua_replace(L, argument);
}

static bool opens_for_writing(lua_State *L) {
  const char *mode = lua_tostring(L, 2);
  return mode && strpbrk(mode, "wa+");
}

static bool has_finalizer(lua_State *L) {
  if (lua_type(L, 2) != LUA_TTABLE) return false;
  lua_pushliteral(L, "__gc");
  bool has = lua_rawget(L, 2) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

static int finish(lua_State *L, int status, lua_KContext context) {
  (void)status;
  return lua_gettop(L) - (int)context;
}

static int do_text_file(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  lua_settop(L, 1);
  if (luaL_loadfilex(L, name, "t") != LUA_OK) return lua_error(L);
  lua_callk(L, 0, LUA_MULTRET, 1, finish);
  return finish(L, LUA_OK, 1);
}

// Calls the guarded function with the arguments of the guard.
static int call(lua_State *L) {
  if (lua_toboolean(L, lua_upvalueindex(IS_PLAIN))) {
    return lua_tocfunction(L, lua_upvalueindex(FUNCTION))(L);
  }
  lua_pushvalue(L, lua_upvalueindex(FUNCTION));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, finish);
  return finish(L, LUA_OK, 0);
}

// Removes a C function from the result of debug.getinfo. A guard may be calling that function,
// which is unrestricted without its guard.
static int without_c_function(lua_State *L, int results) {
  if (results != 1 || lua_type(L, -1) != LUA_TTABLE) return results;
  lua_pushliteral(L, "func");
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) == LUA_TFUNCTION && lua_iscfunction(L, -1)) {
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_rawset(L, -3);
  } else {
    lua_pop(L, 2);
  }
  return results;
}

static int guarded(lua_State *L) {
  uint32_t needs = (uint32_t)lua_tointeger(L, lua_upvalueindex(NEEDS));
  const char *name = lua_tostring(L, lua_upvalueindex(NAME));
  rac_lua *host = rac_lua_host(L);
  switch ((rac_lua_guard)lua_tointeger(L, lua_upvalueindex(KIND))) {
    case RAC_LUA_GUARD_ALL: break;
    case RAC_LUA_GUARD_OPEN:
      if (opens_for_writing(L)) needs |= RAC_LUA_FILE_CHANGES;
      break;
    case RAC_LUA_GUARD_OUTPUT:
      // As in Lua, which accepts a number as a name.
      if (lua_isstring(L, 1)) needs |= RAC_LUA_FILE_CHANGES;
      break;
    case RAC_LUA_GUARD_LOAD_FILE: allow_text_only(L, 2); break;
    case RAC_LUA_GUARD_DO_FILE:
      if (rac_lua_allows(host, needs) && !rac_lua_allows(host, RAC_LUA_UNSAFE_CODE)) {
        return do_text_file(L);
      }
      break;
    case RAC_LUA_GUARD_SET_METATABLE:
      if (has_finalizer(L)) {
        needs |= RAC_LUA_FINALIZERS;
        if (!rac_lua_allows(host, needs)) return refuse(L, needs, "__gc");
      }
      break;
    case RAC_LUA_GUARD_GET_INFO:
      if (rac_lua_allows(host, needs) && !rac_lua_allows(host, RAC_LUA_UNSAFE_CODE)) {
        return without_c_function(L, call(L));
      }
      break;
  }
  if (!rac_lua_allows(host, needs)) return refuse(L, needs, name);
  return call(L);
}

void rac_lua_push_guard(lua_State *L, const char *name, uint32_t needs, rac_lua_guard kind) {
  bool is_plain = lua_iscfunction(L, -1);
  if (is_plain && lua_getupvalue(L, -1, 1)) {
    is_plain = false;
    lua_pop(L, 1);
  }
  lua_pushinteger(L, needs);
  lua_pushinteger(L, kind);
  lua_pushstring(L, name);
  lua_pushboolean(L, is_plain);
  lua_pushcclosure(L, guarded, 5);
}

void rac_lua_hide_string_metatable(lua_State *L) {
  lua_pushliteral(L, "");
  if (lua_getmetatable(L, -1)) {
    lua_pushliteral(L, "__metatable");
    lua_pushliteral(L, "string");
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
