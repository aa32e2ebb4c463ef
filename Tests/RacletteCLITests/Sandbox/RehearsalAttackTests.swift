import Testing

/// A command file that is only looked at tries to do what looking does not allow: to run native code, to
/// change files, to start processes.
@Suite("attacks on a rehearsal", .timeLimit(.minutes(5)))
struct RehearsalAttackTests {
  static let attacks = [
    Attack(
      "load without its guard, and a compiled chunk that crashes",
      #"""
      local raw = load
      load(function()
        for level = 1, 20 do
          local info = debug.getinfo(level, "nf")
          if not info then break end
          if info.func and debug.getinfo(info.func, "S").what == "C" then raw = info.func end
        end
      end)
      local chunk = string.dump(function() local t = {} return t end, true)
      for i = 40, #chunk do
        local f = raw(chunk:sub(1, i - 1) .. "\xEE" .. chunk:sub(i + 1), "x", "b")
        if f then print("reached", pcall(f)) end
      end
      """#),
    Attack(
      "functions of C on the stack beneath every kind of callback",
      #"""
      local function look(...)
        for level = 1, 20 do
          local info = debug.getinfo(level, "nfS")
          if not info then break end
          if info.what == "C" and info.func then print("reached", info.name, info.func) end
        end
        return ...
      end
      local metatable = {__gc = look, __close = look}
      for _, event in ipairs{"index", "newindex", "call", "len", "tostring", "eq", "lt", "le",
          "concat", "unm", "pairs"} do metatable["__" .. event] = look end
      local function object() return setmetatable({}, metatable) end
      for library, members in pairs{_G = _G, string = string, table = table, math = math, os = os,
          io = io, utf8 = utf8, coroutine = coroutine, package = package, debug = debug} do
        for name, member in pairs(members) do
          if type(member) == "function" then
            for _, list in ipairs{{look}, {look, look}, {object()}, {object(), object()}, {"x", look},
                {"x", "x", look}, {{3, 2, 1}, look}, {{object(), object()}, look}, {look, "n", "b"}} do
              pcall(member, table.unpack(list))
              coroutine.resume(coroutine.create(member), table.unpack(list))
            end
            pcall(xpcall, member, look)
            pcall(function() load(member, look) load(look, member) end)
          end
        end
      end
      for _, member in pairs(rac) do
        if type(member) == "function" then pcall(member, look) pcall(member, object(), look) end
      end
      rac.just(1):map(look):flat_map(look):subscribe(look)
      table.insert(package.searchers, 1, look)
      pcall(require, "nothing")
      collectgarbage()
      """#),
    Attack(
      "numbers in the place of names",
      #"""
      for library, members in pairs{_G = _G, string = string, table = table, math = math, os = os,
          io = io, utf8 = utf8, package = package, debug = debug} do
        for name, member in pairs(members) do
          if type(member) == "function" then
            for _, list in ipairs{{5}, {5.5}, {5, "w"}, {5, 5}, {"other.txt", 5}, {5, 5, 5}} do
              pcall(function() member(table.unpack(list)):write("x"):close() end)
            end
          end
        end
      end
      for _, f in ipairs{rac.sh, rac.exec, rac.file_exists} do
        pcall(function() f(5):first() end) pcall(function() f{5}:first() end)
      end
      """#),
    Attack(
      "finalizers that run when nobody looks any more",
      #"""
      kept = {}
      for i, attempt in ipairs{
        function() io.output(5):write("x") end, function() os.execute("touch pwned") end,
        function() os.remove("commands.lua") end, function() io.open("pwned", "w"):close() end,
        function() rac.sh("touch pwned"):first() end, function() os.exit(true, true) end,
      } do
        kept[i] = setmetatable({}, {__gc = attempt})
        setmetatable({}, {__gc = attempt})
      end
      collectgarbage()
      """#),
  ]

  @Test(
    "held", arguments: attacks,
    [["check"], ["run", "-n", "a"], ["complete", "--", "run", ""]])
  func held(_ attack: Attack, _ looking: [String]) async {
    let folder = Folder([
      "commands.lua": "rac.command{name = 'a', run = print}\n" + attack.code,
      "other.txt": "no Lua",
    ])
    let before = Folder.names(in: folder.path)
    let launch = Launch(arguments: looking, folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(!(run.output + run.errors).contains("reached"), "\(run)")
    #expect(Folder.names(in: folder.path) == before, "changed files")
    #expect(run.status < 128, "\(run)")
  }
}
