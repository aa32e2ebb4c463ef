// Host objects as userdata: types, metatables, anchors and roots.

#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const void *mark;
  const rac_lua_type *type;
  void *object;  // NULL if it holds a value instead, and after its release
  int64_t anchor;
  const rac_lua_direct *direct;  // or NULL
  int32_t roots;
  bool holds_value;
} block;

static const char block_mark = 0;

rac_lua_type *rac_lua_new_type(const rac_lua_type *parent, bool is_apart) {
  rac_lua_type *type = malloc(sizeof *type);
  if (!type) abort();
  static atomic_int count;
  type->parent = parent;
  type->is_apart = is_apart;
  type->number = atomic_fetch_add(&count, 1);
  return type;
}

static rac_lua_metatables metatables_of(rac_lua *host, const rac_lua_type *type) {
  return type->number < host->metatable_count ? host->metatables[type->number]
                                              : (rac_lua_metatables){0};
}

static block *block_at(lua_State *L, int index) {
  if (lua_rawlen(L, index) != sizeof(block)) return NULL;
  block *b = lua_touserdata(L, index);
  return b && b->mark == &block_mark ? b : NULL;
}

bool rac_lua_push_object(lua_State *L, const rac_lua_type *type, void *object, int user_values) {
  int metatable = metatables_of(rac_lua_host(L), type).own;
  if (!metatable) return false;
  block *b = lua_newuserdatauv(L, sizeof *b, user_values);
  *b = (block){.mark = &block_mark, .type = type, .object = object};
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, -2);
  return true;
}

bool rac_lua_push_object_with(
  lua_State *L, const rac_lua_type *type, void *object, int64_t anchor
) {
  if (!rac_lua_push_object(L, type, object, 1)) return false;
  rac_lua_push_anchored(L, anchor);
  lua_setiuservalue(L, -2, 1);
  return true;
}

static bool is_of(const block *b, const rac_lua_type *type) {
  for (const rac_lua_type *t = b->type; t; t = t->parent) {
    if (t == type) return true;
  }
  return false;
}

bool rac_lua_is(lua_State *L, int index, const rac_lua_type *type) {
  block *b = block_at(L, index);
  return b && (b->object || b->holds_value) && is_of(b, type);
}

void *rac_lua_object(lua_State *L, int index, const rac_lua_type *type) {
  block *b = block_at(L, index);
  if (!b) return NULL;
  for (const rac_lua_type *t = b->type; t; t = t->is_apart ? NULL : t->parent) {
    if (t == type) return b->object;
  }
  return NULL;
}

void rac_lua_set_direct(lua_State *L, int index, const rac_lua_direct *direct) {
  block *b = block_at(L, index);
  if (b) b->direct = direct;
}

const rac_lua_direct *rac_lua_direct_at(lua_State *L, int index) {
  block *b = block_at(L, index);
  return b && b->object && b->direct && b->direct->row ? b->direct : NULL;
}

// --- Metatables ---

static int collect(lua_State *L) {
  block *b = block_at(L, 1);
  if (!b || !b->object) return 0;
  rac_lua *host = rac_lua_host(L);
  void *object = b->object;
  b->object = NULL;
  bool enforced = rac_lua_enforce(host, false);
  host->release(host->closing ? NULL : host->owner, object);
  rac_lua_enforce(host, enforced);
  return 0;
}

// --- Values in place of objects ---

// Pushes the metatable of userdata that hold a value: the type's, without the finalizer. False,
// with nothing pushed, if the type has none yet.
static bool push_metatable_of_held(lua_State *L, const rac_lua_type *type) {
  rac_lua *host = rac_lua_host(L);
  rac_lua_metatables known = metatables_of(host, type);
  if (known.held) return lua_rawgeti(L, LUA_REGISTRYINDEX, known.held) == LUA_TTABLE;
  if (!known.own) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, known.own);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_pushnil(L);
  lua_setfield(L, -2, "__gc");
  lua_pushvalue(L, -1);
  host->metatables[type->number].held = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_remove(L, -2);
  return true;
}

bool rac_lua_hold(lua_State *L, const rac_lua_type *type) {
  if (!push_metatable_of_held(L, type)) return false;
  block *b = lua_newuserdatauv(L, sizeof *b, 1);
  *b = (block){.mark = &block_mark, .type = type, .holds_value = true};
  lua_insert(L, -3);
  lua_setmetatable(L, -3);
  lua_setiuservalue(L, -2, 1);
  return true;
}

// The upvalues of the function that holds: the type, a function that gives it a metatable, and the
// metatable once it is known.
enum { TYPE = 1, INSTALL, METATABLE };

static void find_metatable(lua_State *L) {
  const rac_lua_type *type = lua_touserdata(L, lua_upvalueindex(TYPE));
  if (!push_metatable_of_held(L, type)) {
    lua_pushvalue(L, lua_upvalueindex(INSTALL));
    lua_call(L, 0, 0);
    push_metatable_of_held(L, type);
  }
  lua_replace(L, lua_upvalueindex(METATABLE));
}

static int hold(lua_State *L) {
  lua_settop(L, 1);
  if (!lua_toboolean(L, lua_upvalueindex(METATABLE))) find_metatable(L);
  block *b = lua_newuserdatauv(L, sizeof *b, 1);
  *b = (block){
    .mark = &block_mark, .type = lua_touserdata(L, lua_upvalueindex(TYPE)), .holds_value = true,
  };
  lua_pushvalue(L, lua_upvalueindex(METATABLE));
  lua_setmetatable(L, 2);
  lua_rotate(L, 1, 1);
  lua_setiuservalue(L, 1, 1);
  return 1;
}

