import Testing

@testable import LuaRuntime

@Suite("Confinement") struct ConfinementTests {
  private func confined(_ granted: Capabilities, _ refusal: Confinement.Refusal) throws
    -> LuaInterpreter
  {
    let lua = try LuaInterpreter()
    let confinement = Confinement(granted: granted, refusal: refusal) {
      "\($1) needs \($0.rawValue)"
    }
    lua.confine(to: confinement, hostGlobals: [])
    return lua
  }

  private static let listing = """
    local names = {}
    for name, value in pairs(_G) do
      names[#names + 1] = "_G." .. name
      if type(value) == "table" and value ~= _G then
        for member in pairs(value) do names[#names + 1] = name .. "." .. member end
      end
    end
    return table.concat(names, " ")
    """

  private func names(_ lua: LuaInterpreter) throws -> Set<String> {
    let text = try lua.run(Self.listing, chunkName: "=list").first?.stringValue?.description ?? ""
    return Set(text.split(separator: " ").map(String.init))
  }

  private func listed(where isIncluded: (StandardLibrary.Member) -> Bool) -> Set<String> {
    Set(
      StandardLibrary.members.flatMap { library, members in
        members.filter { isIncluded($0.value) }.keys.map { "\(library).\($0)" }
      })
  }

  @Test func theListHasEveryMemberOfLuasLibrary() throws {
    let lua = try LuaInterpreter()
    let present = try names(lua)
    #expect(present.subtracting(listed { _ in true }).isEmpty)
    lua.close()
  }

  @Test func whatIsNotGrantedIsNotThere() throws {
    let granted: Capabilities = [.time, .output]
    let lua = try confined(granted, .absent)
    let present = try names(lua)
    let allowed = listed { $0.needs.isSubset(of: granted) }
      .subtracting(["_G.io", "_G.debug"])
    // Lua may be built without what older versions had.
    #expect(present.isSubset(of: allowed))
    #expect(allowed.subtracting(present).allSatisfy { $0.hasPrefix("math.") })
    lua.close()
  }

  @Test func aMemberThatNobodyHasThoughtAboutIsNotThere() throws {
    let lua = try LuaInterpreter()
    try lua.run("string.newer = print; newer = {} ; os.newer = 1", chunkName: "=newer")
    let confinement = Confinement(granted: .all, refusal: .explained) { $1 }
    lua.confine(to: confinement, hostGlobals: [])
    let values = try lua.run("return string.newer, newer, os.newer", chunkName: "=ask")
    #expect(values == [.nil, .nil, .nil])
    lua.close()
  }

  @Test func refusalsAreCountedAndExplained() throws {
    let lua = try confined([.files], .explained)
    let results = try lua.run("return pcall(os.execute, 'true')", chunkName: "=ask")
    #expect(results.first == .bool(false))
    #expect(results.last?.stringValue?.description == "os.execute needs 32")
    #expect(lua.refusals == 1)
    #expect(lua.isRefusal("x:1: os.execute needs 32") && !lua.isRefusal("another"))
    #expect(throws: Refused.self) { try lua.demand(.processes, for: "x") }
    #expect(throws: Never.self) { try lua.demand(.files, for: "x") }
    lua.close()
  }

