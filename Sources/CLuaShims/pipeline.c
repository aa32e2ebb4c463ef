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

// Writes the code of a stage. A function may dispose the subscription: then those that follow do
// nothing, because they are gone (rac_lua_stop_pipeline), and what they pass on reaches nobody.
//
// `f` is the number of its function, `leave` what ends the work on the value, and `call` the form of
// a call, of which Lua derives no name for the function. A call at the beginning of a line must
// follow a semicolon or a keyword.
static void write_stage(FILE *code, uint8_t kind, int f, const char *call, const char *leave) {
  switch (kind) {
    case RAC_LUA_STAGE_MAP:
      fprintf(code, "x = ");
      fprintf(code, call, f);
      fprintf(code, "(x);\n");
      break;
    case RAC_LUA_STAGE_FILTER:
      fprintf(code, "if not ");
      fprintf(code, call, f);
      fprintf(code, "(x) then %s end\n", leave);
      break;
    case RAC_LUA_STAGE_SCAN:
      fprintf(code, "i%d = i%d + 1\nx = ", f, f);
      fprintf(code, call, f);
      fprintf(code, "(a%d, x, i%d);\na%d = x;\n", f, f, f);
      break;
    case RAC_LUA_STAGE_FLAT_MAP:
      fprintf(code, "x = ");
      fprintf(code, call, f);
      fprintf(code, "(x);\nlocal is_value, value\n");
      fprintf(code, "if whole then is_value, value = take(x) end\n");
      fprintf(code, "if not is_value then\nwhole = false\nmerge(x, f%d)\n", f);
      fprintf(code, "if stopped then return end\n%s\nend\nx = value;\n", leave);
      return;
    default:
      fprintf(code, call, f);
      fprintf(code, "(x);\n");
      break;
  }
}

// Writes the stages from `first` on as the end of a function of a value.
static void write_stages(FILE *code, const uint8_t *kinds, int first, int count) {
  for (int i = first; i < count; i++) write_stage(code, kinds[i], i + 1, "(f%d or nil)", "return");
  fprintf(code, kinds[count - 1] == RAC_LUA_STAGE_SINK ? "return\n" : "return x\n");
}

// Returns the number of values that a stage takes.
static int values_of(uint8_t kind) {
  return kind == RAC_LUA_STAGE_SCAN ? 2 : kind == RAC_LUA_STAGE_FLAT_MAP ? 3 : 1;
}

// Returns the index of the stage that flattens; `count` if there is none.
static int flattening_stage(const uint8_t *kinds, int count) {
  int i = 0;
  while (i < count && kinds[i] != RAC_LUA_STAGE_FLAT_MAP) i++;
  return i;
}

// Writes a function of the functions and seeds, which returns the pipeline: a function of a value,
// or of the limits and the step of a loop over integers. If a stage flattens, it also returns a
// function of a value that enters behind that stage. `whole` is true while all values take the way
// through the stage.
static void write_shape(FILE *code, const uint8_t *kinds, int count) {
  int flattening = flattening_stage(kinds, count);
  fprintf(code, "local f1");
  for (int i = 0; i < count; i++) {
    if (i > 0) fprintf(code, ", f%d", i + 1);
    if (kinds[i] == RAC_LUA_STAGE_SCAN) fprintf(code, ", a%d", i + 1);
    if (kinds[i] == RAC_LUA_STAGE_FLAT_MAP) fprintf(code, ", take, merge");
  }
  fprintf(code, " = ...\nlocal stopped, whole = false, true\n");
  for (int i = 0; i < count; i++) {
    if (kinds[i] == RAC_LUA_STAGE_SCAN) fprintf(code, "local i%d = 0\n", i + 1);
  }
  fprintf(code, "return function(x, last, step)\nif last == nil then\n");
  write_stages(code, kinds, 0, count);
  fprintf(code, "end\nif stopped then return end\n");
  for (int i = 1; i <= count; i++) fprintf(code, "local g%d = f%d or nil\n", i, i);
  fprintf(code, "for x = x, last, step do\n");
  for (int i = 0; i < count; i++) {
    write_stage(code, kinds[i], i + 1, "g%d", "goto continue");
    // The functions are copies, which last; but not that which takes what a flat_map's returns.
    if (kinds[i] != RAC_LUA_STAGE_FLAT_MAP) fprintf(code, "if stopped then return end\n");
  }
  fprintf(code, "::continue::\nend\nend\n");
  if (flattening == count) return;
  fprintf(code, ", function(x)\n");
  write_stages(code, kinds, flattening + 1, count);
  fprintf(code, "end\n");
}

static int append(lua_State *L, const void *bytes, size_t count, void *file) {
  (void)L;
  return fwrite(bytes, 1, count, file) != count;
}

// Pushes the function of a text, without its debug information if possible, or an error. Returns a Lua
// status.
static int load_bare(lua_State *L, const char *text, size_t size) {
  int status = luaL_loadbufferx(L, text, size, "=[rac]", "t");
  if (status != LUA_OK) return status;
  char *binary = NULL;
  size_t binary_size = 0;
  FILE *file = open_memstream(&binary, &binary_size);
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

// Pushes the generated code of a shape without debug information, or an error. Returns a Lua status.
static int push_code(lua_State *L, const uint8_t *kinds, int count) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file) {
    write_shape(file, kinds, count);
    if (fclose(file) == 0 && text) {
      int status = load_bare(L, text, size);
      free(text);
      return status;
    }
    free(text);
  }
  lua_pushliteral(L, "not enough memory");
  return LUA_ERRMEM;
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
  lua_call(L, values, LUA_MULTRET);
  return lua_gettop(L);
}

int rac_lua_push_pipeline(lua_State *L, const uint8_t *kinds, int count) {
  int values = 0;
  for (int i = 0; i < count; i++) values += values_of(kinds[i]);
  int results = flattening_stage(kinds, count) < count ? 2 : 1;
  rac_lua_begin_call(L);
  lua_pushcfunction(L, make);
  lua_rotate(L, -2 - values, 2);
  lua_pushlstring(L, (const char *)kinds, (size_t)count);
  int status = rac_lua_pcall(L, values + 1, results);
  if (status == LUA_OK) lua_remove(L, -1 - results);
  return status;
}

static int do_nothing(lua_State *L) {
  (void)L;
  return 0;
}

void rac_lua_stop_pipeline(rac_lua *host, int reference) {
  for (rac_lua_lines *lines = host->lines; lines; lines = lines->outer) {
    if (lines->pipeline == reference) lines->stopped = true;
  }
  lua_State *L = rac_lua_current(host);
  if (!lua_checkstack(L, 4)) return;
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, reference) == LUA_TFUNCTION) {
    // Of its booleans only `stopped` still matters, and its running values not at all.
    for (int i = 1; lua_getupvalue(L, -1, i); i++) {
      int type = lua_type(L, -1);
      lua_pop(L, 1);
      if (type == LUA_TFUNCTION) {
        lua_pushcfunction(L, do_nothing);
      } else if (type == LUA_TBOOLEAN) {
        lua_pushboolean(L, 1);
      } else {
        continue;
      }
      lua_setupvalue(L, -2, i);
    }
  }
  lua_pop(L, 1);
}
