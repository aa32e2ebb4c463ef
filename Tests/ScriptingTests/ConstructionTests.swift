import Testing

/// Prints every event of a signal.
let show = """
  local function show(signal)
    return signal:subscribe(
      function(...) print(...) end,
      function(e) print("error", tostring(e)) end,
      function() print("completed") end)
  end

  """

@Suite("Constructors") struct ConstructionTests {
  @Test(arguments: [
    ("rac.just(5)", ["5", "completed"]),
    ("rac.just()", ["nil", "completed"]),
    ("rac.empty()", ["completed"]),
    ("rac.error('no')", ["error\tno"]),
    ("rac.error()", ["error\tnil"]),
    ("rac.from{1, 'a', true}", ["1", "a", "true", "completed"]),
    ("rac.from{1, nil, 3, n = 4}", ["1", "nil", "3", "nil", "completed"]),
    ("rac.from{}", ["completed"]),
    ("rac.range(1, 3)", ["1", "2", "3", "completed"]),
    ("rac.range(3, 1)", ["completed"]),
    ("rac.range(3, 1, -1)", ["3", "2", "1", "completed"]),
    ("rac.range(1, 2, 0.5)", ["1.0", "1.5", "2.0", "completed"]),
    ("rac.range(1.0, 2.0)", ["1.0", "2.0", "completed"]),
    ("rac.range(1, 3.0)", ["1", "2", "3", "completed"]),
    ("rac.range(1, 2.9)", ["1", "2", "completed"]),
    ("rac.range(2, 0.1, -1)", ["2", "1", "completed"]),
    ("rac.range(-1, -2.5, -1)", ["-1", "-2", "completed"]),
    ("rac.range(math.maxinteger, 1e100)", ["9223372036854775807", "completed"]),
    ("rac.range(math.maxinteger, 1e100, -1)", ["completed"]),
    ("rac.range(math.mininteger, -math.huge)", ["completed"]),
    ("rac.range(math.mininteger, -math.huge, -1)", ["-9223372036854775808", "completed"]),
    ("rac.range(0.1, 0.7, 0.2)", ["0.1", "0.3", "0.5", "0.7", "completed"]),
    ("rac.range(0.5, 2)", ["0.5", "1.5", "completed"]),
    (
      "rac.range(math.maxinteger - 1, math.maxinteger)",
      ["9223372036854775806", "9223372036854775807", "completed"]
    ),
    ("rac.defer(function() return rac.just(1) end)", ["1", "completed"]),
    ("rac.try(function() return 7 end)", ["7", "completed"]),
    ("rac.try(function() error('bad', 0) end)", ["error\tbad"]),
    ("rac.async(function() end)", ["completed"]),
    ("rac.async(function(emit) emit(1) return 2 end)", ["1", "2", "completed"]),
    ("rac.async(function(emit) emit(nil) return false end)", ["nil", "false", "completed"]),
    ("rac.merge()", ["completed"]),
    ("rac.concat(rac.just(1), rac.just(2))", ["1", "2", "completed"]),
    ("rac.combine_latest()", ["completed"]),
    ("rac.combine_latest(rac.just(1), rac.just(nil))", ["(1, nil)", "completed"]),
    (
      "rac.zip(rac.from{1, 2}, rac.from{3, 4}, function(a, b) return a + b end)",
      ["4", "6", "completed"]
    ),
    ("rac.timer(0)", ["1", "completed"]),
    ("rac.interval(0.001):take(3)", ["1", "2", "3", "completed"]),
  ])
  func sends(_ signal: String, _ events: [String]) throws {
    #expect(try Script.lines(show + "show(\(signal))") == events)
  }

  @Test func createSendsEventsAndRunsItsTeardownOnce() throws {
    let lines = try Script.lines(
      show + """
        show(rac.create(function(s)
          print("start", s.disposed)
          s:send_next(1)
          s:send_completed()
          s:send_next(2)
          print("disposed", s.disposed)
          return function() print("teardown") end
        end))
        """)
    #expect(lines == ["start\tfalse", "1", "completed", "disposed\ttrue", "teardown"])
  }

  @Test func createTakesADisposableAsTeardown() throws {
    let lines = try Script.lines(
      """
      local inner = rac.create(function() return function() print("inner gone") end end)
      local d = rac.create(function() return inner:subscribe() end):subscribe()
      print(d.disposed)
      d:dispose()
      d:dispose()
      print(d.disposed)
      """)
    #expect(lines == ["false", "inner gone", "true"])
  }

