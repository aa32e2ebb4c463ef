// References from the host to Lua values: a table with small integer keys and a free list.

#include "host.h"

#include <stdlib.h>

int32_t rac_lua_ref(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  int32_t reference =
    host->free_count > 0 ? host->free_references[--host->free_count] : ++host->next_reference;
  host->reference_count++;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  lua_insert(L, -2);
  lua_rawseti(L, -2, reference);
  lua_pop(L, 1);
  return reference;
}

void rac_lua_unref(rac_lua *host, int32_t reference) {
  if (host->closing) return;
  lua_State *L = rac_lua_current(host);
  // A key that holds `false` remains, so that taking the reference again never grows the table.
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, reference);
  lua_pop(L, 1);
  host->reference_count--;
  if (host->free_count == host->free_capacity) {
    int32_t capacity = host->free_capacity ? host->free_capacity * 2 : 64;
    int32_t *grown = realloc(host->free_references, (size_t)capacity * sizeof *grown);
    if (!grown) return;
    host->free_references = grown;
    host->free_capacity = capacity;
  }
  host->free_references[host->free_count++] = reference;
}

int rac_lua_push_ref(lua_State *L, int32_t reference) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->references);
  int type = lua_rawgeti(L, -1, reference);
  lua_replace(L, -2);
  return type;
}

int32_t rac_lua_ref_count(rac_lua *host) { return host->reference_count; }
