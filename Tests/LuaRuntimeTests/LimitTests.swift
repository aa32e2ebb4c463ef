import LuaRuntime
import Testing

@Suite struct LimitTests {
  @Test func theMemoryLimitStopsACodeThatGrows() throws {
    let lua = try LuaInterpreter(memoryLimit: 4 << 20)
    let error = try failure(lua, "local t = {} for i = 1, 1e9 do t[i] = {} end")
    #expect(error.isMemoryLimit)
    #expect(error.message == "the memory limit of 4 MiB is reached")
    #expect(lua.memoryInUse < 4 << 20)
    #expect(try eval(lua, "return 1") == 1)
    #expect(try eval(lua, "return (pcall(string.rep, 'x', 1 << 30))") == false)
    #expect(try failure(lua, "string.rep('x', 1 << 30)").isMemoryLimit)
    #expect(
      try failure(lua, "coroutine.wrap(function() string.rep('x', 1 << 30) end)()").isMemoryLimit)
  }

  @Test func theLimitHoldsInCoroutinesAndInTheCompiler() throws {
    let lua = try LuaInterpreter(memoryLimit: 1 << 20)
    let function = try lua.load("string.rep('x', 1 << 24)", chunkName: "=test")
    #expect(try LuaCoroutine(lua, .reference(function)).resume().error?.isMemoryLimit == true)
    let long = "return {" + (0..<40_000).map { "'constant \($0)'," }.joined() + "}"
    #expect(
      try failure { () throws(LuaError) in _ = try lua.load(long, chunkName: "=t") }.isMemoryLimit)
  }

  @Test func insideAHostFunctionTheLimitWaits() throws {
    let lua = try LuaInterpreter(memoryLimit: 1 << 20)
    let census = Census()
    lua.define("grow") { call in
      let member = census.member()
      for i in 0..<100_000 {
        call.stack.newTable()
        call.stack.set("i", .integer(Int64(i)), at: -1)
        if i > 0 { call.stack.rawSet("next", at: -2) }
      }
      return withExtendedLifetime(member) { .none }
    }
    lua.define("big") { call in
      let text = String(repeating: "z", count: 4 << 20)
      call.stack.push(text)
      return .results(1)
    }
    #expect(try eval(lua, "grow()") == .nil)
    #expect(
      try failure(lua, "local s = big(); local t = {}; for i = 1, 1e5 do t[i] = {i} end")
        .isMemoryLimit)
    #expect(census.living == 0)
    lua.collectGarbage()
    #expect(try eval(lua, "return 1") == 1)
  }

  @Test func theLimitHitInEveryKindOfHostReturnLeavesNoObjects() throws {
    let lua = try LuaInterpreter()
    let census = Census()
    lua.define("refuse") { call in
      let member = census.member()
      call.stack.push(String(repeating: "q", count: 1 << 16))
      return try withExtendedLifetime(member) { throw LuaError("no") }
    }
    lua.define("wrong") { call in
      let member = census.member()
      return try withExtendedLifetime(member) { call.returning(.integer(try call.integer(at: 1))) }
    }
    lua.define("tail") { call in
      let member = census.member()
      return withExtendedLifetime(member) { .tailCall(arguments: 0) }
    }
    for code in [
      "refuse()", "wrong('x')", "tail(function() local t = {} for i = 1, 1e6 do t[i] = {} end end)",
    ] {
      let function = try lua.load(code, chunkName: "=test")
      // From no room at all to plenty, so that the refusal meets every allocation once.
      for slack in stride(from: 0, to: 4096, by: 64) {
        lua.collectGarbage()
        lua.memoryLimit = lua.memoryInUse + slack
        _ = try? lua.call(function)
        lua.memoryLimit = nil
      }
      #expect(census.living == 0)
      #expect(try eval(lua, "return 1") == 1)
    }
  }

  @Test func nearTheLimitTheCollectorDoesNotRunInVain() throws {
    let lua = try LuaInterpreter(memoryLimit: 8 << 20)
    #expect(
      try failure(
        lua,
        """
        collections = 0
        local weak, kept = setmetatable({}, {__mode = "v"}), {}
        while true do
          if not weak[1] then collections, weak[1] = collections + 1, {} end
          kept[#kept + 1] = {}
        end
        """
      ).isMemoryLimit)
    let collections = try #require(lua.global("collections").integerValue)
    #expect(collections < 300)
  }

  @Test func errorsWithinErrorHandlersEnd() throws {
    let lua = try LuaInterpreter()
    let results = try lua.run("return xpcall(error, function() error('again') end)")
    #expect(results.first == false)
    #expect(try eval(lua, "return 1") == 1)
  }
}
