// A chain of operators whose functions are all in Lua, as one function: a value passes through all
// of them inside one protected call and is not converted on the way.

#include "host.h"

typedef struct {
  uint8_t kind;
  int64_t index;  // the number of values a scan has received
} stage;

struct rac_lua_pipeline {
  bool stopped;
  int count;
  stage stages[];
};

// Argument: the value. Upvalues: the pipeline, then for each stage its function, and for a scan
// also the running value. Returns the resulting value, or nothing.
static int run(lua_State *L) {
  rac_lua_pipeline *pipeline = lua_touserdata(L, lua_upvalueindex(1));
  int slot = 2;
  for (int i = 0; i < pipeline->count; i++) {
    stage *s = &pipeline->stages[i];
    lua_pushvalue(L, lua_upvalueindex(slot++));
    switch (s->kind) {
      case RAC_LUA_STAGE_MAP:
        lua_insert(L, 1);
        lua_call(L, 1, 1);
        break;
      case RAC_LUA_STAGE_FILTER:
        lua_pushvalue(L, 1);
        lua_call(L, 1, 1);
        if (!lua_toboolean(L, 2)) return 0;
        lua_settop(L, 1);
        break;
      case RAC_LUA_STAGE_SCAN: {
        int running = lua_upvalueindex(slot++);
        lua_pushvalue(L, running);
        lua_rotate(L, 1, 2);
        lua_pushinteger(L, ++s->index);
        lua_call(L, 3, 1);
        lua_copy(L, 1, running);
        break;
      }
      case RAC_LUA_STAGE_EACH:
        lua_pushvalue(L, 1);
        lua_call(L, 1, 0);
        break;
      default:
        lua_insert(L, 1);
        lua_call(L, 1, 0);
        return 0;
    }
    // A function may have disposed the subscription.
    if (pipeline->stopped) return 0;
  }
  return 1;
}

rac_lua_pipeline *rac_lua_push_pipeline(lua_State *L, const uint8_t *kinds, int count) {
  int values = 0;
  for (int i = 0; i < count; i++) values += kinds[i] == RAC_LUA_STAGE_SCAN ? 2 : 1;
  size_t size = sizeof(rac_lua_pipeline) + (size_t)count * sizeof(stage);
  rac_lua_pipeline *pipeline = lua_newuserdatauv(L, size, 0);
  pipeline->stopped = false;
  pipeline->count = count;
  for (int i = 0; i < count; i++) pipeline->stages[i] = (stage){kinds[i], 0};
  lua_insert(L, -1 - values);
  lua_pushcclosure(L, run, 1 + values);
  return pipeline;
}

void rac_lua_stop_pipeline(rac_lua_pipeline *pipeline) { pipeline->stopped = true; }
