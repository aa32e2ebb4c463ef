import LuaRuntime
import Platform
import Testing

@Suite("Time limits", .timeLimit(.minutes(5))) struct TimeTests {
  static let endless: [String] = [
    "while true do end", "while true do pcall(function() while true do end end) end",
    "coroutine.wrap(function() while true do end end)()",
    "table.sort({1, 2, 3}, function() while true do end end)",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
  ]

  @Test(arguments: endless) func whatRunsPastItsDeadlineIsStopped(_ code: String) throws {
    let lua = try LuaInterpreter()
    lua.deadline = LuaInterpreter.now + .milliseconds(20)
    let error = try failure(lua, code)
    #expect(error.kind == .deadline)
    // What comes later is stopped too, as long as the deadline stays.
    #expect(try failure(lua, code).kind == .deadline)
    lua.deadline = nil
    #expect(!lua.isInterrupted)
    #expect(try eval(lua, "local n = 0 for i = 1, 1e6 do n = n + 1 end return n") == 1_000_000)
  }

  @Test(arguments: endless) func whatRunsTooLongAtAStretchIsStopped(_ code: String) throws {
    let lua = try LuaInterpreter()
    lua.timeLimit = .milliseconds(20)
    let error = try failure(lua, code)
    #expect(error.kind == .timeLimit)
    #expect(error.isLimit)
    #expect(error.message == "test:1: the code ran for more than 0.02 s without a pause")
    lua.timeLimit = .seconds(60)
    #expect(try eval(lua, "return 1") == 1)
  }

  @Test func aCoroutineOfTheHostIsStoppedWhereItStands() throws {
    let lua = try LuaInterpreter()
    lua.timeLimit = .milliseconds(20)
    let function = try lua.load(
      """
      local c <close> = setmetatable({}, {__close = function() closed = true end})
      while true do end
      """, chunkName: "=test")
    let error = try LuaCoroutine(lua, .reference(function)).resume().error
    #expect(error?.kind == .timeLimit)
    #expect(error?.position == "test:2")
    #expect(lua.global("closed") == true)
  }

  @Test func manyShortCallsAreNoLongOne() throws {
    let lua = try LuaInterpreter()
    lua.timeLimit = .milliseconds(500)
    let end = LuaInterpreter.now + .milliseconds(1_000)
    while LuaInterpreter.now < end { try lua.run("for i = 1, 1000 do end") }
  }

  @Test(arguments: endless) func theEndIsForAllCodeTogether(_ code: String) throws {
    let lua = try LuaInterpreter()
    // Long enough for a machine that stands still for a while before the code runs.
    lua.end(within: .milliseconds(500))
    // What cleans up runs.
    lua.interrupt(pending: true)
    lua.clearInterrupt()
    #expect(try eval(lua, "return 1") == 1)
    let error = try failure(lua, code)
    #expect(error.kind == .timeLimit)
    #expect(error.message == "test:1: the code still ran 0.5 s after everything was asked to end")
    // From then on nothing runs, whoever asks for it.
    for _ in 1...2 {
      lua.clearInterrupt()
      lua.end(within: .seconds(60))
      #expect(lua.isInterrupted)
      #expect(try failure(lua, code).isInterrupt)
    }
  }

  @Test func theEndComesWhileNothingRuns() throws {
    let lua = try LuaInterpreter()
    lua.end(within: .zero)
    while !lua.isInterrupted { usleep(100) }
    lua.clearInterrupt()
    #expect(lua.isInterrupted)
  }

  @Test func closingVariablesHaveNoMoreThanAMomentOnceAllIsOver() throws {
    let lua = try LuaInterpreter()
    lua.define("wait") { _ in .yield() }
    let function = try lua.load(
      """
      local c <close> = setmetatable({}, {__close = function() closed = true while true do end end})
      wait()
      """, chunkName: "=test")
    let coroutine = try LuaCoroutine(lua, .reference(function))
    _ = coroutine.resume()
    lua.end(within: .zero)
    while !lua.isInterrupted { usleep(100) }
    #expect(coroutine.close()?.isInterrupt == true)
    #expect(lua.global("closed") == true)
  }
}
