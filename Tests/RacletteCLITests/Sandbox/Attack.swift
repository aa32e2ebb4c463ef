/// A script that tries to get out of the sandbox, or to take more than it is given.
struct Attack: Sendable, CustomStringConvertible {
  /// What it has to end as, beside telling nothing.
  enum End: Sendable {
    /// Any end but a crash.
    case any
    /// With these words on standard error.
    case failure(String)
  }

  let name: String
  /// It prints what it gets.
  let code: String
  var options: [String] = []
  var end = End.any

  var description: String { name }

  init(_ name: String, options: [String] = [], end: End = .any, _ code: String) {
    self.name = name
    self.code = code
    self.options = options
    self.end = end
  }

  static let all: [Attack] =
    modules + files + environment + unsafeCode + finalizers + replacements + coroutines + errors
    + memory + time + depth

  // MARK: Files through require

  static let modules: [Attack] = [
    Attack(
      "a replaced string.gsub and a template in a module's name",
      #"""
      string.gsub = function(s) print(s) return "" end
      pcall(require, "zz;/proc/self/environ;")
      pcall(require, "zz;../outside/secret.txt;")
      """#),
    Attack(
      "replaced string methods while a module is searched and read",
      #"""
      for name in pairs(string) do string[name] = function(...) print(name, ...) return "" end end
      print(pcall(require, "plain"))
      """#),
    Attack(
      "templates in a module's name",
      #"""
      for _, name in ipairs{"zz;../outside/secret.txt;", "zz;/proc/self/environ;", ";/proc/self/environ",
          "?;/etc/passwd", "zz\n;/etc/passwd;", "/etc/passwd;"} do print(pcall(require, name)) end
      """#),
    Attack(
      "module names with slashes, zero bytes and other marks",
      #"""
      for _, name in ipairs{"/etc/passwd", "../outside/secret", "./plain/../../outside/secret",
          "secret.txt\0", "../outside/secret.txt\0", "!", "?", "", "..", "...", "a\\b", "~/secret",
          "$TOKEN", "%2e", "..outside.secret", ".proc.self.environ"} do print(pcall(require, name)) end
      """#),
    Attack(
      "module names that are no texts, or are long",
      #"""
      for _, name in ipairs{1, 1.5, true, {}, print, ("a"):rep(5000), ("a."):rep(3000),
          setmetatable({}, {__tostring = function() return "/etc/passwd" end})} do
        print(pcall(require, name))
      end
      print(pcall(require))
      """#),
    Attack(
      "a module that is a link out of its folder", "print(pcall(require, 'link')) print(SECRET)"),
    Attack(
      "a module below a linked folder", "print(pcall(require, 'linked.secret')) print(SECRET)"),
    Attack("a module that is a FIFO", "print(pcall(require, 'fifo'))"),
    Attack("a module that is a device", "print(pcall(require, 'zero'))"),
    Attack(
      "package.path and package.cpath",
      #"""
      print(package.path, package.cpath)
      package.path = "../outside/?.txt;/proc/self/?;/etc/?"
      package.cpath = "../outside/?.txt"
      for _, name in ipairs{"secret", "environ", "passwd"} do print(pcall(require, name)) end
      """#),
    Attack(
      "the package library's other functions",
      #"""
      print(package.loadlib, package.searchpath, package.searchers, package.loaders, package.seeall)
      package.searchers = {function(name) print("searching", name) return print end}
      package.searchers[2] = io and io.open
      print(pcall(require, "nothing"))
      print(pcall(package.loadlib, "/lib/x86_64-linux-gnu/libc.so.6", "system"))
      """#),
    Attack(
      "libraries of Lua by require",
      #"""
      for _, name in ipairs{"io", "debug", "os", "package", "_G", "string", "ffi", "posix", "lfs",
          "lpeg", "socket", "cjson", "rac"} do
        local ok, module = pcall(require, name)
        print(name, ok, module)
        if ok then
          print(module.popen, module.execute, module.getenv, module.loadlib, module.getregistry,
            module.dump, module.open)
        end
      end
      """#),
    Attack(
      "package.loaded and package.preload",
      #"""
      print(package.loaded.io, package.loaded.debug, package.loaded.os.execute)
      package.loaded.plain = nil
      package.preload.plain = function(...) print("preload", ...) return true end
      print(pcall(require, "plain"))
      setmetatable(package.loaded, {__index = function(_, name) print("asked", name) end,
        __newindex = function(_, name, value) print("set", name, value) end})
      print(pcall(require, "plain"), pcall(require, "zz;/proc/self/environ;"))
      """#),
    Attack(
      "a module that is compiled", "print(pcall(require, 'compiled'))"),
  ]

  // MARK: Files and processes through the library

  static let files: [Attack] = [
    Attack(
      "io, dofile and loadfile",
      #"""
      print(io, dofile, loadfile, os.remove, os.rename, os.tmpname)
      print(pcall(function() for line in io.lines("../outside/secret.txt") do print(line) end end))
      print(pcall(function() io.open("pwned", "w"):write("x"):close() end))
      print(pcall(dofile, "../outside/secret.lua"), pcall(loadfile, "../outside/secret.lua"))
      """#),
    Attack(
      "os.execute, os.exit, os.setlocale and io.popen",
      #"""
      print(os.execute, os.exit, os.setlocale, os.getenv)
      print(pcall(function() return os.execute("touch pwned") end))
      print(pcall(function() return io.popen("touch pwned"):read("a") end))
      """#),
    Attack(
      "the metatables of file handles",
      #"""
      for _, value in pairs{print, rac.stdin(), rac.just(1), rac.scheduler.main, rac.env, ""} do
        local meta = getmetatable(value)
        print(type(value), meta, type(meta) == "table" and meta.__name)
      end
      """#),
    Attack(
      "rac.exec and rac.sh in every way to call them",
      #"""
      local function try(f, ...) print(pcall(f, ...)) end
      try(rac.exec, {"touch", "pwned"})
      try(rac.sh, "touch pwned")
      try(coroutine.wrap(rac.sh), "touch pwned")
      try(function() rac.async(function() rac.sh("touch pwned"):wait() end):wait() end)
      try(function() rac.just("touch pwned"):flat_map(rac.sh):wait() end)
      try(function() rac.just("touch pwned"):map(rac.sh):to_table() end)
      try(function() rac.defer(function() return rac.sh("touch pwned") end):wait() end)
      try(function() rac.try(rac.sh, "touch pwned"):wait() end)
      local command = rac.command{name = "c", run = function() return rac.exec{"touch", "pwned"} end}
      try(function() command:execute():wait() end)
      try(function() rac.command(function() return rac.sh("touch pwned") end):execute():wait() end)
      rac.scheduler.main:schedule(function() try(rac.sh, "touch pwned") end)
      rac.sleep(0.05)
      """#),
    Attack(
      "rac.watch and rac.file_exists",
      #"""
      print(pcall(rac.watch, "../outside"), pcall(rac.watch, {"/"}, {recursive = false}))
      print(pcall(rac.file_exists, "../outside/secret.txt"))
      """#),
    Attack(
      "keys of rac.command that name files",
      #"""
      for _, file in ipairs{"../outside/secret.txt", "/proc/self/environ", "fifo", "/dev/zero"} do
        print(pcall(rac.command, {name = "a", env_file = file, run = print}))
        print(pcall(rac.command, {name = "b", env_file = {file}, run = print}))
        print(pcall(rac.command, {name = "c", cwd = file, run = print}))
      end
      for name, command in pairs(rac.commands) do
        print(name, pcall(function() command:execute():wait() end))
      end
      """#),
    Attack(
      "a key of rac.command behind a metatable",
      #"""
      local asked = {}
      local definition = setmetatable({name = "a", run = print}, {__index = function(_, key)
        asked[#asked + 1] = key
        return "../outside/secret.txt"
      end})
      print(pcall(function() rac.command(definition):execute():wait() end), #asked)
      """#),
    Attack(
      "a table that changes while it is read",
      #"""
      local definition = {name = "a"}
      definition.run = function() definition.env_file = "../outside/secret.txt" end
      local command = rac.command(definition)
      for _ = 1, 2 do print(pcall(function() command:execute():wait() end)) end
      """#),
    Attack(
      "standard input, which is granted, and no more",
      "rac.stdin():subscribe(print) print(pcall(rac.stdin, '../outside/secret.txt'))"),
  ]

  // MARK: The environment

  static let environment: [Attack] = [
    Attack(
      "rac.env",
      #"""
      print(rac.env.TOKEN, rac.env.HOME, getmetatable(rac.env), rawget(rac.env, "TOKEN"))
      for name, value in pairs(rac.env) do print(name, value) end
      rac.env.TOKEN = "x"
      print(rac.env.TOKEN)
      """#),
    Attack(
      "variables and folders of the user in paths, arguments and messages",
      #"""
      print(package.path, package.cpath, package.config, select("#", table.unpack(arg)))
      print(pcall(require, "no.such.module"))
      local ok, trace = xpcall(error, function(e) return tostring(e) end, rac.stats)
      print(trace)
      """#),
    Attack(
      "secrets by name",
      #"""
      local command = rac.command{name = "a", secrets = {"TOKEN"}, env = {A = "$TOKEN"},
        run = function(input) print(input) return "$TOKEN" end}
      command:execute{TOKEN = true}:subscribe(print)
      """#),
    Attack(
      "os.date and os.time",
      #"""
      for _, format in ipairs{"%Z", "%c", "%", "%E", "%Ez", "%O", ("%c"):rep(100), "\0", "*t", "!*t"} do
        print(pcall(os.date, format))
      end
      print(pcall(os.date, "%Y", 1e300), pcall(os.time, {year = 1e300, month = 1, day = 1}))
      """#),
  ]

  // MARK: The interpreter's insides

  static let unsafeCode: [Attack] = [
    Attack(
      "string.dump and compiled chunks",
      #"""
      print(string.dump, ("").dump)
      local chunk = "\27Lua\x54\0\x19\x93\r\n\x1a\n\4\8\8" .. ("x"):rep(100)
      for _, mode in ipairs{"b", "bt", "t", "tb", "x", ""} do print(load(chunk, "c", mode)) end
      print(load(chunk), pcall(load, chunk, nil, nil, {}))
      local pieces = {"\27", "Lua", "T"}
      print(load(function() return table.remove(pieces, 1) end, "c", "b"))
      print(pcall(load, chunk, "c", setmetatable({}, {__tostring = function() return "b" end})))
      """#),
    Attack(
      "load with environments of its own",
      #"""
      print(load("return io, debug, os and os.execute", "c", "bt", _G)())
      print(load("return io, debug", "c", nil, setmetatable({}, {__index = _G}))())
      print(pcall(load("return _ENV")()))
      """#),
    Attack(
      "the debug library",
      #"""
      print(debug, package.loaded.debug, pcall(require, "debug"))
      print(pcall(function() return debug.getregistry() end))
      print(pcall(function() return debug.getupvalue(require, 1) end))
      print(pcall(function() debug.sethook(print, "l") end))
      """#),
    Attack(
      "everything that can be reached from what a script has",
      #"""
      local forbidden, seen, count = {popen = 1, execute = 1, getenv = 1, dump = 1, loadlib = 1,
        getregistry = 1, sethook = 1, loadfile = 1, dofile = 1, searchers = 1, searchpath = 1,
        tmpname = 1, setlocale = 1, getupvalue = 1, TOKEN = 1}, {}, 0
      local function walk(value, path)
        local kind = type(value)
        if kind ~= "table" and kind ~= "userdata" or seen[value] then return end
        seen[value], count = true, count + 1
        local meta = getmetatable(value)
        if type(meta) == "table" then print("metatable at", path) walk(meta, path .. "{}") end
        if kind ~= "table" then return end
        for key, inner in next, value do
          if forbidden[key] then print("reached", path, key, inner) end
          walk(key, path .. "[]") walk(inner, path .. "." .. tostring(key))
        end
      end
      local _, failure = pcall(function() rac.error("x"):wait() end)
      local command = rac.command{name = "c", run = function() error("x") end}
      local execution = command:execute()
      local _, failed = pcall(function() execution:wait() end)
      for name, value in pairs{G = _G, rac = rac, tuple = rac.tuple(1, {}), failure = failure,
          failed = failed, command = command, execution = execution, subject = rac.subject(),
          json = rac.json.decode('{"a": [1, null]}'), list = rac.range(1, 2):to_table(),
          test = rac.test_scheduler()} do walk(value, name) end
      print(count > 20)
      """#),
    Attack(
      "metatables of the library's objects",
      #"""
      for name, value in pairs{tuple = rac.tuple(1), signal = rac.just(1), subject = rac.subject(),
          scheduler = rac.scheduler.main, env = rac.env, commands = rac.commands} do
        print(name, getmetatable(value), pcall(setmetatable, value, {}))
        for _, key in ipairs{"__index", "__gc", "__metatable", "__name", "__newindex", "__pairs"} do
          local ok, field = pcall(function() return value[key] end)
          print(key, ok and type(field))
          pcall(function() value[key] = function() print("called") end end)
        end
      end
      collectgarbage() collectgarbage()
      """#),
    Attack(
      "methods of the library on objects of another kind",
      #"""
      local signal, subject, tuple = rac.just(1), rac.subject(), rac.tuple(1)
      local command = rac.command(function() return rac.empty() end)
      for _, method in pairs{signal.map, subject.send_next, command.execute, tuple.unpack,
          rac.scheduler.main.schedule} do
        for _, object in pairs{signal, subject, command, tuple, {}, "x", 1, print} do
          pcall(method, object, print, print)
        end
      end
      print("still here")
      """#),
    Attack(
      "the addresses that a script can see",
      "print(tostring(print), ('%p'):format({}), rac.just(1))"),
  ]

  // MARK: Finalizers

  static let finalizers: [Attack] = [
    Attack(
      "__gc in a metatable",
      #"""
      local function finalizer() print("finalizer ran") end
      print(pcall(setmetatable, {}, {__gc = finalizer}))
      local late = {}
      setmetatable({}, late)
      late.__gc = finalizer
      collectgarbage()
      print(pcall(setmetatable, {}, late))
      print(pcall(setmetatable, {}, setmetatable({}, {__index = {__gc = finalizer}})))
      collectgarbage() collectgarbage()
      """#),
    Attack(
      "__gc in the metatable of tuples and of errors",
      #"""
      local function finalizer() print("finalizer ran") end
      local methods = rac.tuple(1).__index
      print(type(methods))
      if type(methods) == "table" then methods.__gc = finalizer end
      local _, failure = pcall(function() rac.error("x"):timeout(0):wait() end)
      for i = 1, 100 do rac.tuple(i) end
      collectgarbage() collectgarbage()
      """#),
    Attack(
      "settings of the garbage collector",
      #"""
      for _, option in ipairs{"stop", "restart", "incremental", "generational", "step", "count",
          "isrunning", "setpause", "setstepmul", "collect", "nonsense"} do
        print(option, pcall(collectgarbage, option, 10, 1000, 1))
      end
      collectgarbage("incremental", 1, 1, 1)
      for i = 1, 1e4 do rac.just({}) end
      print(pcall(setmetatable, {}, {__close = function() collectgarbage() end}))
      """#),
    Attack(
      "__mode and __close", end: .failure("closing"),
      #"""
      local weak = setmetatable({}, {__mode = "kv"})
      for i = 1, 1000 do weak[rac.just(i)] = rac.subject() end
      collectgarbage()
      do local x <close> = setmetatable({}, {__close = function() error("closing") end}) end
      """#),
  ]
}
