import LuaRuntime

/// The part of the library that is written in Lua: tuples and error tables, which live in Lua's
/// memory so that its collector sees their contents. It uses only functions that were read from Lua's
/// library before a script could replace them, and no string methods.
enum Prelude {
  static let chunkName = "=[rac]"

  /// Its globals are what `LuaStack.pushLibraryParts` pushes.
  static let source = """
    local select, type, next = select, type, next
    local setmetatable, metatable_of, tostring = setmetatable, metatable_of, tostring
    local concat, unpack = concat, unpack

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

    local load, pack, rawset, rawget = load, pack, rawset, rawget
    local error, pcall, collectgarbage, warn = error, pcall, collectgarbage, warn
    local dump, upvalue, sort, math_type, _G = dump, upvalue, sort, math_type, _G
    local format, byte = format, byte
    local function library()
      return load, pack, rawset, setmetatable, _G, rawget, next, error, pcall, collectgarbage,
        warn, dump
    end
    local function introspection()
      return dump, upvalue, metatable_of, load, sort, math_type, pcall, type, next, tostring, concat,
        format, byte, _G
    end
    -- Keeps the code of each module that `require` loads from a text, and tells its file before it is
    -- read. Returns what searches in place of `search`, a function that returns the code, and the
    -- table of all modules.
    local package, find, loaded = package, searchpath, loaded
    local function keep_modules(search, note)
      local chunks = {}
      return function(name)
        local places = package.path
        local file = type(name) == "string" and type(places) == "string" and find(name, places)
        if file then note(file) end
        -- A message begins with the place of what calls the search, unless that is C.
        local found, loader, path = pcall(search, name)
        if not found then error(loader, 0) end
        if type(loader) == "function" and type(path) == "string" then chunks[name] = loader end
        return loader, path
      end, function(name) if loaded[name] ~= nil then return chunks[name] end end, loaded
    end
    local functions = ...
    functions.new_tuple, functions.new_error, functions.is_error = new_tuple, new_error, is_error
    functions.library, functions.introspection = library, introspection
    functions.keep_modules = keep_modules
    """
}

/// The functions of the prelude, which is compiled when the first of them is needed: most scripts need
/// none. Confined to the thread of its interpreter.
final class PreludeFunctions {
  enum Name: String {
    /// Returns a tuple of its arguments.
    case newTuple = "new_tuple"
    /// Makes a table an error.
    case newError = "new_error"
    case isError = "is_error"
    /// Returns functions of Lua's library as they were before the first script, and the globals.
    case library
    /// Returns functions that inspect values, as they were before the first script, and the globals.
    case introspection
    /// Makes a search of `require` keep the code of the modules that it finds.
    case keepModules = "keep_modules"
  }

  private unowned let interpreter: LuaInterpreter
  /// A table of these functions, once they are made; before that nothing.
  private let functions: LuaReference
  /// The functions of Lua's library as they were before the first script, by their names.
  let parts: LuaReference
  private var isCompiled = false

  init(_ interpreter: LuaInterpreter) throws(LuaError) {
    self.interpreter = interpreter
    functions = try interpreter.newTable()
    // Set from inside: for an optional as the result, a start would make types at run time.
    var parts: LuaReference?
    _ = interpreter.withStack { stack in
      stack.pushLibraryParts()
      parts = stack.value(at: -1).referenceValue
    }
    guard let parts else { throw LuaError("the interpreter has closed") }
    self.parts = parts
  }

  private func compile() throws(LuaError) {
    let chunk = try interpreter.load(Prelude.source, chunkName: Prelude.chunkName)
    _ = interpreter.withStack { stack in
      stack.push(chunk)
      stack.push(parts)
      stack.setEnvironment(at: -2)
    }
    try interpreter.call(chunk, .reference(functions))
    isCompiled = true
  }

  /// Returns a function.
  subscript(_ name: Name) -> LuaReference {
    get throws(LuaError) {
      if !isCompiled { try compile() }
      let function = interpreter.withStack { stack in
        stack.push(functions)
        stack.rawGet(name.rawValue, at: -1)
        return stack.value(at: -1).referenceValue
      }
      guard let function = function ?? nil else { throw LuaError("the interpreter has closed") }
      return function
    }
  }

  /// Calls a function and returns its first result.
  func call(_ name: Name, _ arguments: [LuaValue]) throws(LuaError) -> LuaValue {
    if !isCompiled { try compile() }
    let value = try interpreter.withStack { (stack: LuaStack) throws(LuaError) -> LuaValue in
      guard stack.ensure(arguments.count + 6) else { throw LuaError("stack overflow") }
      stack.beginCall()
      stack.push(functions)
      stack.rawGet(name.rawValue, at: -1)
      stack.remove(at: -2)
      for argument in arguments { stack.push(argument) }
      try stack.call(arguments: arguments.count, results: 1)
      return stack.value(at: -1)
    }
    guard let value else { throw LuaError("the interpreter has closed") }
    return value
  }
}
