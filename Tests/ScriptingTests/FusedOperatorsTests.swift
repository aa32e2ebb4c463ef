import Testing

@testable import Scripting

/// Rows of `map`, `filter`, `scan` and `do_next` are one call into Lua; nobody may notice.
@Suite("Operators in a row") struct FusedOperatorsTests {
  @Test func eachSubscriptionHasRunningValuesOfItsOwn() throws {
    let lines = try Script.lines(
      """
      local sums = rac.range(1, 3):scan(10, function(sum, n, i) return sum + n * i end)
      sums:subscribe(print)
      print(sums:map(function(n) return -n end):to_table()[3])
      """)
    #expect(lines == ["11", "15", "24", "-24"])
  }

  @Test(arguments: [
    "map(function(n) if n == 2 then error('two') end return n end)",
    "filter(function(n) if n == 2 then error('two') end return true end)",
    "scan(0, function(_, n) if n == 2 then error('two') end return n end)",
    "do_next(function(n) if n == 2 then error('two') end end)",
  ])
  func anErrorInAnyPlaceEndsTheRow(_ operation: String) throws {
    let lines = try Script.lines(
      """
      local function same(x) return x end
      local torn = false
      local source = rac.range(1, 3):on_dispose(function() torn = true end)
      local row = source:map(same):\(operation):map(same)
      row:subscribe(print, function(e) print("error", e, torn) end)
      row:take(9):subscribe(print, function(e) print("error", e, torn) end)
      """)
    #expect(
      lines == ["1", "error\ttest:4: two\ttrue", "1", "error\ttest:4: two\ttrue"])
  }

  @Test func disposalInsideARowStopsItThere() throws {
    let lines = try Script.lines(
      """
      local numbers = rac.subject()
      local subscription
      subscription = numbers
        :do_next(function(n) if n == 2 then subscription:dispose() end end)
        :map(function(n) print("map", n) return n end)
        :subscribe(print)
      for n = 1, 3 do numbers:send_next(n) end
      """)
    #expect(lines == ["map\t1", "1"])
  }

  @Test func nilPassesAndFalseToo() throws {
    let lines = try Script.lines(
      """
      rac.from{1, nil, false, n = 3}
        :map(function(v) return v end):do_next(function() end):filter(function() return true end)
        :to_table()
      local list = rac.from{1, nil, false, n = 3}:map(function(v) return v end):to_table()
      print(list.n, list[1], list[2], list[3])
      """)
    #expect(lines == ["3\t1\tnil\tfalse"])
  }

  @Test func whatIsHeldBackDoesNotReachOperatorsBehindTheRow() throws {
    let lines = try Script.lines(
      """
      local big = rac.range(1, 5):filter(function(n) return n > 3 end)
      print(big:take(9):to_table().n, big:first(), big:collect():first().n)
      """)
    #expect(lines == ["2\t4\t2"])
  }

  /// What a row sends to its own source waits for the event that it was sent from.
  @Test func aRowThatSendsToItselfKeepsItsOrder() throws {
    let lines = try Script.lines(
      """
      local send
      rac.create(function(subscriber) send = function(n) subscriber:send_next(n) end end)
        :map(function(n) if n < 3 then send(n + 1) end return n * 10 end)
        :filter(function(n) return n ~= 20 end)
        :subscribe(print)
      send(1)
      """)
    #expect(lines == ["10", "30"])
  }

  @Test func longRowsAreCutAndStillWhole() throws {
    let lines = try Script.lines(
      """
      local signal = rac.range(1, 2)
      for i = 1, 500 do
        signal = signal:scan(0, function(_, n) return n + 1 end):filter(function(n) return n > 0 end)
      end
      signal:subscribe(print)
      """)
    #expect(lines == ["501", "502"])
  }

  @Test func aRangeIsALoopOfTheRow() throws {
    let lines = try Script.lines(
      """
      local function same(x) return x end
      rac.range(10, 1, -4):scan(0, function(sum, n, i) return sum + n * i end):subscribe(print)
      rac.range(math.mininteger, math.maxinteger, math.maxinteger):map(same):subscribe(print)
      rac.range(math.maxinteger - 1, math.maxinteger):map(same):subscribe(print)
      rac.range(math.mininteger + 1, math.mininteger, -1):map(same):subscribe(print)
      rac.range(3, 1):map(same):subscribe(print, nil, function() print("empty") end)
      local sum = 0
      rac.range(1, 2500):map(same):subscribe(function(n) sum = sum + n end)
      print(sum)
      """)
    #expect(
      lines == [
        "10", "22", "28", "-9223372036854775808", "-1", "9223372036854775806",
        "9223372036854775806", "9223372036854775807", "-9223372036854775807",
        "-9223372036854775808", "empty", "3126250",
      ])
  }

  @Test func anErrorInsideARangeEndsTheLoop() throws {
    let lines = try Script.lines(
      """
      rac.range(1, 3):map(function(n)
        if n == 2 then error("stop") end
        return n
      end):subscribe(print, function(e) print(e) end, function() print("completed") end)
      """)
    #expect(lines.prefix(2) == ["1", "test:2: stop"])
    #expect(!lines.contains("completed"))
  }

  /// Lua calls them by the name of the function in its library, not by one of the row's code.
  @Test func anErrorInAFunctionOfLuasLibraryIsAsAnywhere() throws {
    let problem = "bad argument #2 to 'string.rep' (number expected, got no value)"
    let lines = try Script.lines(
      """
      local numbers = rac.subject()
      for _, source in ipairs{rac.range(1, 2), numbers} do
        source:map(string.rep):subscribe(print, function(e) print(e) end)
      end
      numbers:send_next(1)
      """)
    #expect(lines == [problem, problem])
  }

  @Test func anEndedRowLeavesNothingBehind() throws {
    let script = try Script()
    defer { script.finish() }
    script.runAndCollect("local function same(x) return x end shared = rac.just(1):map(same)")
    let before = script.host.interpreter.referenceCount
    script.runAndCollect(
      """
      for _ = 1, 1000 do
        shared:filter(function() return true end):subscribe(function() end)
        rac.never():map(print):scan(1, print):subscribe(print):dispose()
      end
      """)
    #expect(script.host.interpreter.referenceCount <= before + 2)
  }
}
