// References from the host to Lua values: slots of the registry, where each is one access away. A slot
// stays the host's once it was taken.

#include "host.h"

#include <stdlib.h>

static void *grown(int32_t *list, int32_t capacity) {
  void *grown = realloc(list, (size_t)capacity * sizeof *list);
  if (!grown) abort();
  return grown;
}

// Takes another slot, which is true until it is used: Lua takes none for nil.
static int32_t take(rac_lua *host, lua_State *L) {
  if (host->slot_count == host->slot_capacity) {
    host->slot_capacity = host->slot_capacity ? host->slot_capacity * 2 : 64;
    host->slots = grown(host->slots, host->slot_capacity);
    host->free_slots = grown(host->free_slots, host->slot_capacity);
  }
  lua_pushboolean(L, 1);
  return host->slots[host->slot_count++] = luaL_ref(L, LUA_REGISTRYINDEX);
}

int32_t rac_lua_ref(lua_State *L) {
  rac_lua *host = rac_lua_host(L);
  int32_t reference =
    host->free_count > 0 ? host->free_slots[--host->free_count] : take(host, L);
  lua_rawseti(L, LUA_REGISTRYINDEX, reference);
  return reference;
}

void rac_lua_unref(rac_lua *host, int32_t reference) {
  if (host->closing) return;
  lua_State *L = rac_lua_current(host);
  // Not nil, or Lua would give the slot to others.
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, reference);
  host->free_slots[host->free_count++] = reference;
}

int rac_lua_push_ref(lua_State *L, int32_t reference) {
  return lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}

int32_t rac_lua_ref_count(rac_lua *host) { return host->slot_count - host->free_count; }
