/// Attacks on the host's own code: what it calls, what it is given, and what it spends.
extension Attack {
  // MARK: Replaced functions and metatables

  static let replacements: [Attack] = [
    Attack(
      "every function of Lua's library replaced by a spy",
      #"""
      local print, type, pairs, next, pcall = print, type, pairs, next, pcall
      local function spy(name, f)
        return function(...) print("called", name, ...) return f(...) end
      end
      for library, members in pairs{_G = _G, string = string, table = table, math = math, os = os,
          utf8 = utf8, coroutine = coroutine, package = package} do
        for name, value in pairs(members) do
          if type(value) == "function" and name ~= "spy" then
            members[name] = spy(library .. "." .. name, value)
          end
        end
      end
      for _, attempt in next, {
        function() require "plain" end, function() require "zz;/proc/self/environ;" end,
        function() return tostring(rac.tuple(1, 2)), rac.tuple(1) == rac.tuple(1) end,
        function() rac.error("x"):wait() end, function() return rac.json.encode{1, {a = 2}} end,
        function() return rac.json.decode('{"a": [1, 2]}') end,
        function() rac.command{name = "a", run = function() return 1 end}:execute():wait() end,
        function() rac.log.info(rac.tuple(1)) end, function() return rac.env.TOKEN end,
        function() return rac.combine_latest(rac.just(1), rac.just(2)):first() end,
        function() return load("return 1") end, function() return rac.stats().memory end,
      } do print(pcall(attempt)) end
      """#),
    Attack(
      "every function of Lua's library taken away",
      #"""
      local print, pcall, require, rac, next = print, pcall, require, rac, next
      for _, library in next, {string, table, math, os, utf8, coroutine, package} do
        for name in next, library do library[name] = nil end
      end
      local globals = _G
      for name in next, globals do globals[name] = nil end
      print(pcall(require, "plain"))
      print(pcall(function() return rac.combine_latest(rac.just(1), rac.just(2)):first() end))
      print(pcall(function() rac.error("x"):wait() end))
      print(pcall(function() rac.command{name = "a", run = function() return 1 end}:execute():wait() end))
      """#),
    Attack(
      "the metatable of strings",
      #"""
      print(getmetatable(""), pcall(setmetatable, "", {}))
      print(pcall(function() getmetatable("").__index = function(s, k) print(s, k) end end))
      string.format = function(...) print("format", ...) return "" end
      string.find, string.match, string.sub = string.format, string.format, string.format
      print(pcall(require, "plain"), pcall(require, "nothing"))
      """#),
    Attack(
      "the metatable of _G",
      #"""
      local print, tostring = print, tostring
      setmetatable(_G, {
        __index = function(_, name) print("read", name) end,
        __newindex = function(_, name, value) print("written", name, tostring(value)) end,
      })
      rac, arg, print_ = nil, nil, nil
      local rac = require "rac"
      print(pcall(require, "plain"), pcall(rac.sh, "touch pwned"), rac.env.TOKEN)
      rac.command{name = "a", run = function() return nowhere end}:execute():wait()
      """#),
    Attack(
      "the tables of rac replaced and given metatables",
      #"""
      local log, commands = rac.log, rac.commands
      rac.log, rac.json, rac.tuple, rac.commands = nil, nil, nil, nil
      setmetatable(rac, {__index = function(_, name) print("asked for", name) end,
        __newindex = function(_, name, value) print("set", name, value) end})
      setmetatable(commands, {__newindex = function(_, name, value) print("defined", name) end})
      rac.command{name = "a", run = function() return rac.zip(rac.just(1), rac.just(2)) end}
      print(commands.a and pcall(function() return commands.a:execute():first() end))
      log.info("x")
      """#),
    Attack(
      "values that are other values while they are read",
      #"""
      local function liar() return setmetatable({}, {__tostring = function() return "touch pwned" end,
        __len = function() return 1e9 end, __index = function(_, i) return i end, __name = "string",
        __pairs = function() return next, {}, nil end, __eq = function() return true end,
        __lt = function() return true end, __concat = function() return "x" end,
        __call = function() return "called" end, __close = function() end}) end
      for name, f in pairs(rac) do
        if type(f) == "function" and name ~= "stdin" then
          pcall(f, liar()) pcall(f, liar(), liar(), liar()) pcall(f, {liar(), [liar()] = liar()})
        end
      end
      print(pcall(rac.json.encode, liar()), pcall(rac.json.encode, {liar()}))
      """#),
  ]

  // MARK: Coroutines

  static let coroutines: [Attack] = [
    Attack(
      "the host's coroutine closed and resumed by another",
      #"""
      local running = coroutine.running()
      rac.timer(0):subscribe(function()
        print(coroutine.status(running), coroutine.close(running))
        print(coroutine.resume(running, "x"))
      end)
      print(pcall(rac.sleep, 0.05))
      """#),
    Attack(
      "the interpreter's own thread closed and resumed",
      #"""
      local main
      rac.timer(0):subscribe(function() main = coroutine.running() end)
      rac.sleep(0.02)
      local function attempt()
        print(coroutine.status(main), pcall(coroutine.close, main))
        print(coroutine.resume(main, print, "forged"), pcall(coroutine.wrap(coroutine.close), main))
      end
      attempt()
      rac.async(attempt):wait()
      rac.timer(0):subscribe(attempt)
      rac.scheduler.main:schedule(function() rac.just(1):map(attempt):wait() end)
      rac.sleep(0.02)
      """#),
    Attack(
      "the host's coroutine resumed in a wait",
      #"""
      local running = coroutine.running()
      rac.timer(0):subscribe(function()
        for i = 1, 3 do print(coroutine.resume(running, "forged")) end
        print(pcall(coroutine.wrap(function() return coroutine.resume(running) end)))
      end)
      print(rac.timer(0.02):map(function() return "real" end):first())
      """#),
    Attack(
      "refused functions in coroutines, resumed by others",
      #"""
      local function attempt(f, ...) return coroutine.resume(coroutine.create(f), ...) end
      print(attempt(rac.sh, "touch pwned"), attempt(rac.exec, {"touch", "pwned"}))
      print(attempt(require, "zz;/proc/self/environ;"), attempt(rac.watch, "/"))
      local co = coroutine.wrap(function() return coroutine.wrap(rac.sh)("touch pwned") end)
      print(pcall(co))
      """#),
    Attack(
      "yields where the host does not expect them",
      #"""
      print(pcall(function() rac.just(1):map(coroutine.yield):wait() end))
      print(pcall(function() rac.command(coroutine.yield):execute():wait() end))
      print(pcall(require, setmetatable({}, {__tostring = coroutine.yield})))
      print(pcall(tostring, setmetatable({}, {__tostring = coroutine.yield})))
      print(pcall(coroutine.yield, 1))
      """#),
  ]

  // MARK: Errors

  static let errors: [Attack] = [
    Attack(
      "error objects of the host",
      #"""
      local function look(ok, failure)
        print(ok, type(failure), getmetatable(failure))
        if type(failure) ~= "table" then return end
        for key, value in next, failure do print(key, type(value), value) end
        print(pcall(setmetatable, failure, {}))
      end
      look(pcall(function() rac.never():timeout(0):wait() end))
      look(pcall(function() rac.command{name = "a", run = error}:execute("x"):wait() end))
      look(pcall(rac.json.decode, "{"))
      look(pcall(rac.sh, "touch pwned"))
      look(pcall(function() rac.just(1):map(function() return nil + 1 end):wait() end))
      look(xpcall(rac.sh, function(e) return e end, "touch pwned"))
      """#),
    Attack(
      "an error whose text never ends",
      options: ["--time-limit", "200ms"], end: .failure("time limit"),
      "print(pcall(tostring, 1)) error(('x'):rep(64), 0, (('a'):rep(64)):find(('.-'):rep(32) .. 'b'))"
    ),
    Attack(
      "an error whose __tostring never ends", options: ["--time-limit", "200ms"],
      end: .failure("raclette"),
      "error(setmetatable({}, {__tostring = function() while true do end end}))"),
    Attack(
      "errors whose texts fail or lie", end: .failure("raclette"),
      #"""
      for _, value in ipairs{function() error("inner") end, function() return 5 end,
          function() return ("x"):rep(1e6) end, function() coroutine.yield() end} do
        rac.error(setmetatable({}, {__tostring = value, __name = ("n"):rep(1000)})):subscribe(nil)
        rac.log.info(setmetatable({}, {__tostring = value}))
      end
      """#),
    Attack(
      "a message handler that fails for ever",
      #"""
      local function handler(e) return nil + e end
      print(xpcall(function() error("x") end, handler))
      print(select("#", xpcall(error, function(e) error(e) end, "x")))
      """#),
  ]

  // MARK: Memory

  private static let small = ["--memory-limit", "16M"]

  static let memory: [Attack] = [
    Attack(
      "one large string", options: small, end: .failure("memory limit"), "return ('x'):rep(1 << 30)"
    ),
    Attack(
      "a string that doubles", options: small, end: .failure("memory limit"),
      "local s = 'x' while true do s = s .. s end"),
    Attack(
      "tables", options: small, end: .failure("memory limit"),
      "local t = {} while true do t[#t + 1] = {} end"),
    Attack(
      "closures, coroutines and objects of the library", options: small,
      end: .failure("memory limit"),
      #"""
      local t = {}
      while true do t[#t + 1] = {coroutine.create(print), function() return t end, rac.just(t)} end
      """#),
    Attack(
      "memory with the collector stopped", options: small, end: .failure("memory limit"),
      "collectgarbage('stop') local t = {} while true do t = {t, ('x'):rep(1000) .. #t} end"),
    Attack(
      "memory caught and asked for again", options: small + ["--time-limit", "2s"],
      // Whichever of the two limits it meets first.
      end: .failure("attack.lua:1: the "),
      "local kept = {} while true do pcall(function() while true do kept[#kept + 1] = {} end end) end"
    ),
    Attack(
      "values that signals keep", options: small + ["--time-limit", "500ms"],
      end: .failure("raclette"),
      """
      local all = rac.replay_subject()
      for i = 1, math.huge do all:send_next({("x"):rep(100) .. i}) end
      """),
    Attack(
      "timers, commands and subscriptions without an end",
      options: small + ["--time-limit", "500ms"], end: .failure("raclette"),
      """
      local kept = {}
      for i = 1, math.huge do
        rac.timer(100):subscribe(print)
        kept[i] = rac.command(function() return rac.never() end)
        kept[i]:execute()
      end
      """),
    Attack(
      "string.format, string.pack, table.concat and load", options: small,
      #"""
      print(pcall(string.format, "%099d", 1), pcall(string.format, "%s", {}, {}))
      print(pcall(string.pack, "!16 i16 z", 1, ("x"):rep(1000)), pcall(string.pack, ("i"):rep(1e5)))
      print(pcall(string.rep, "x", math.maxinteger), pcall(string.rep, "x", -1))
      print(pcall(table.concat, setmetatable({}, {__len = function() return 1e9 end})))
      print(pcall(load, ("a="):rep(1e5)), pcall(load, function() return "x" end))
      print(pcall(table.unpack, {}, 1, 1e7), pcall(table.unpack, {}, 1, math.maxinteger))
      print(pcall(string.char, table.unpack(setmetatable({}, {__index = function() return 65 end}), 1, 200)))
      """#),
  ]

  // MARK: Time

  private static let quick = ["--time-limit", "200ms"]

  static let time: [Attack] = [
    Attack("a loop", options: quick, end: .failure("without a pause"), "while true do end"),
    Attack(
      "a loop that catches errors", options: quick, end: .failure("without a pause"),
      "while true do pcall(function() while true do end end) end"),
    Attack(
      "a loop in coroutines", options: quick, end: .failure("without a pause"),
      "while true do coroutine.wrap(function() while true do coroutine.wrap(function() end)() end end)() end"
    ),
    Attack(
      "a loop in __close", options: quick, end: .failure("without a pause"),
      "local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end"
    ),
    Attack(
      "a loop in metamethods", options: quick, end: .failure("without a pause"),
      "local t = setmetatable({}, {__index = function() while true do end end}) return t.x"),
    Attack(
      "a loop in a callback", options: quick, end: .failure("without a pause"),
      "rac.just(1):map(function() while true do end end):wait()"),
    Attack(
      "a match that takes for ever", options: quick, end: .failure("inside one call of C"),
      "return (('a'):rep(64)):find(('.-'):rep(32) .. 'b')"),
    Attack(
      "a string repeated for ever", options: quick, end: .failure("inside one call of C"),
      "return (''):rep(1 << 60)"),
    Attack(
      "a table moved for ever", options: quick, end: .failure("inside one call of C"),
      "return table.move({}, 1, 1 << 60, 2)"),
  ]

  // MARK: Depth

  static let depth: [Attack] = [
    Attack(
      "calls without an end",
      #"""
      local function f() return 1 + f() end
      print(pcall(f))
      local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k + 1] end
      print(pcall(function() return t[1] end))
      print(pcall(string.gsub, "x", "x", function() return string.gsub("x", "x", f) end))
      """#),
    Attack(
      "nested coroutines, patterns, parentheses and JSON",
      #"""
      local function nest(n) return coroutine.wrap(function() return nest(n + 1) end)() end
      print(pcall(nest, 1))
      print(pcall(string.find, ("("):rep(1000), ("("):rep(1000)))
      print(pcall(string.match, ("x"):rep(300000), ("x?"):rep(300000)))
      print(load("return " .. ("("):rep(1000) .. "1" .. (")"):rep(1000)))
      print(load(("do "):rep(1000) .. ("end "):rep(1000)))
      print(pcall(rac.json.decode, ("["):rep(100000)))
      local deep = {} for i = 1, 100000 do deep = {deep} end
      print(pcall(rac.json.encode, deep))
      local cyclic = {} cyclic[1] = cyclic
      print(pcall(rac.json.encode, cyclic), pcall(rac.json.encode, _G))
      """#),
    Attack(
      "signals without an end inside each other",
      #"""
      local signal = rac.just(1)
      for i = 1, 2000 do signal = signal:map(function(x) return x end) end
      print(pcall(function() return signal:first() end))
      local subject = rac.subject()
      subject:subscribe(function(n) subject:send_next(n + 1) if n > 1000 then subject:send_completed() end end)
      print(pcall(subject.send_next, subject, 1))
      local function again() return rac.defer(again) end
      print(pcall(function() return again():first() end))
      """#),
  ]
}
