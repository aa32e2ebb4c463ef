import LuaRuntime

/// What a script cannot do that somebody else wrote: reach files, processes, the environment or the
/// interpreter's insides, and take all memory or time.
///
/// It can compute, use signals, timers and commands, read standard input, write to standard output
/// and standard error, and require Lua modules from the places that the program looks in. A single
/// operation inside C, such as a match of a pattern, cannot be stopped by Lua; a program that has to
/// be safe from that ends itself, see `LuaInterpreter.onStuck`.
public struct Sandbox: Sendable {
  /// The memory that Lua may hold, in bytes, unless the host says otherwise.
  public var memoryLimit = 256 << 20
  /// How long Lua code may run without a pause, unless the host says otherwise.
  public var timeLimit = Duration.seconds(10)

  /// The usual limits.
  public init() {}

  /// The functions of `rac` that start processes or look at files.
  private static let refused: Set = ["exec", "sh", "watch", "file_exists"]

  func refuses(_ function: APIFunction, of module: APIModule) -> Bool {
    module.path == "rac" && Self.refused.contains(function.name)
  }

  /// Takes away what Lua's own library has; to be called before the first script is loaded.
  func close(_ interpreter: LuaInterpreter) throws(LuaError) {
    try interpreter.run(Self.source, chunkName: Prelude.chunkName)
    interpreter.packageCPath = ""
  }

  // `getmetatable` of a string gives its name; of tables nothing changes. `__gc` counts only when it is
  // there as the metatable is set. Chunks are text: bytecode can crash the interpreter. The real
  // package table stays with `require`, so that what a script does to its copy has no effect.
  private static let source = """
    local load, setmetatable, type, rawget, error = load, setmetatable, type, rawget, error

    function _G.load(chunk, name, _, ...)
      return load(chunk, name, "t", ...)
    end

    function _G.setmetatable(object, ...)
      local metatable = ...
      if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
        error("'__gc' is not available in the sandbox", 2)
      end
      return setmetatable(object, ...)
    end

    getmetatable("").__metatable = "string"
    string.dump, dofile, loadfile = nil, nil, nil

    local os = {clock = os.clock, date = os.date, difftime = os.difftime, time = os.time}
    local searchers, real = package.searchers, package
    local open, searchpath = io.open, package.searchpath
    searchers[3], searchers[4] = nil, nil
    searchers[2] = function(name)
      local path, problem = searchpath(name, real.path)
      if not path then return problem end
      local file <close> = open(path, "rb")
      local text = file:read("a"):gsub("^\\xEF\\xBB\\xBF", ""):gsub("^#[^\\n]*", "")
      local chunk, problem = load(text, "@" .. path, "t")
      if chunk then return chunk, path end
      error(("error loading module '%s' from file '%s':\\n\\t%s"):format(name, path, problem))
    end
    local package = {
      config = real.config, path = real.path, cpath = "", loaded = real.loaded,
      preload = real.preload,
    }
    local G = _G
    for name, value in next, {io = false, debug = false, os = os, package = package} do
      G[name] = value or nil
      real.loaded[name] = value or nil
    end
    """
}
