import Testing

@Suite("Errors") struct ErrorTests {
  @Test(arguments: [
    "nil", "false", "42", "1.5", "'text'", "{}", "print", "rac.just(1)",
    "coroutine.create(print)",
  ])
  func aRaisedValueArrivesAsItself(_ value: String) throws {
    let lines = try Script.lines(
      """
      local v = \(value)
      local same = function(e) print(rawequal(e, v)) end
      rac.error(v):subscribe(nil, same)
      rac.just(1):map(function() error(v, 0) end):subscribe(nil, same)
      rac.just(1):filter(function() error(v, 0) end):map(function(x) return x end):subscribe(nil, same)
      rac.create(function(s) s:send_error(v) end):subscribe(nil, same)
      rac.create(function(s) error(v, 0) end):subscribe(nil, same)
      rac.async(function() error(v, 0) end):subscribe(nil, same)
      local s = rac.subject(); s:send_error(v); s:subscribe(nil, same)
      local ok, e = pcall(function() rac.error(v):wait() end)
      print(ok, rawequal(e, v))
      """)
    #expect(lines == Array(repeating: "true", count: 7) + ["false\ttrue"])
  }

  @Test func errorsOfLuaItselfHaveAKindAMessageAndATraceback() throws {
    let lines = try Script.lines(
      """
      rac.just(1):map(function(x) return x.y.z end):subscribe(nil, function(e)
        print(e.kind, e.message, tostring(e) == e.message)
        print(e.traceback:match("test:1") ~= nil, e.traceback:match("%[C%]: in function 'error'"))
      end)
      """)
    #expect(
      lines == ["lua\ttest:1: attempt to index a number value (local 'x')\ttrue", "true\tnil"])
  }

  @Test(arguments: [
    ("rac.just(1):mapp(print)", "(method 'mapp'); did you mean 'map'?"),
    ("rac.subject():sendnext(1)", "(method 'sendnext'); did you mean 'send_next'?"),
    // A command's.
    ("rac.just(1):execute()", "(method 'execute')"),
    ("rac.just(1):quadruplicate()", "(method 'quadruplicate')"),
    ("local map = {} map.mapp()", "(field 'mapp')"),
  ])
  func aMethodWithASimilarNameIsProposed(_ code: String, _ end: String) throws {
    let message = try Script.run(code).failure?.message
    #expect(
      message?.hasSuffix("attempt to call a nil value \(end)") == true, "\(message ?? "none")")
  }

  @Test func aRecoveredErrorTableIsTheSameTable() throws {
    let lines = try Script.lines(
      """
      local first
      rac.exec{"/bin/false"}:catch(function(e) first = e; error(e) end)
        :subscribe(nil, function(e) print(e == first, e.kind, e.code) end)
      """)
    #expect(lines == ["true\texit\t1"])
  }

  @Test func anErrorInANextHandlerEndsTheSubscriptionWithIt() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local d = s:subscribe(function(v) print(v); error("bad", 0) end, function(e) print("got", e) end)
      s:send_next(1) s:send_next(2)
      print(d.disposed)
      """)
    #expect(lines == ["1", "got\tbad", "true"])
  }

  @Test func anErrorNobodyHandlesIsToldOnce() throws {
    let result = try Script.run(
      """
      rac.error("one"):subscribe(print)
      rac.just(1):subscribe(function() error("two", 0) end)
      rac.error("x"):subscribe(nil, function() error("three", 0) end)
      rac.just(1):subscribe(nil, nil, function() error("four", 0) end)
      rac.create(function() return function() error("five", 0) end end):subscribe():dispose()
      """)
    #expect(result.unhandled == ["one", "two", "three", "four", "five"])
    #expect(result.failure == nil)
  }

  @Test(arguments: [
    "rac.start_eagerly(function(s) s:send_error('lost') end)",
    "rac.start_eagerly(function() error('lost', 0) end)", "rac.error('lost'):publish():connect()",
    "local s = rac.start_eagerly(function(s) s:send_error('lost') end):map(tostring)",
    "rac.create(function(s) s:send_completed() error('lost', 0) end):subscribe(nil, print)",
    "rac.create(function(s) s:send_next(1) error('lost', 0) end):take(1):subscribe(nil, print)",
  ])
  func anErrorThatNobodyCanReceiveIsToldOnce(_ code: String) throws {
    let script = try Script()
    script.runAndCollect(code)
    #expect(script.result.output == [])
    #expect(script.result.unhandled == ["lost"])
    script.finish()
    #expect(script.result.unhandled == ["lost"])
  }

  @Test(arguments: [
    "kept = rac.start_eagerly(function(s) s:send_error('lost') end)",
    "kept = rac.error('lost'):publish() kept:connect()",
  ])
  func anErrorThatSomebodyCouldReceiveIsToldAtTheEnd(_ code: String) throws {
    let script = try Script()
    script.runAndCollect(code)
    #expect(script.result.unhandled == [])
    script.finish()
    #expect(script.result.unhandled == ["lost"])
  }

  @Test(arguments: [
    "rac.start_eagerly(function(s) s:send_error('told') end)", "rac.error('told'):replay()",
    "rac.error('told'):replay_last()",
    "(function() local c = rac.error('told'):publish() c:connect() return c.signal end)()",
    "rac.error('told'):publish():autoconnect()",
    "(function() local s = rac.subject() rac.error('told'):multicast(s):connect() return s end)()",
  ])
  func anErrorThatALateSubscriberReceivesIsToldToItAlone(_ code: String) throws {
    let lines = try Script.lines(
      """
      local s = \(code)
      rac.sleep(0)
      print(pcall(s.wait, s))
      s:map(tostring):subscribe(nil, print)
      """)
    #expect(lines == ["false\ttold", "told"])
  }

  @Test(arguments: [
    "local c = rac.command(function() return rac.error('told') end)",
    "local c = rac.command{name = 'c', run = function() error('told', 0) end}",
  ])
  func anErrorThatACommandTellsIsNotToldByAConnectionOfItsExecution(_ code: String) throws {
    let script = try Script()
    script.runAndCollect(code + " c.errors:subscribe(print) c:execute():publish():connect()")
    script.finish()
    #expect(script.result.output == ["told"])
    #expect(script.result.unhandled == [])
  }

  @Test func anErrorOfASubjectIsNotToldByAConnectionOfIt() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      s:subscribe(nil, print)
      s:publish():connect()
      s:send_error("told")
      """)
    #expect(lines == ["told"])
  }

  @Test func workThatWasStartedIsDoneThoughItsSignalIsDropped() throws {
    let lines = try Script.lines(
      """
      for number = 1, 3 do
        rac.start_eagerly(function(s) print(number) s:send_completed() end)
      end
      collectgarbage()
      collectgarbage()
      """)
    #expect(lines == ["1", "2", "3"])
  }

  @Test(arguments: ["replay", "replay_last"])
  func anErrorOfWorkThatNobodyWaitsForIsOnlyForThoseWhoSubscribe(_ method: String) throws {
    let script = try Script()
    script.runAndCollect("rac.error('kept'):\(method)()")
    script.finish()
    #expect(script.result.unhandled == [])
  }

  @Test func anEndlessBlockThatHasEndedDoesNotTimeOut() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{timeout = 1, run = function()
        return rac.create(function(s) s:send_completed() while true do end end)
      end}
      print(pcall(function() c:execute():wait() end))
      """)
    #expect(lines == ["true"])
  }

  @Test func theTopLevelFailsWithWhatItRaises() throws {
    let result = try Script.run("local t = {}\nerror('no', 1)")
    #expect(result.failure?.kind == .user)
    #expect(result.failure?.message == "test:2: no")
    #expect(result.failure?.position == "test:2")
    #expect(result.failure?.traceback?.contains("test:2") == true)
  }

  @Test func aSyntaxErrorNamesItsLine() throws {
    let result = try Script.run("x = = 1")
    #expect(result.failure?.kind == .lua)
    #expect(result.failure?.message == "test:1: unexpected symbol near '='")
  }

  @Test func callsNestedTooDeepAreAnErrorOfKindLimit() throws {
    let lines = try Script.lines(
      """
      local function nest(n) return rac.just(n):map(function() return nest(n + 1):first() end) end
      nest(0):subscribe(nil, function(e) print(type(e), e.kind, e.message:match("nested too deep: ")) end)
      """)
    #expect(
      lines == ["table\tlimit\tnested too deep: "])
  }

  @Test func stringsKeepTheirBytesAndIntegersTheirPrecision() throws {
    let lines = try Script.lines(
      """
      local s = "a\\0b\\xff\\xfe"
      print(rac.just(s):map(function(x) return x end):first() == s)
      print(rac.just(math.maxinteger):map(function(x) return x end):first() == math.maxinteger)
      print(math.type(rac.just(2^53):first()), math.type(rac.just(1):first()))
      """)
    #expect(lines == ["true", "true", "float\tinteger"])
  }
}

@Suite("Interrupts and limits", .timeLimit(.minutes(5))) struct InterruptTests {
  /// A script whose function `stop` interrupts it from within.
  private func interrupted(_ code: String) throws -> ScriptResult {
    let script = try Script()
    defer { script.finish() }
    script.defineStop()
    return script.run(code)
  }

  @Test(arguments: [
    "stop() while true do end",
    "pcall(function() stop() while true do end end) while true do end",
    "coroutine.wrap(function() stop() while true do end end)()",
    "rac.just(1):map(function() stop() while true do end end):wait()",
    "rac.range(1, math.maxinteger):filter(function(x) if x == 5 then stop() end return true end):wait()",
    "rac.just(1):do_next(stop):repeated():wait()",
    "rac.defer(function() stop() return rac.error('e') end):retry():wait()",
    "rac.create(function(s) stop() while true do s:send_next(1) end end):wait()",
  ])
  func anInterruptStopsTheScriptWhateverRuns(_ code: String) throws {
    #expect(try interrupted(code).failure?.kind == .cancelled)
  }

  @Test(arguments: [
    "local t = {} for i = 1, 1e9 do t[i] = {} end",
    "local s = 'x' while true do s = s .. s end",
    "rac.range(1, 1e9):scan({}, function(t, x) t[#t + 1] = {x} return t end):wait()",
    "local function f() return rac.just(1):map(f):first() end f() error('deep')",
  ])
  func aScriptBeyondItsMemoryFailsWithKindLimit(_ code: String) throws {
    let script = try Script(memoryLimit: 8_000_000)
    defer { script.finish() }
    let result = script.run(code)
    #expect(result.failure?.kind == .limit, "\(result.failure?.message ?? "none")")
  }
}
