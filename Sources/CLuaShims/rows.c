// Rows of functions that receive the same values.
//
// The functions are references. A row of several also has them as the user values of a userdata, its
// list, from which Lua hands them out in fewer steps than from the registry. The list is made and
// completed when the row is fed, and is never consulted about which functions are in the row.

#include "host.h"

#include <stdlib.h>

// Lua counts user values in 16 bits.
enum { LONGEST_LIST = UINT16_MAX - 1 };

void rac_lua_append_to_row(rac_lua_row *row, int32_t function) {
  if (row->count == row->capacity) {
    row->capacity = row->capacity ? row->capacity * 2 : 1;
    row->functions = realloc(row->functions, (size_t)row->capacity * sizeof *row->functions);
    if (!row->functions) abort();
  }
  row->functions[row->count++] = function;
}

void rac_lua_remove_from_row(rac_lua *host, rac_lua_row *row, int32_t place) {
  row->functions[place] = 0;
  if (place >= row->listed || !host || host->closing) return;
  lua_State *L = rac_lua_current(host);
  // Otherwise the list keeps the function for as long as the row lives.
  if (!lua_checkstack(L, 2)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, row->list);
  lua_pushnil(L);
  lua_setiuservalue(L, -2, place + 1);
  lua_pop(L, 1);
}

void rac_lua_compact_row(rac_lua *host, rac_lua_row *row) {
  int32_t kept = 0;
  for (int32_t place = 0; place < row->count; place++) {
    if (row->functions[place]) row->functions[kept++] = row->functions[place];
  }
  row->count = kept;
  if (row->list && host) rac_lua_unref(host, row->list);
  row->list = row->listed = row->most_listed = 0;
}

static void make_list(lua_State *L, rac_lua_row *row) {
  if (row->list) rac_lua_unref(rac_lua_host(L), row->list);
  row->listed = 0;
  row->most_listed = row->capacity < LONGEST_LIST ? row->capacity : LONGEST_LIST;
  lua_newuserdatauv(L, 0, row->most_listed);
  row->list = rac_lua_ref(L);
}

static void complete_list(lua_State *L, rac_lua_row *row) {
  // Host code, so that memory is not refused: nothing here may raise.
  bool enforced = rac_lua_enforce(rac_lua_host(L), false);
  if (row->most_listed < row->count) make_list(L, row);
  lua_rawgeti(L, LUA_REGISTRYINDEX, row->list);
  for (; row->listed < row->count; row->listed++) {
    int32_t function = row->functions[row->listed];
    if (!function) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    lua_setiuservalue(L, -2, row->listed + 1);
  }
  lua_pop(L, 1);
  rac_lua_enforce(rac_lua_host(L), enforced);
}

bool rac_lua_has_list(lua_State *L, rac_lua_row *row) {
  if (row->count > LONGEST_LIST) return false;
  if (row->listed < row->count) complete_list(L, row);
  return true;
}
