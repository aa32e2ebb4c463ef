import CLuaShims
import LuaRuntime
import Synchronization
import Testing

@Suite struct HostFunctionTests {
  let lua: LuaInterpreter
  init() throws { lua = try LuaInterpreter() }

  private struct Refused: Error, CustomStringConvertible {
    let reason: String
    var description: String { "refused: \(reason)" }
  }

  @Test func resultsArePushedAndCounted() throws {
    lua.define("three") { call in
      for i in 1...3 { call.stack.push(i) }
      return .results(2)
    }
    #expect(try lua.run("return three()") == [2, 3])
  }

  @Test func aFunctionKnowsWhetherItsResultsAreDropped() throws {
    var wanted: [Bool] = []
    lua.define("f") { call in
      wanted.append(call.wantsResults)
      return .none
    }
    try lua.run("f() coroutine.wrap(function() f() end)()")
    #expect(wanted == [false, false])
    wanted = []
    try lua.run(
      "local x = f() x = f() pcall(f) select('#', f()) local function t() return f() end t()")
    #expect(wanted == [true, true, true, true, true])
  }

  @Test func aThrownErrorIsRaised() throws {
    lua.define("refuse") { _ in throw Refused(reason: "no") }
    #expect(try eval(lua, "return select(2, pcall(refuse))") == "refused: no")
    #expect(try failure(lua, "refuse()").origin == .host)
  }

  @Test func aThrownLuaErrorIsRaisedAsItsValue() throws {
    let table = try eval(lua, "t = {}; return t")
    lua.define("refuse") { _ in throw LuaError(value: table) }
    #expect(try eval(lua, "return select(2, pcall(refuse)) == t") == true)
  }

  @Test func anErrorThatPassesThroughTheHostKeepsItsOriginAndTraceback() throws {
    lua.define("through") { call in
      try call.interpreter.call(call.value(at: 1))
      return .none
    }
    let error = try failure(lua, "local function bad() error({}) end\nthrough(bad)")
    #expect(error.origin == .script)
    #expect(error.traceback?.contains("test:1: in") == true)
    #expect(error.traceback?.contains("test:2: in main chunk") == true)
    #expect(try failure(lua, "through(function() return 1 + {} end)").origin == .interpreter)
  }

