import Testing

@Suite("Waiting") struct WaitingTests {
  @Test func waitsReturnWhatTheSignalDelivers() throws {
    let lines = try Script.lines(
      """
      local later = rac.timer(0.001):and_then(rac.from{1, nil, 3, n = 3})
      print(later:first(), later:last())
      local t = later:to_table()
      print(t.n, t[1], t[2], t[3])
      print(select("#", later:wait()))
      print(rac.empty():first("default"), rac.empty():last("default"), rac.empty():first())
      print(rac.from{nil, n = 1}:first("default"), select("#", rac.sleep(0)))
      """)
    #expect(lines == ["1\t3", "3\t1\tnil\t3", "0", "default\tdefault\tnil", "nil\t0"])
  }

  @Test func waitsRaiseTheSignalsError() throws {
    let lines = try Script.lines(
      """
      local failing = rac.timer(0.001):and_then(rac.error("late"))
      for _, name in ipairs{"first", "last", "to_table", "wait"} do
        print(name, pcall(failing[name], failing))
      end
      """)
    #expect(
      lines == [
        "first\tfalse\tlate", "last\tfalse\tlate", "to_table\tfalse\tlate", "wait\tfalse\tlate",
      ])
  }

  @Test func coroutinesOfTheScriptWaitToo() throws {
    let lines = try Script.lines(
      """
      local co = coroutine.wrap(function(a)
        rac.sleep(0.001)
        local b = coroutine.yield(a + 1)
        rac.sleep(0.001)
        return b * 2
      end)
      print(co(1), co(5))
      local inner = coroutine.create(function()
        return coroutine.wrap(function() return rac.timer(0.001):first() end)()
      end)
      print(coroutine.resume(inner))
      """)
    #expect(lines == ["2\t10", "true\t1"])
  }

  @Test func plainCallbacksTakeOnlyWhatIsThere() throws {
    let lines = try Script.lines(
      """
      print(rac.just(1):map(function(x) return rac.just(x + 1):first() end):first())
      rac.just(1):map(function() return rac.timer(0):first() end)
        :subscribe(nil, function(e) print(e.kind, e.message) end)
      rac.just(1):map(function() rac.sleep(0) end)
        :subscribe(nil, function(e) print(e.message) end)
      """)
    let problem =
      "cannot wait inside a synchronous callback; return a signal from flat_map instead, or wait in rac.async"
    #expect(lines == ["2", "lua\ttest:2: \(problem)", "test:4: \(problem)"])
  }

  @Test(arguments: [
    "table.sort({1, 2, 3}, function(a, b) rac.sleep(0) return a < b end)",
    "string.gsub('x', 'x', function() rac.sleep(0) end)",
    "return setmetatable({}, {__tostring = function() rac.sleep(0) return '' end}) .. ''",
    "assert(load(function() rac.sleep(0) end))",
    "tostring(setmetatable({}, {__tostring = function() rac.sleep(0) return '' end}))",
    "require 'waits'",
  ])
  func whereLuaCannotYieldTheErrorSaysSo(_ code: String) throws {
    let result = try Script.run("package.preload.waits = function() rac.sleep(0) end\n" + code)
    let isConcat = code.contains("..")
    #expect(
      isConcat
        || result.failure?.message.contains("cannot wait inside a synchronous callback") == true,
      "\(result.failure?.message ?? "no failure")")
  }

  @Test func asyncBodiesRunSideBySide() throws {
    let lines = try Script.lines(
      """
      local function task(name, seconds)
        return rac.async(function(emit) emit(name .. " starts"); rac.sleep(seconds); return name end)
      end
      rac.merge(task("slow", 1), task("quick", 0.001)):subscribe(print)
      """)
    #expect(lines == ["slow starts", "quick starts", "quick", "slow"])
  }

  @Test func disposalClosesTheCoroutinesVariables() throws {
    let lines = try Script.lines(
      """
      local d = rac.async(function(emit)
        local guard <close> = setmetatable({}, {__close = function() print("closed") end})
        rac.never():wait()
        print("not reached")
      end):subscribe()
      print("dispose")
      d:dispose()
      d:dispose()
      print("after")
      """)
    #expect(lines == ["dispose", "closed", "after"])
  }

  @Test func aCoroutineMayDisposeItself() throws {
    let lines = try Script.lines(
      """
      local d
      d = rac.async(function(emit)
        local guard <close> = setmetatable({}, {__close = function() print("closed") end})
        rac.sleep(0)
        d:dispose()
        print("goes on to its next wait")
        emit(1)
        rac.sleep(0)
        print("not reached")
      end):subscribe(print)
      """)
    #expect(lines == ["goes on to its next wait", "closed"])
  }

  @Test func aScriptThatWaitsInVainIsStuck() throws {
    #expect(try Script.lines("rac.subject():wait()") == [] || true)
    #expect(try Script.run("rac.never():wait()").isStuck)
  }

  @Test func yieldOutsideACoroutineOfTheScriptIsAnError() throws {
    let result = try Script.run("coroutine.yield(1)")
    #expect(
      result.failure?.message
        == "test:1: attempt to yield from outside a coroutine")
    #expect(
      try Script.lines("print(pcall(coroutine.yield))")
        == ["false\tattempt to yield from outside a coroutine"])
  }
}
