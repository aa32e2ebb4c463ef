import LuaRuntime
import Testing

/// `__gc` metamethods run wherever memory is asked for.
@Suite(.timeLimit(.minutes(5)), .serialized) struct FinaliserTests {
  let lua: LuaInterpreter

  init() throws {
    lua = try LuaInterpreter()
    try lua.run(
      """
      collectgarbage("incremental", 10, 1000)
      function finalised(f) return setmetatable({}, {__gc = f}) end
      """)
    lua.define("wait") { call in .yield(call.count) }
  }

  /// A function of the host that makes garbage, and tells whether other code ran meanwhile.
  private func defineGarbage() -> Observation {
    let observation = Observation()
    lua.define("garbage") { call in
      observation.isAtWork = true
      defer { observation.isAtWork = false }
      for number in 0..<200 {
        call.stack.newTable()
        call.stack.push("a text that is too long to be shared with others, number \(number)")
        call.stack.pop(2)
      }
      call.stack.newTable()
      return .results(1)
    }
    lua.define("finalising") { _ in
      observation.finalisers += 1
      if observation.isAtWork { observation.intrusions += 1 }
      return .none
    }
    return observation
  }

  private final class Observation {
    var isAtWork = false
    var finalisers = 0
    var intrusions = 0
  }

  @Test(arguments: [
    "pcall(error, 'x')", "xpcall(error, function(e) return e end, 'x')", "error('x')",
    "coroutine.resume(coroutine.create(function() error('x') end))",
    "pcall(coroutine.wrap(function() coroutine.yield() end))", "pcall(coroutine.yield)",
    "pcall(wait)", "pcall(garbage)", "pcall(load, function() error('x') end)",
    "local c <close> = setmetatable({}, {__close = function() pcall(error) end})",
  ])
  func whatTheyDoLeavesTheHostAsItWas(_ work: String) throws {
    let observation = defineGarbage()
    try lua.run("function work() finalising() \(work) end")
    let function = try lua.load(
      """
      for _ = 1, 5 do finalised(work) end
      local a = wait(garbage())
      for _ = 1, 5 do finalised(work) end
      local t = {}
      for i = 1, 20 do t[i] = {a} end
      error(wait(t))
      """, chunkName: "=test")
    for number in 0..<400 {
      let coroutine = try LuaCoroutine(lua, .reference(function))
      #expect(coroutine.resume().isHostYield)
      #expect(coroutine.resume([.string("a text of some length, number \(number)")]).isHostYield)
      #expect(coroutine.resume([.integer(Int64(number))]).error?.value == .integer(Int64(number)))
      #expect(lua.nestingDepth == 0)
    }
    #expect(observation.finalisers > 1_000)
    #expect(observation.intrusions == 0)
  }

  @Test func theyWaitUntilHostCodeIsOver() throws {
    let observation = defineGarbage()
    try lua.run(
      """
      local held = {}
      for i = 1, 1000 do held[i] = finalised(finalising) end
      """)
    let before = observation.finalisers
    _ = lua.withStack { stack in
      for _ in 0..<20_000 {
        stack.newTable()
        stack.pop()
      }
    }
    #expect(observation.finalisers == before)
    try lua.run("garbage() collectgarbage()")
    #expect(observation.finalisers == 1_000)
    #expect(observation.intrusions == 0)
  }

  @Test func garbageOfTheHostIsFreedWithoutLuaCode() throws {
    let text = String(repeating: "x", count: 1_000)
    var most = 0
    for _ in 0..<100_000 {
      lua.withStack { $0.push(text) }
      most = max(most, lua.memoryInUse)
    }
    #expect(most < 8 << 20)
  }

  @Test func garbageOfHostFunctionsIsFreedByTheirCallsAlone() throws {
    lua.define("make") { call in
      call.stack.newTable(elements: 100)
      return .results(1)
    }
    let make = try #require(lua.global("make").referenceValue)
    var most = 0
    for _ in 0..<20_000 {
      _ = lua.withStack { stack in
        stack.beginCall()
        stack.push(make)
        try? stack.call(arguments: 0, results: 0)
      }
      most = max(most, lua.memoryInUse)
    }
    #expect(most < 3 << 20)
  }

  /// The collection that the next request leads to may still find what the finaliser held: Lua does not
  /// clear its part of the stack. So the code around it may fail as well, with the error of the limit and no
  /// other.
  @Test func theyObeyTheMemoryLimit() throws {
    _ = defineGarbage()
    try lua.run("function greedy() local t = {} while true do t[#t + 1] = {} end end")
    lua.memoryLimit = lua.memoryInUse + (4 << 20)
    do {
      try lua.run(
        "for _ = 1, 20 do finalised(greedy) garbage() end collectgarbage() collectgarbage()")
    } catch {
      #expect(error.isMemoryLimit)
    }
    lua.collectGarbage()
    #expect(lua.memoryInUse < lua.memoryLimit ?? 0)
    // Nothing of it is left for what comes then.
    let code = """
      local texts = {}
      for i = 1, 3 do texts[i] = ("x"):rep(900000 + i) end
      return #texts
      """
    #expect(try eval(lua, code) == 3)
  }

  @Test(arguments: [
    "", "garbage()", "collectgarbage()", "coroutine.wrap(function() garbage() end)()",
  ])
  func oneThatLoopsIsStoppedByTheTimeLimit(_ step: String) throws {
    _ = defineGarbage()
    lua.timeLimit = .milliseconds(100)
    let error = try failure(
      lua, "while true do finalised(function() while true do end end) \(step) end")
    #expect(error.kind == .timeLimit)
    #expect(try eval(lua, "collectgarbage('stop') return 1") == 1)
    // The others have their turn now.
    lua.close()
  }

  @Test("code has failed if the limit stopped one of its finalisers, where the error is lost")
  func codeWhoseFinaliserIsStopped() throws {
    lua.timeLimit = .milliseconds(100)
    let code = "finalised(function() while true do end end) collectgarbage()"
    #expect(try failure(lua, code).kind == .timeLimit)
    for end in ["return 1", "wait() return 1"] {
      let function = try lua.load("\(code) \(end)", chunkName: "=test")
      let error = try LuaCoroutine(lua, .reference(function)).resume().error
      #expect(error?.kind == .timeLimit, "\(end)")
    }
    #expect(try eval(lua, "return 1") == 1)
  }

  @Test func thoseThatLoopDoNotKeepAnInterpreterFromClosing() throws {
    lua.timeLimit = .milliseconds(50)
    try lua.run(
      """
      collectgarbage("stop")
      for _ = 1, 1000 do finalised(function() while true do end end) end
      """)
    lua.close()
    #expect(!lua.isOpen)
  }

  @Test func aWarningIsToldOnceWarningsAreOn() throws {
    let written = Written()
    try lua.redirectOutput { stream, bytes in
      #expect(stream == .errors)
      written.text += String(decoding: bytes, as: UTF8.self)
    }
    try lua.run(
      """
      warn("unheard")
      warn("@on")
      warn("a", "b")
      finalised(function() error("lost", 0) end)
      collectgarbage()
      warn("@off")
      warn("unheard")
      """)
    #expect(written.text == "Lua warning: ab\nLua warning: error in __gc (lost)\n")
  }

  private final class Written {
    var text = ""
  }
}