  @Test func anErrorAboutAnArgumentNamesTheFunctionWhateverCallsIt() throws {
    let function = lua.withStack { stack in
      stack.pushFunction(named: "host.need") { call in
        try call.require(.function, at: 2)
        throw LuaArgumentError.value(at: 1, problem: "too much")
      }
      return stack.value(at: -1)
    }
    lua.setGlobal("need", try #require(function))
    let missing = "(function expected, got no value)"
    let calls = [
      ("pcall(need)", "bad argument #2 to 'host.need' \(missing)"),
      ("pcall(need, 1, 2)", "bad argument #2 to 'host.need' (function expected, got number)"),
      (
        "pcall(need, 1, io.stdout)",
        "bad argument #2 to 'host.need' (function expected, got FILE*)"
      ),
      ("pcall(need, 1, print)", "bad argument #1 to 'host.need' (too much)"),
      ("coroutine.resume(coroutine.create(need))", "bad argument #2 to 'host.need' \(missing)"),
      ("pcall(function() need() end)", "test:1: bad argument #2 to 'need' \(missing)"),
    ]
    for (call, message) in calls {
      #expect(try eval(lua, "return select(2, \(call))").stringValue?.description == message)
    }
  }

  @Test func aWarningInsideHostCodeIsNotStoppedByAnInterrupt() throws {
    var isReached = false
    lua.define("warn_here") { call in
      call.interpreter.interrupt()
      // What Lua does for a finaliser that fails, where its collector cannot be held.
      lua_warning(call.stack.state, "a finaliser has failed", 0)
      isReached = true
      return .none
    }
    let error = try failure(lua, "pcall(warn_here) while true do end")
    #expect(isReached)
    #expect(error.kind == .interrupt)
    lua.clearInterrupt()
  }

  @Test func aBridgedErrorComesBackAsTheSameSwiftError() throws {
    lua.errorBridge = LuaErrorBridge(
      push: { error, stack in
        guard let refused = error as? Refused else { return false }
        stack.newTable()
        stack.set("reason", .string(refused.reason), at: -1)
        return true
      },
      recover: { stack, index in
        guard stack.type(at: index) == .table else { return nil }
        stack.rawGet("reason", at: index)
        defer { stack.pop() }
        return stack.string(at: -1).map { Refused(reason: $0) }
      })
    lua.define("refuse") { _ in throw Refused(reason: "no") }
    let error = try failure(lua, "local ok, e = pcall(refuse); error(e)")
    #expect((error.cause as? Refused)?.reason == "no")
  }

  @Test(arguments: [
    ("need_function(nil)", "bad argument #1 to 'need_function' (function expected, got nil)"),
    ("need_function()", "bad argument #1 to 'need_function' (function expected, got no value)"),
    ("need_integer('x')", "bad argument #1 to 'need_integer' (number expected, got string)"),
    (
      "need_integer(1.5)",
      "bad argument #1 to 'need_integer' (number has no integer representation)"
    ),
    ("need_string({})", "bad argument #1 to 'need_string' (string expected, got table)"),
    ("need_bool(0)", "bad argument #1 to 'need_bool' (boolean expected, got number)"),
    ("lib.need_bool()", "bad argument #1 to 'need_bool' (boolean expected, got no value)"),
    ("lib:need_second(1)", "bad argument #1 to 'need_second' (function expected, got number)"),
    ("lib.need_bool(1)", "bad argument #1 to 'need_bool' (boolean expected, got number)"),
    ("lib:need_bool(1)", "calling 'need_bool' on bad self (boolean expected, got table)"),
  ])
  func badArgumentsAreToldInLuasWords(code: String, text: String) throws {
    lua.define("need_function") { call in
      _ = try call.function(at: 1)
      return .none
    }
    lua.define("need_integer") { call in call.returning(.integer(try call.integer(at: 1))) }
    lua.define("need_string") { call in call.returning(.string(try call.string(at: 1))) }
    lua.define("need_bool") { call in
      call.stack.push("left behind")
      return call.returning(.bool(try call.bool(at: 1)))
    }
    lua.define("need_second") { call in
      try call.require(.function, at: 2)
      return .none
    }
    try eval(lua, "lib = {need_bool = need_bool, need_second = need_second}")
    let error = try failure(lua, code)
    #expect(error.message == "test:1: \(text)")
    #expect(error.origin == .interpreter)
  }

  @Test func conversionsAreLuas() throws {
    lua.define("integer") { call in call.returning(.integer(try call.integer(at: 1))) }
    lua.define("string") { call in call.returning(.string(try call.bytes(at: 1))) }
    #expect(try eval(lua, "return integer('0x10')") == 16)
    #expect(try eval(lua, "return integer(3.0)") == 3)
    #expect(try eval(lua, "return string(12)") == "12")
  }

  @Test func aTailCallReturnsAllResults() throws {
    lua.define("apply") { call in .tailCall(arguments: call.count - 1) }
    #expect(try lua.run("return apply(function(...) return ..., 'end' end, 1)") == [1, "end"])
    #expect(try lua.run("return apply(select, 2, 'a', 'b', 'c')") == ["b", "c"])
  }

  @Test func raisingLeavesNoObjectsAndNoLock() throws {
    let census = Census()
    let mutex = Mutex(0)
    lua.define("refuse") { call in
      let member = census.member()
      defer { mutex.withLock { $0 += 1 } }
      _ = try call.function(at: 1)
      return withExtendedLifetime(member) { .none }
    }
    let caught = "for i = 1, 100 do pcall(refuse, i) end"
    try eval(lua, caught)
    #expect(census.living == 0)
    #expect(mutex.withLock { $0 } == 100)
    #expect(mutex.withLockIfAvailable { _ in true } == true)
  }

  @Test func aFunctionsCapturesLiveAsLongAsLuaKeepsIt() throws {
    let census = Census()
    do {
      let member = census.member()
      lua.define("held") { _ in withExtendedLifetime(member) { .none } }
    }
    lua.collectGarbage()
    #expect(census.living == 1)
    try eval(lua, "held()")
    lua.setGlobal("held", .nil)
    lua.collectGarbage()
    #expect(census.living == 0)
  }

  @Test func closingReleasesEverything() throws {
    let census = Census()
    do {
      let member = census.member()
      let lua = lua
      lua.define("held") { _ in withExtendedLifetime((member, lua)) { .none } }
    }
    lua.close()
    lua.close()
    #expect(census.living == 0)
    #expect(!lua.isOpen)
    #expect(try failure { () throws(LuaError) in try lua.run("return 1") }.kind == .closed)
  }

  @Test func closingFromInsideWaitsForTheOutermostCall() throws {
    lua.define("close") { call in
      call.interpreter.close()
      return call.returning(.bool(call.interpreter.isOpen))
    }
    #expect(try lua.run("local open = close(); return open, 1") == [true, 1])
    #expect(!lua.isOpen)
  }

  @Test func closingWhileTheStackIsInUseWaits() throws {
    let top = lua.withStack { stack in
      stack.push(1)
      _ = lua.withStack { _ in lua.close() }
      stack.push(2)
      return stack.integer(at: 1)
    }
    #expect(top == 1)
    #expect(!lua.isOpen)
  }

  @Test func droppingAnInterpreterReleasesEverything() throws {
    let census = Census()
    do {
      let lua = try LuaInterpreter()
      let member = census.member()
      lua.define("held") { _ in withExtendedLifetime(member) { .none } }
      try eval(lua, "keep = setmetatable({}, {__gc = function() held() end})")
    }
    #expect(census.living == 0)
  }

  @Test func aFinaliserMayNotCallTheHostWhileItCloses() throws {
    nonisolated(unsafe) var calls = 0
    lua.define("note") { _ in
      calls += 1
      return .none
    }
    try eval(lua, "keep = setmetatable({}, {__gc = function() note() end})")
    lua.close()
    #expect(calls == 0)
  }

  @Test func nestingEndsInADepthErrorAndIsCounted() throws {
    nonisolated(unsafe) var deepest = 0
    lua.define("again") { call in
      deepest = max(deepest, call.interpreter.nestingDepth)
      try call.interpreter.call(call.interpreter.global("again"))
      return .none
    }
    let error = try failure(lua, "again()")
    #expect(error.kind == .depth, "\(error.message)")
    #expect(deepest > 150)
    #expect(lua.nestingDepth == 0)
    #expect(try eval(lua, "return 1") == 1)
  }

  @Test func tablesAreBuiltAndRead() throws {
    let table = lua.withStack { stack in
      stack.newTable(elements: 2, fields: 1)
      stack.push(10)
      stack.rawSet(1, at: -2)
      stack.set("name", "x", at: -1)
      return stack.value(at: -1)
    }
    let check = try lua.load("local t = ...; return t[1], t.name, #t", chunkName: "=t")
    #expect(try lua.call(.reference(check), [table ?? .nil]) == [10, "x", 1])
  }

  @Test func pairsAreWalkedAndAWrongKeyIsAnError() throws {
    let table = try eval(lua, "return {1, 2, x = 3}")
    var sum: Int64 = 0
    try lua.withStack { stack throws(LuaError) in
      stack.push(table)
      try stack.forEachPair(at: -1) { stack in
        sum += stack.integer(at: -1) ?? 0
        return true
      }
      stack.pushNil()
      stack.push(1)
      do throws(LuaError) {
        try stack.rawSet(at: -3)
        Issue.record("a nil key was taken")
      } catch {
        #expect(error.message.contains("index is nil"))
      }
    }
    #expect(sum == 6)
  }

  @Test func metamethodsRunProtected() throws {
    let table = try eval(
      lua, "return setmetatable({}, {__index = function(_, k) error('no ' .. k, 0) end})")
    try lua.withStack { stack throws(LuaError) in
      stack.push(table)
      do throws(LuaError) {
        try stack.get("field", at: -1)
        Issue.record("no error")
      } catch {
        #expect(error.message == "no field")
      }
      #expect(stack.rawGet("field", at: -1) == .nil)
    }
  }
}
