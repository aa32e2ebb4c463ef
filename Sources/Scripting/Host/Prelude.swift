import LuaRuntime

/// The part of the library that is written in Lua: tuples and error tables, which live in Lua's
/// memory so that its collector sees their contents. It uses only functions that it read from Lua's
/// library before a script could replace them, and no string methods.
enum Prelude {
  static let chunkName = "=[rac]"

  static let source = """
    local select, type, next = select, type, next
    local setmetatable, metatable_of, tostring = setmetatable, debug.getmetatable, tostring
    local concat, unpack = table.concat, table.unpack

    -- Nobody else can reach the metatables: what is changed there would be changed for everybody.
    local methods = {}
    function methods:unpack() return unpack(self, 1, self.n) end
    local tuple = {__name = "tuple", __metatable = "tuple", __index = methods}
    function tuple.__eq(a, b)
      if a.n ~= b.n then return false end
      for i = 1, a.n do if a[i] ~= b[i] then return false end end
      return true
    end
    function tuple:__tostring()
      local parts = {}
      for i = 1, self.n do parts[i] = tostring(self[i]) end
      return "(" .. concat(parts, ", ") .. ")"
    end
    local function new_tuple(...)
      return setmetatable({n = select("#", ...), ...}, tuple)
    end

    local failure = {__name = "error", __metatable = "error"}
    function failure:__tostring() return self.message end
    local function new_error(fields) return setmetatable(fields, failure) end
    local function is_error(value)
      return type(value) == "table" and metatable_of(value) == failure
    end

    local function new_environment(get, set, all)
      return setmetatable({}, {
        __metatable = "env",
        __index = function(_, name) return get(name) end,
        __newindex = function(_, name, value) set(name, value) end,
        __pairs = function() return next, all() end,
      })
    end
    local function refuse_other_names(module, refuse)
      setmetatable(module, {__metatable = "module", __index = refuse})
    end
    local load, pack, rawset, rawget = load, table.pack, rawset, rawget
    local error, pcall, collectgarbage, warn = error, pcall, collectgarbage, warn
    local dump, upvalue, sort, math_type = string.dump, debug.getupvalue, table.sort, math.type
    local function library()
      return load, pack, rawset, setmetatable, _G, rawget, next, error, pcall, collectgarbage,
        warn, dump
    end
    local function introspection()
      return dump, upvalue, metatable_of, load, sort, math_type, pcall, type, next, tostring, concat, _G
    end
    -- Keeps the code of each module that `require` loads from a text, and tells its file before it is
    -- read. Returns a function that returns the code, and the table of all modules.
    local function keep_modules(note)
      local package, find = package, package.searchpath
      local loaded, searchers, chunks = package.loaded, package.searchers, {}
      local search = searchers[2]
      searchers[2] = function(name)
        local places = package.path
        local file = type(name) == "string" and type(places) == "string" and find(name, places)
        if file then note(file) end
        -- A message begins with the place of what calls the search, unless that is C.
        local found, loader, path = pcall(search, name)
        if not found then error(loader, 0) end
        if type(loader) == "function" and type(path) == "string" then chunks[name] = loader end
        return loader, path
      end
      return function(name) if loaded[name] ~= nil then return chunks[name] end end, loaded
    end
    return new_tuple, new_error, is_error, new_environment, library, refuse_other_names, introspection,
      keep_modules
    """
}

/// The functions of the prelude.
struct PreludeFunctions {
  let newTuple: LuaReference
  let newError: LuaReference
  let isError: LuaReference
  let newEnvironment: LuaReference
  /// Returns functions of Lua's library as they were before the first script, and the globals.
  let library: LuaReference
  /// Makes a read of a name that a table lacks a call of a function.
  let refuseOtherNames: LuaReference
  /// Returns functions that inspect values, as they were before the first script, and the globals.
  let introspection: LuaReference
  /// Makes `require` keep the code of the modules that it loads.
  let keepModules: LuaReference

  init(_ interpreter: LuaInterpreter) throws(LuaError) {
    let chunk = try interpreter.load(Prelude.source, chunkName: Prelude.chunkName)
    let functions = try interpreter.call(chunk).compactMap(\.referenceValue)
    precondition(functions.count == 8, "the prelude returns eight functions")
    newTuple = functions[0]
    newError = functions[1]
    isError = functions[2]
    newEnvironment = functions[3]
    library = functions[4]
    refuseOtherNames = functions[5]
    introspection = functions[6]
    keepModules = functions[7]
  }
}