  @Test func aGuardedFunctionKeepsItsNameInMessages() throws {
    let lua = try confined([.files], .explained)
    let results = try lua.run("return pcall(function() io.open({}) end)", chunkName: "=ask")
    #expect(
      results.last?.stringValue?.description
        == "ask:1: bad argument #1 to 'open' (string expected, got table)")
    lua.close()
  }

  /// Lists the functions of Lua's library, and tells which of them the confinement has taken away or
  /// replaced.
  private static let census = """
    local function functions()
      local found, seen = {}, {}
      local function visit(value)
        if type(value) == "function" then found[value] = true end
        if type(value) ~= "table" or seen[value] then return end
        seen[value] = true
        for _, inner in next, value do visit(inner) end
      end
      visit(_G) visit(getmetatable("")) visit(getmetatable(io.stdout))
      return found
    end
    local before = functions()
    return function()
      local after = functions()
      return function(f) return before[f] and not after[f] end
    end
    """

  /// Calls each member of the library with functions that look at what is on the stack. `isReplaced` is
  /// what `census` returns.
  private static let looking = """
    local found, levels = {}, 0
    local name
    local function look(...)
      for level = 1, 20 do
        local info = debug.getinfo(level, "nf")
        if not info then break end
        levels = levels + 1
        if info.func and isReplaced(info.func) then found[name] = true end
      end
      return ...
    end
    local metatable = {__gc = look, __close = look}
    for _, event in ipairs{"index", "newindex", "call", "len", "tostring", "eq", "lt", "le", "concat",
        "add", "unm", "pairs"} do
      metatable["__" .. event] = look
    end
    local function object() return setmetatable({}, metatable) end
    local function arguments()
      return {
        {look}, {look, look}, {look, look, look, look}, {object()}, {object(), object()},
        {{object(), object(), object()}, look}, {"x", "x", look}, {"x", ".", object()},
        {{3, 2, 1}, look}, {{3, 2, 1}, 1, 3, 1, object()}, {1, look}, {"x", look}, {object(), look},
        {coroutine.create(look), 1}, {look, "n", "b"},
      }
    end
    -- These wait for standard input, or change the tests' own standard output; and the messages of
    -- `require` as a handler of its own errors double each time.
    local left = {["io.read"] = true, ["io.lines"] = true, ["io.close"] = true, ["io.input"] = true,
      ["_G.dofile"] = true, ["_G.loadfile"] = true, ["_G.require"] = true}
    for library, members in pairs{_G = _G, string = string, table = table, math = math, os = os, io = io,
        utf8 = utf8, coroutine = coroutine, package = package, debug = debug} do
      for key, member in pairs(members) do
        name = library .. "." .. key
        if type(member) == "function" and not left[name] then
          for _, list in ipairs(arguments()) do
            pcall(member, table.unpack(list))
            coroutine.resume(coroutine.create(member), table.unpack(list))
          end
          for _, way in ipairs{
            function(f) xpcall(f, look) end,
            function(f) xpcall(error, f, look) end,
            function(f) table.sort({3, 2, 1}, f) end,
            function(f) string.gsub("x", ".", f) end,
            function(f) coroutine.wrap(f)(look) end,
            function(f) local x <close> = object() f(look) end,
            function(f) table.insert(package.searchers, 1, f) require(name) end,
            function(f) for _ in f, look, object() do break end end,
            function(f) load(f, look) end,
          } do pcall(way, member) end
          while package.searchers[1] == member do table.remove(package.searchers, 1) end
        end
      end
    end
    collectgarbage()
    local names = {}
    for name in pairs(found) do names[#names + 1] = name end
    table.sort(names)
    return table.concat(names, " "), levels
    """

  private func listsReplacements(_ lua: LuaInterpreter, confine: () -> Void) throws {
    let census = try #require(try lua.run(Self.census, chunkName: "=census").first)
    confine()
    lua.setGlobal("isReplaced", try #require(try lua.call(census).first))
  }

  @Test func noMemberHandsOutAFunctionThatAGuardHasReplaced() throws {
    let lua = try LuaInterpreter()
    let granted = Capabilities.all
      .subtracting([.fileChanges, .processes, .exit, .unsafeCode, .output])
    try listsReplacements(lua) {
      lua.confine(to: Confinement(granted: granted, refusal: .explained) { $1 }, hostGlobals: [])
    }
    let results = try lua.run(Self.looking, chunkName: "=look")
    #expect(results.first?.stringValue?.description == "")
    // They were called at all.
    #expect((results.last?.integerValue ?? 0) > 100)
    lua.close()
  }

  @Test func informationAboutAFunctionOfCHasTheFunctionOnlyForUnsafeCode() throws {
    let ask = """
      local function named() return debug.getinfo(1, "f").func end
      return debug.getinfo(print, "f").func == print, debug.getinfo(0, "f").func ~= nil,
        named() == named, debug.getinfo(print, "S").what, debug.getinfo(1000)
      """
    let bounded = try confined(.all.subtracting(.unsafeCode), .explained)
    #expect(try bounded.run(ask, chunkName: "=ask") == [false, false, true, "C", .nil])
    bounded.close()
    let free = try confined(.all, .explained)
    #expect(try free.run(ask, chunkName: "=ask") == [true, true, true, "C", .nil])
    free.close()
  }

  @Test func loadTakesTextOnlyWhateverItsReaderDoes() throws {
    let lua = try LuaInterpreter()
    try lua.run("chunk = string.dump(function() return 'ran' end)", chunkName: "=dump")
    lua.confine(
      to: Confinement(granted: .all.subtracting(.unsafeCode), refusal: .explained) { $1 },
      hostGlobals: ["chunk"])
    let results = try lua.run(
      """
      local function reader()
        local pieces = {chunk:sub(1, 1), chunk:sub(2)}
        return function() return table.remove(pieces, 1) end
      end
      return (load(chunk)), (load(chunk, "c", "b")), (load(reader(), "c", "bt")), (load(reader(), 1, "b")),
        (load("return 1", "c", "b"))()
      """, chunkName: "=ask")
    #expect(results == [.nil, .nil, .nil, .nil, 1])
    lua.close()
  }

  @Test func theFilesOfTheHostAreThoseOfTheBeginning() throws {
    let lua = try LuaInterpreter()
    var written = ""
    // What a script puts in the place of the files is not touched.
    try lua.run("real = io.stdout; io = {stdout = io.tmpfile()}", chunkName: "=swap")
    try lua.redirectOutput { written += String(decoding: $1, as: UTF8.self) }
    try lua.run("real:write('a\\n') io.stdout:write('b') io.stdout:close()", chunkName: "=write")
    lua.flushOutput()
    #expect(written == "a\n")
    lua.close()
  }
}
