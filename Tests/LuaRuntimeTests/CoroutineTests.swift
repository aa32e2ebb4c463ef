import LuaRuntime
import Testing

@Suite struct CoroutineTests {
  let lua: LuaInterpreter

  init() throws {
    lua = try LuaInterpreter()
    lua.define("wait") { call in .yield(call.count) }
    lua.define("can_wait") { call in
      switch call.waiting {
      case .possible: call.returning("possible")
      case .insideCallback: call.returning("callback")
      case .outsideCoroutine: call.returning("outside")
      }
    }
    lua.define("plain") { call in
      let results = try call.interpreter.call(call.value(at: 1))
      for result in results { call.stack.push(result) }
      return .results(results.count)
    }
  }

  private func start(_ code: String) throws -> LuaCoroutine {
    try LuaCoroutine(lua, .reference(lua.load(code, chunkName: "=test")))
  }

  @Test func theMainThreadIsNeitherResumedNorClosed() throws {
    try lua.run("main = coroutine.running()")
    let coroutine = try start(
      """
      local closed, problem = pcall(coroutine.close, main)
      local resumed, refusal = coroutine.resume(main, print)
      local wrapped = coroutine.wrap(function() return coroutine.status(main) end)
      return closed, problem, resumed, refusal, coroutine.status(main), wrapped()
      """)
    // What the host holds on the stack of the main thread stays there.
    let held = lua.withStack { stack in
      stack.push("held")
      defer { stack.pop() }
      let outcome = coroutine.resume()
      #expect(
        outcome.values == [
          false, "cannot close a normal coroutine", false, "cannot resume non-suspended coroutine",
          "normal", "normal",
        ])
      return stack.string(at: -1)
    }
    #expect(held == "held")
    #expect(try eval(lua, "return coroutine.status(main)") == "running")
  }

  @Test func closingIsLuasOwn() throws {
    let lua = try LuaInterpreter()
    #expect(
      try eval(
        lua,
        """
        local log = {}
        local function body()
          local c <close> = setmetatable({}, {__close = function(_, e) log[#log + 1] = tostring(e) end})
          coroutine.yield()
        end
        local fresh, suspended, dead = coroutine.create(body), coroutine.create(body), coroutine.create(error)
        coroutine.resume(suspended)
        coroutine.resume(dead, "why")
        log[#log + 1] = tostring(coroutine.close(fresh))
        log[#log + 1] = tostring(coroutine.close(suspended))
        log[#log + 1] = table.concat({tostring(coroutine.close(dead))}, " ")
        log[#log + 1] = select(2, pcall(coroutine.close, coroutine.running()))
        coroutine.wrap(function(outer)
          local outer = coroutine.running()
          coroutine.wrap(function() log[#log + 1] = select(2, pcall(coroutine.close, outer)) end)()
        end)()
        log[#log + 1] = select(2, pcall(coroutine.close, 1))
        return table.concat(log, "; ")
        """)
        == .string(
          "true; true; false; cannot close a running coroutine; cannot close a normal coroutine; "
            + "bad argument #1 to 'coroutine.close' (coroutine expected, got number)"))
  }

  @Test func aCoroutineFinishesWithItsResults() throws {
    let coroutine = try start("return ..., 2")
    #expect(coroutine.resume([1]).values == [1, 2])
    #expect(coroutine.state == .ended)
    #expect(coroutine.resume().error?.message == "cannot resume dead coroutine")
  }

  @Test func aCoroutineOfTheHostIsForScriptsTheMainOne() throws {
    let coroutine = try start(
      """
      local a = wait('h')
      local thread, isMain = coroutine.running()
      local inner = coroutine.wrap(function() return coroutine.isyieldable(), select(2, coroutine.running()) end)
      local can, innerIsMain = inner()
      local ok, message = pcall(coroutine.yield, 's')
      return a, isMain, coroutine.isyieldable(), can, innerIsMain, ok, message, coroutine.resume(thread)
      """)
    let first = coroutine.resume()
    #expect(first.isHostYield)
    #expect(first.values == ["h"])
    let second = coroutine.resume([10])
    #expect(second.isFinished)
    #expect(
      second.values == [
        10, true, false, true, false, false, "attempt to yield from outside a coroutine", false,
        "cannot resume non-suspended coroutine",
      ])
    #expect(
      try start("\ncoroutine.yield()").resume().error?.message
        == "test:2: attempt to yield from outside a coroutine")
  }

  @Test func aResumeWithAnErrorRaisesItWhereTheCoroutineStands() throws {
    let caught = try start("local ok, e = pcall(function() wait() end); return ok, e")
    _ = caught.resume()
    #expect(caught.resume(throwing: LuaError("why")).values == [false, "why"])
    let uncaught = try start("\nwait()")
    _ = uncaught.resume()
    let error = try #require(uncaught.resume(throwing: LuaError("why")).error)
    #expect(error.value == "why")
    #expect(error.origin == .host)
    #expect(error.traceback?.contains("test:2: in") == true)
  }

  @Test func anErrorBeforeTheStartEndsTheCoroutine() throws {
    let coroutine = try start("ran = true")
    #expect(coroutine.resume(throwing: LuaError("why")).error?.message == "why")
    #expect(coroutine.state == .ended)
    #expect(lua.global("ran") == .nil)
  }

  @Test func aFailureHasItsTracebackAndRunsItsCloseVariables() throws {
    let coroutine = try start(
      """
      local c <close> = setmetatable({}, {__close = function() closed = true end})
      local function inner() error({}) end
      inner()
      """)
    let error = try #require(coroutine.resume().error)
    #expect(error.value.type == .table)
    #expect(error.origin == .script)
    #expect(error.traceback?.contains("test:2: in") == true)
    #expect(error.traceback?.contains("test:3: in") == true)
    #expect(lua.global("closed") == true)
    let other = try #require(try start("local x = nil + 1").resume().error)
    #expect(other.origin == .interpreter)
    #expect(other.position == "test:1")
  }

  @Test func closingRunsTheCloseVariablesAndReportsTheirError() throws {
    let coroutine = try start(
      "local c <close> = setmetatable({}, {__close = function() closed = true end}); wait()")
    _ = coroutine.resume()
    #expect(coroutine.close() == nil)
    #expect(lua.global("closed") == true)
    #expect(coroutine.state == .ended)
    let failing = try start(
      "local c <close> = setmetatable({}, {__close = function() error('late', 0) end}); wait()")
    _ = failing.resume()
    #expect(failing.close()?.message == "late")
    #expect(failing.close() == nil)
  }

  @Test func closingTheInterpreterRunsTheCloseVariables() throws {
    nonisolated(unsafe) var closed = 0
    lua.define("note") { _ in
      closed += 1
      return .none
    }
    let coroutine = try start(
      "local c <close> = setmetatable({}, {__close = function() note() end}); wait()")
    _ = coroutine.resume()
    lua.close()
    #expect(closed == 1)
    #expect(coroutine.resume().error?.kind != nil)
    #expect(coroutine.close() == nil)
  }

  @Test func waitingWorksAcrossPcallMetamethodsAndIterators() throws {
    let coroutine = try start(
      """
      local ok, a = pcall(wait, 1)
      local ok2, b = xpcall(function() return wait(2) end, debug.traceback)
      local t = setmetatable({}, {__index = function(_, k) return wait(k) end})
      local c = t.key
      for v in function(_, last) if not last then return wait('iterate') end end do d = v end
      return a, b, c, d
      """)
    #expect(coroutine.resume().values == [1])
    #expect(coroutine.resume(["a"]).values == [2])
    #expect(coroutine.resume(["b"]).values == ["key"])
    #expect(coroutine.resume(["c"]).values == ["iterate"])
    #expect(coroutine.resume(["d"]).values == ["a", "b", "c", "d"])
  }

  @Test func waitingInsideTheScriptsOwnCoroutinesSuspendsThemAll() throws {
    let coroutine = try start(
      """
      local sum = 0
      local gen = coroutine.wrap(function()
        local inner = coroutine.create(function()
          local x = wait('deep')
          coroutine.yield(x + 1)
          return wait('again')
        end)
        local ok, v = coroutine.resume(inner)
        coroutine.yield(v)
        ok, v = coroutine.resume(inner)
        coroutine.yield(v)
      end)
      return gen(), gen()
      """)
    #expect(coroutine.resume().values == ["deep"])
    let second = coroutine.resume([41])
    #expect(second.isHostYield)
    #expect(second.values == ["again"])
    #expect(coroutine.resume(["end"]).values == [42, "end"])
  }

  @Test func anErrorReachesTheInnermostWaitingCoroutine() throws {
    let coroutine = try start(
      "return coroutine.wrap(function() local ok, e = pcall(wait); return e end)()")
    _ = coroutine.resume()
    #expect(coroutine.resume(throwing: LuaError("why")).values == ["why"])
    let uncaught = try start("coroutine.wrap(function() wait() end)()")
    _ = uncaught.resume()
    let error = try #require(uncaught.resume(throwing: LuaError(value: 7)).error)
    #expect(error.value == 7)
    #expect(error.origin == .host)
  }

  @Test func closingReachesTheInnermostWaitingCoroutine() throws {
    let coroutine = try start(
      """
      local function guard(name)
        return setmetatable({}, {__close = function() order = (order or '') .. name end})
      end
      local o <close> = guard('o')
      coroutine.wrap(function()
        local m <close> = guard('m')
        coroutine.wrap(function() local i <close> = guard('i'); wait() end)()
      end)()
      """)
    _ = coroutine.resume()
    coroutine.close()
    #expect(lua.global("order") == "imo")
  }

  @Test func aWaitingCoroutineCannotBeResumedByTheScript() throws {
    let coroutine = try start(
      "co = coroutine.create(function() return wait() end); return coroutine.resume(co)")
    _ = coroutine.resume()
    #expect(
      try lua.run("return coroutine.resume(co)")
        == [false, "cannot resume a coroutine that waits for the host"])
    #expect(coroutine.resume([5]).values == [true, 5])
  }

  @Test func whetherWaitingIsPossibleIsKnownBeforehand() throws {
    #expect(try eval(lua, "return can_wait()") == "outside")
    #expect(try eval(lua, "return coroutine.wrap(can_wait)()") == "outside")
    let coroutine = try start(
      """
      local function sorted()
        local r; table.sort({1, 2}, function() r = can_wait() end); return r
      end
      return can_wait(), (pcall(can_wait)), plain(can_wait), coroutine.wrap(can_wait)(),
        coroutine.wrap(function() return plain(can_wait) end)(),
        plain(function() return coroutine.wrap(can_wait)() end), sorted()
      """)
    #expect(
      coroutine.resume().values == [
        "possible", true, "callback", "possible", "callback", "callback", "callback",
      ])
  }

  @Test func waitingWhereItIsImpossibleIsAnError() throws {
    let callback = try start("plain(wait)").resume()
    #expect(callback.error?.message == "cannot wait inside a synchronous callback")
    let nested = try start("plain(function() coroutine.wrap(wait)() end)").resume()
    #expect(
      nested.error?.message.hasSuffix("cannot wait inside a synchronous callback") == true)
    #expect(
      try failure(lua, "wait()").message.hasSuffix("cannot wait outside a coroutine of the host"))
  }

  @Test func aHostResumeInsideACallbackIsAWorldOfItsOwn() throws {
    lua.define("nest") { call in
      let inner = try LuaCoroutine(call.interpreter, call.value(at: 1))
      let first = inner.resume()
      guard first.isHostYield else { throw LuaError("no yield") }
      return call.returning(inner.resume([3]).values?.first ?? .nil)
    }
    let coroutine = try start("local a = nest(function() return wait() end); return a, wait(1)")
    #expect(coroutine.resume().values == [1])
    #expect(coroutine.resume([4]).values == [3, 4])
  }

  @Test func theRunningCoroutineIsKnown() throws {
    lua.define("running") { call in
      call.returning(.bool(call.interpreter.currentCoroutine?.state == .running))
    }
    #expect(try start("return running()").resume().values == [true])
    #expect(lua.currentCoroutine == nil)
  }

  @Test func theScriptsOwnCoroutinesBehaveAsInLua() throws {
    #expect(
      try lua.run(
        """
        local co = coroutine.create(function(a) local b = coroutine.yield(a); error(b, 0) end)
        local _, a = coroutine.resume(co, 1)
        local ok, e = coroutine.resume(co, 2)
        return a, ok, e, coroutine.status(co), select(2, coroutine.resume(co))
        """) == [1, false, 2, "dead", "cannot resume dead coroutine"])
    #expect(
      try failure(lua, "coroutine.wrap(function() error('x') end)()").message
        == "test:1: test:1: x")
    #expect(try failure(lua, "coroutine.resume(1)").message.contains("coroutine expected"))
    #expect(
      try failure(lua, "coroutine.yield()").message
        == "attempt to yield from outside a coroutine")
    let selfish = try eval(lua, "return select(2, coroutine.resume(coroutine.running()))")
    #expect(selfish == "cannot resume non-suspended coroutine")
  }

  @Test func manyValuesCross() throws {
    let coroutine = try start("return select('#', wait(...))")
    let values = (0..<5000).map { LuaValue.integer(Int64($0)) }
    #expect(coroutine.resume(values).values == values)
    #expect(coroutine.resume(values).values == [5000])
    let tooMany = [LuaValue](repeating: .nil, count: 2_000_000)
    #expect(try start("return ...").resume(tooMany).error?.kind == .depth)
  }

  @Test func aCoroutineAfterAnInterruptIsNotConfused() throws {
    lua.define("stop") { call in
      call.interpreter.interrupt()
      return .none
    }
    let error = try failure(
      lua,
      "co = coroutine.create(function(...) return select('#', ...) end); stop(); coroutine.resume(co, 1)"
    )
    #expect(error.isInterrupt)
    lua.clearInterrupt()
    #expect(try lua.run("return coroutine.resume(co, 1)") == [true, 1])
  }

  @Test func manyCoroutinesLeaveNothingBehind() throws {
    let body = try lua.load("wait()", chunkName: "=test")
    func round() throws {
      for _ in 0..<50 {
        let coroutine = try LuaCoroutine(lua, .reference(body))
        _ = coroutine.resume()
        _ = coroutine.resume()
      }
      lua.collectGarbage()
    }
    try round()
    let memory = lua.memoryInUse
    for _ in 0..<10 { try round() }
    #expect(lua.memoryInUse <= memory + 256)
  }
}
