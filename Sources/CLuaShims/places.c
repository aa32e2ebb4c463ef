// Positions in scripts, for messages: `file:line`.

#include "host.h"

#include <stdio.h>
#include <string.h>

bool rac_lua_place_of_call(lua_State *L, char place[RAC_LUA_PLACE_SIZE]) {
  lua_Debug frame;
  for (int level = 0; level < 20 && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline <= 0 || strcmp(frame.source, "=[rac]") == 0) continue;
    snprintf(place, RAC_LUA_PLACE_SIZE, "%s:%d", frame.short_src, frame.currentline);
    return true;
  }
  return false;
}

bool rac_lua_place_in_chunk(lua_State *L, char place[RAC_LUA_PLACE_SIZE]) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (strcmp(frame.what, "main") != 0 || frame.currentline <= 0) continue;
    if (strcmp(frame.source, "=[rac]") == 0) continue;
    snprintf(place, RAC_LUA_PLACE_SIZE, "%s:%d", frame.short_src, frame.currentline);
    return true;
  }
  return false;
}

bool rac_lua_script_frame_at(lua_State *L, int level, rac_lua_script_frame *frame) {
  lua_Debug record;
  if (!lua_getstack(L, level, &record)) return false;
  lua_getinfo(L, "S", &record);
  *frame = (rac_lua_script_frame){.source = record.source, .is_chunk = strcmp(record.what, "main") == 0};
  return true;
}

bool rac_lua_place_of_function(lua_State *L, int index, char place[RAC_LUA_PLACE_SIZE]) {
  lua_Debug function;
  if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return false;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &function);
  snprintf(place, RAC_LUA_PLACE_SIZE, "%s:%d", function.short_src, function.linedefined);
  return true;
}

bool rac_lua_facts_of_function(lua_State *L, int index, rac_lua_function_facts *facts) {
  lua_Debug function;
  if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return false;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">Su", &function);
  *facts = (rac_lua_function_facts){
    .source = function.source, .first_line = function.linedefined,
    .last_line = function.lastlinedefined, .parameters = function.nparams,
    .is_variadic = function.isvararg != 0,
  };
  for (int number = 1; number <= function.nups; number++) {
    const char *name = lua_getupvalue(L, index, number);
    if (name == NULL) break;
    lua_pop(L, 1);
    if (strcmp(name, "_ENV") != 0) facts->is_closure = true;
  }
  return true;
}

const char *rac_lua_parameter_of_function(lua_State *L, int index, int number) {
  lua_pushvalue(L, index);
  const char *name = lua_getlocal(L, NULL, number);
  lua_pop(L, 1);
  return name;
}