void rac_lua_push_holding(lua_State *L, const rac_lua_type *type) {
  lua_pushlightuserdata(L, (void *)type);
  lua_insert(L, -2);
  lua_pushboolean(L, 0);
  lua_pushcclosure(L, hold, METATABLE);
}

// Upvalue: the type.
static int take(lua_State *L) {
  bool holds = rac_lua_push_held(L, 1, lua_touserdata(L, lua_upvalueindex(1)));
  lua_pushboolean(L, holds);
  if (!holds) return 1;
  lua_insert(L, -2);
  return 2;
}

void rac_lua_push_taking(lua_State *L, const rac_lua_type *type) {
  lua_pushlightuserdata(L, (void *)type);
  lua_pushcclosure(L, take, 1);
}

bool rac_lua_push_held(lua_State *L, int index, const rac_lua_type *type) {
  block *b = block_at(L, index);
  if (!b || !b->holds_value || !is_of(b, type)) return false;
  lua_getiuservalue(L, index, 1);
  return true;
}

static int finish_get(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 1;
}

// Upvalues: methods, getters.
static int get(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return 1;
  lua_pushvalue(L, 1);
  lua_callk(L, 1, 1, 0, finish_get);
  return 1;
}

static int finish_set(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 0;
}

// Upvalues: setters.
static int set(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) {
    const char *key = luaL_tolstring(L, 2, NULL);
    if (luaL_getmetafield(L, 1, "__name") != LUA_TSTRING) lua_pushstring(L, "userdata");
    return luaL_error(L, "cannot set field '%s' of a %s", key, lua_tostring(L, -1));
  }
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_callk(L, 2, 0, 0, finish_set);
  return 0;
}

void rac_lua_finish_metatable(lua_State *L) {
  int metatable = lua_gettop(L) - 3;
  lua_pushcclosure(L, set, 1);
  lua_pushliteral(L, "__newindex");
  lua_insert(L, -2);
  lua_rawset(L, metatable);
  lua_pushnil(L);
  bool computed = lua_next(L, metatable + 2);
  if (computed) {
    lua_pop(L, 2);
    lua_pushcclosure(L, get, 2);
  } else {
    lua_pop(L, 1);
  }
  lua_pushliteral(L, "__index");
  lua_insert(L, -2);
  lua_rawset(L, metatable);
  lua_pushliteral(L, "__gc");
  lua_pushcfunction(L, collect);
  lua_rawset(L, metatable);
}

void rac_lua_register_type(lua_State *L, const rac_lua_type *type) {
  rac_lua *host = rac_lua_host(L);
  if (type->number >= host->metatable_count) {
    int count = type->number + 1;
    rac_lua_metatables *grown = realloc(host->metatables, (size_t)count * sizeof *grown);
    if (!grown) abort();
    memset(grown + host->metatable_count, 0,
           (size_t)(count - host->metatable_count) * sizeof *grown);
    host->metatables = grown;
    host->metatable_count = count;
  }
  rac_lua_metatables *own = &host->metatables[type->number];
  if (own->held) luaL_unref(L, LUA_REGISTRYINDEX, own->held);
  if (own->own) luaL_unref(L, LUA_REGISTRYINDEX, own->own);
  *own = (rac_lua_metatables){.own = luaL_ref(L, LUA_REGISTRYINDEX)};
}

bool rac_lua_push_metatable(lua_State *L, const rac_lua_type *type) {
  int metatable = metatables_of(rac_lua_host(L), type).own;
  if (metatable) return lua_rawgeti(L, LUA_REGISTRYINDEX, metatable) == LUA_TTABLE;
  lua_pushnil(L);
  return false;
}

// --- Anchors ---

int64_t rac_lua_anchor(lua_State *L, int index) {
  index = lua_absindex(L, index);
  block *b = block_at(L, index);
  if (!b || !(b->object || b->holds_value)) return 0;
  if (!b->anchor) {
    rac_lua *host = rac_lua_host(L);
    b->anchor = ++host->next_anchor;
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->anchors);
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, b->anchor);
    lua_pop(L, 1);
  }
  return b->anchor;
}

bool rac_lua_push_anchored(lua_State *L, int64_t anchor) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->anchors);
  int type = lua_rawgeti(L, -1, anchor);
  lua_replace(L, -2);
  return type == LUA_TUSERDATA;
}

int rac_lua_push_user_value(lua_State *L, int64_t anchor, int slot) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->anchors);
  if (lua_rawgeti(L, -1, anchor) != LUA_TUSERDATA) {
    lua_replace(L, -2);
    return LUA_TNONE;
  }
  int type = lua_getiuservalue(L, -1, slot);
  lua_copy(L, -1, -3);
  lua_pop(L, 2);
  return type == LUA_TNONE ? LUA_TNIL : type;
}

bool rac_lua_root(lua_State *L, int64_t anchor) {
  if (!rac_lua_push_anchored(L, anchor)) {
    lua_pop(L, 1);
    return false;
  }
  block *b = lua_touserdata(L, -1);
  if (b->roots++ == 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->roots);
    lua_insert(L, -2);
    lua_rawseti(L, -2, anchor);
  }
  lua_pop(L, 1);
  return true;
}

void rac_lua_unroot(lua_State *L, int64_t anchor) {
  if (!rac_lua_push_anchored(L, anchor)) {
    lua_pop(L, 1);
    return;
  }
  block *b = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (b->roots == 0 || --b->roots > 0) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, rac_lua_host(L)->roots);
  lua_pushnil(L);
  lua_rawseti(L, -2, anchor);
  lua_pop(L, 1);
}
