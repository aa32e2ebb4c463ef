// A chain of operators whose functions are all in Lua, as one function in Lua: a value passes through
// all of them without a call from C. Its code is generated once for a shape, such as "map, filter,
// scan", and each pipeline is an instance of it, whose upvalues are the script's functions.
//
// The code has no debug information, so that messages and tracebacks name the script's functions and
// places as if C called them.

#include "host.h"

#include <stdlib.h>
#include <string.h>

// The key in the registry of the table from a shape to the code that makes its instances.
static const char shapes_key;

// More shapes than a script that is not after it has; their code is a few kilobytes each.
enum { MOST_SHAPES = 500 };

// Writes the code of a stage. `f` is the number of its function, `leave` what ends the work on the
// value, and `call` the form of a call, of which Lua derives no name for the function.
static void write_stage(FILE *code, uint8_t kind, int f, const char *call, const char *leave) {
  switch (kind) {
    case RAC_LUA_STAGE_MAP:
      fprintf(code, "x = ");
      fprintf(code, call, f);
      fprintf(code, "(x)\n");
      break;
    case RAC_LUA_STAGE_FILTER:
      fprintf(code, "if not ");
      fprintf(code, call, f);
      fprintf(code, "(x) then %s end\n", leave);
      break;
    case RAC_LUA_STAGE_SCAN:
      fprintf(code, "i%d = i%d + 1\nx = ", f, f);
      fprintf(code, call, f);
      fprintf(code, "(a%d, x, i%d)\na%d = x\n", f, f, f);
      break;
    default:
      fprintf(code, call, f);
      fprintf(code, "(x)\n");
      break;
  }
  // A function may have disposed the subscription.
  fprintf(code, "if stopped then return end\n");
}

// Writes a function of the functions and seeds, which returns the pipeline: a function of a value,
// or of the limits and the step of a loop over integers.
static void write_shape(FILE *code, const uint8_t *kinds, int count) {
  fprintf(code, "local f1");
  for (int i = 0; i < count; i++) {
    if (i > 0) fprintf(code, ", f%d", i + 1);
    if (kinds[i] == RAC_LUA_STAGE_SCAN) fprintf(code, ", a%d", i + 1);
  }
  fprintf(code, " = ...\nlocal stopped = false\n");
  for (int i = 0; i < count; i++) {
    if (kinds[i] == RAC_LUA_STAGE_SCAN) fprintf(code, "local i%d = 0\n", i + 1);
  }
  // `stopped` first: it is the first upvalue.
  fprintf(code, "return function(x, last, step)\nif stopped then return end\nif last == nil then\n");
  for (int i = 0; i < count; i++) write_stage(code, kinds[i], i + 1, "(f%d or nil)", "return");
  fprintf(code, kinds[count - 1] == RAC_LUA_STAGE_SINK ? "return\nend\n" : "return x\nend\n");
  for (int i = 1; i <= count; i++) fprintf(code, "local g%d = f%d or nil\n", i, i);
  fprintf(code, "for x = x, last, step do\n");
  for (int i = 0; i < count; i++) write_stage(code, kinds[i], i + 1, "g%d", "goto continue");
  fprintf(code, "::continue::\nend\nend\n");
}

static int append(lua_State *L, const void *bytes, size_t count, void *file) {
  (void)L;
  return fwrite(bytes, 1, count, file) != count;
}

// Pushes the generated code of a shape without debug information, or an error. Returns a Lua status.
static int push_code(lua_State *L, const uint8_t *kinds, int count) {
  char *text = NULL, *binary = NULL;
  size_t text_size = 0, binary_size = 0;
  int status = LUA_ERRMEM;
  FILE *file = open_memstream(&text, &text_size);
  if (file) {
    write_shape(file, kinds, count);
    if (fclose(file) == 0) status = luaL_loadbufferx(L, text, text_size, "=[rac]", "t");
  }
  free(text);
  if (!file || !text) {
    lua_pushliteral(L, "not enough memory");
    return LUA_ERRMEM;
  }
  if (status != LUA_OK) return status;
  file = open_memstream(&binary, &binary_size);
  if (file) {
    int failed = lua_dump(L, append, file, 1);
    failed |= fclose(file);
    // Otherwise it works as it is, but for what messages say.
    if (!failed) {
      lua_pop(L, 1);
      status = luaL_loadbufferx(L, binary, binary_size, "=[rac]", "b");
    }
  }
  free(binary);
  return status;
}

// The rest of the making, which may run out of memory: [functions and seeds, kinds] to the pipeline.
static int make(lua_State *L) {
  size_t length;
  const uint8_t *kinds = (const uint8_t *)lua_tolstring(L, -1, &length);
  int shape = lua_gettop(L), values = shape - 1;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &shapes_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushinteger(L, 0);
    lua_rawseti(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &shapes_key);
  }
  lua_pushvalue(L, shape);
  if (lua_rawget(L, -2) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    if (push_code(L, kinds, (int)length) != LUA_OK) return lua_error(L);
    lua_rawgeti(L, -2, 1);
    lua_Integer known = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (known < MOST_SHAPES) {
      lua_pushinteger(L, known + 1);
      lua_rawseti(L, -3, 1);
      lua_pushvalue(L, shape);
      lua_pushvalue(L, -2);
      lua_rawset(L, -4);
    }
  }
  lua_replace(L, shape);
  lua_settop(L, shape);
  lua_insert(L, 1);
  lua_call(L, values, 1);
  return 1;
}

int rac_lua_push_pipeline(lua_State *L, const uint8_t *kinds, int count) {
  int values = 0;
  for (int i = 0; i < count; i++) values += kinds[i] == RAC_LUA_STAGE_SCAN ? 2 : 1;
  rac_lua_begin_call(L);
  lua_pushcfunction(L, make);
  lua_rotate(L, -2 - values, 2);
  lua_pushlstring(L, (const char *)kinds, (size_t)count);
  int status = rac_lua_pcall(L, values + 1, 1);
  if (status == LUA_OK) lua_remove(L, -2);
  return status;
}

void rac_lua_stop_pipeline(rac_lua *host, int reference) {
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 3)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  if (lua_rawgeti(L, -1, reference) == LUA_TFUNCTION) {
    lua_pushboolean(L, 1);
    lua_setupvalue(L, -2, 1);
  }
  lua_pop(L, 2);
}