  @Test func createRejectsAnotherResult() throws {
    let lines = try Script.lines(show + "show(rac.create(function() return 5 end))")
    #expect(
      lines == [
        "error\ttest:7: the block of rac.create returned number, expected a function or a disposable"
      ])
  }

  @Test func coldSignalsStartAnewAtEachSubscription() throws {
    let lines = try Script.lines(
      """
      local n = 0
      local s = rac.create(function(sub) n = n + 1; sub:send_next(n); sub:send_completed() end)
      print(s:first(), s:first(), s:first())
      """)
    #expect(lines == ["1\t2\t3"])
  }

  @Test func deferNeedsASignal() throws {
    let lines = try Script.lines(show + "show(rac.defer(function() return 1 end))")
    #expect(
      lines == ["error\ttest:7: the function of rac.defer returned number, expected a signal"])
  }

  @Test(arguments: [
    ("rac.create(1)", "bad argument #1 to 'create' (function expected, got number)"),
    ("rac.create()", "bad argument #1 to 'create' (function expected, got no value)"),
    ("rac.from()", "bad argument #1 to 'from' (table expected, got no value)"),
    ("rac.range('a', 1)", "bad argument #1 to 'range' (number expected, got string)"),
    (
      "rac.exec({'true'}, {output = 'bytes'})",
      "bad argument #2 to 'exec' (it takes 1 argument, and would ignore this table; options are "
        + "fields of the table before it)"
    ),
    (
      "rac.range(1, 2, 1, {})",
      "bad argument #4 to 'range' (it takes 3 arguments, and would ignore this table)"
    ),
    (
      "rac.never({})",
      "bad argument #1 to 'never' (it takes no arguments, and would ignore this table)"
    ),
    (
      "rac.from({1}):map(tostring, {})",
      "bad argument #2 to 'map' (it takes 1 argument, and would ignore this table)"
    ),
    ("rac.range(1, 2, 0)", "bad argument #3 to 'range' ('step' is zero)"),
    (
      "rac.range(1e16, 1e16 + 4, 0.5)",
      "bad argument #3 to 'range' ('step' is too small to be added to numbers as large as the limits)"
    ),
    (
      "rac.range(2^53 - 2, 2^53 + 2)",
      "bad argument #3 to 'range' ('step' is too small to be added to numbers as large as the limits)"
    ),
    (
      "rac.range(-math.huge, 5)",
      "bad argument #3 to 'range' ('step' is too small to be added to numbers as large as the limits)"
    ),
    (
      "rac.range(0.5, 1e300)",
      "bad argument #3 to 'range' ('step' is too small to be added to numbers as large as the limits)"
    ),
    ("rac.interval(0)", "bad argument #1 to 'interval' (more than 0 seconds expected)"),
    ("rac.interval(-1)", "bad argument #1 to 'interval' (seconds from 0 up expected)"),
    ("rac.timer(0/0)", "bad argument #1 to 'timer' (seconds from 0 up expected)"),
    ("rac.merge(rac.just(1), 2)", "bad argument #2 to 'merge' (signal expected, got number)"),
    (
      "rac.replay_subject(-1)",
      "bad argument #1 to 'replay_subject' (a number of at least 0 expected)"
    ),
    ("rac.just(1):map()", "bad argument #1 to 'map' (function expected, got no value)"),
    ("rac.just(1):take(1.5)", "bad argument #1 to 'take' (number has no integer representation)"),
    ("rac.just(1).map(2, print)", "bad argument #1 to 'map' (signal expected, got number)"),
    ("rac.just(1).nonsense()", "attempt to call a nil value (field 'nonsense')"),
  ])
  func complainsInLuasWords(_ code: String, _ message: String) throws {
    let result = try Script.run(code)
    #expect(result.failure?.message == "test:1: " + message)
    #expect(result.failure?.kind == .lua)
    #expect(result.failure?.position == "test:1")
  }
}

@Suite("Tuples") struct TupleTests {
  @Test func tuplesHaveASizeAndElementsAndCompareByValue() throws {
    let lines = try Script.lines(
      """
      local t = rac.tuple(1, nil, "x", nil)
      print(t.n, t[1], t[2], t[3], t:unpack())
      print(t, rac.tuple(), t == rac.tuple(1, nil, "x", nil), t == rac.tuple(1, nil, "x"))
      """)
    #expect(lines == ["4\t1\tnil\tx\t1\tnil\tx\tnil", "(1, nil, x, nil)\t()\ttrue\tfalse"])
  }

  @Test func aListOnASchedulerSendsOneValueInEachTurn() throws {
    let lines = try Script.lines(
      """
      for _, name in ipairs{"a", "b"} do
        rac.from({1, 2}, rac.scheduler.main):subscribe(
          function(n) print(name .. n) end, nil, function() print(name .. " over") end)
      end
      print("subscribed")
      """)
    #expect(lines == ["subscribed", "a1", "b1", "a2", "b2", "a over", "b over"])
  }

  @Test func aBehaviorSubjectHasItsCurrentValue() throws {
    let lines = try Script.lines(
      """
      local s = rac.behavior_subject("a")
      print(s.value)
      s:send_next("b")
      print(s.value)
      s:send_completed()
      print(s.value, rac.subject().value, rac.replay_subject().value)
      """)
    #expect(lines == ["a", "b", "b\tnil\tnil"])
  }
}
