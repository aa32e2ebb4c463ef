import Testing

@testable import Scripting

/// A `flat_map` that a script's functions subscribe to stays inside Lua while it makes signals of
/// `rac.just`, and for other subscribers it is Swift's; nobody may notice.
@Suite("flat_map in a row of operators") struct FlatMapTests {
  /// Plays the same random events for both forms, and prints what differs.
  private static let game = """
    local function play(seed, form)
      math.randomseed(seed)
      local log, inner, budget = {}, {}, 60
      local function note(...) log[#log + 1] = table.concat({...}, "") end
      local subject = rac.subject()
      local subscription
      local source = math.random(3) > 1 and subject or rac.range(1, 6)
      local function act()
        budget = budget - 1
        if budget < 0 then return end
        local dice = math.random(30)
        if dice == 1 and subscription then note("dispose") subscription:dispose()
        elseif dice == 2 then error("chance", 0)
        elseif dice <= 6 and #inner > 0 then
          note("send") inner[math.random(#inner)]:send_next(100)
        elseif dice <= 8 and #inner > 0 then
          note("end") inner[math.random(#inner)]:send_completed()
        elseif dice == 9 then subject:send_next(7)
        elseif dice == 10 and math.random(4) == 1 then subject:send_error("source")
        end
      end
      local signal = source:map(function(v) note("m", v) act() return v end)
        :flat_map(function(v)
          act()
          local dice = math.random(justs)
          if dice == 1 then return rac.from{v, -v} end
          if dice == 2 then inner[#inner + 1] = rac.subject() return inner[#inner] end
          if dice == 3 then return rac.empty() end
          if dice == 4 and math.random(5) == 1 then return v end
          if dice == 5 and math.random(5) == 1 then return rac.error("inner") end
          if dice == 6 then return rac.just(nil) end
          if dice == 7 then return rac.just(rac.just(v)) end
          return rac.just(v * 10)
        end)
      if form == "swift" then signal = signal:take(1000000) end
      subscription = signal:map(function(v) note("n", type(v)) act() return tonumber(v) or 5 end)
        :scan(0, function(a, v, i) return a + v * i end)
        :filter(function(v) return v % 3 ~= 0 end)
        :subscribe(
          function(v) note("v", v) act() end, function(e) note("!", tostring(e)) end,
          function() note(".") end)
      for i = 1, 8 do subject:send_next(i) end
      for _, one in ipairs(inner) do one:send_next(1000) end
      subject:send_completed()
      for _, one in ipairs(inner) do one:send_next(2000) one:send_completed() end
      note(tostring(subscription.disposed))
      return table.concat(log, " ")
    end
    local events = 0
    for seed = 1, seeds do
      local one, other = play(seed, "fused"), play(seed, "swift")
      events = events + #one
      if one ~= other then print(seed, one, other) end
    end
    print(events > seeds * 50)
    """

  /// - Parameter justs: how rare other signals than those of `rac.just` are.
  @Test(arguments: [8, 20, 100])
  func bothFormsAreOne(_ justs: Int) throws {
    let lines = try Script.lines("local seeds, justs = 150, \(justs)\n" + Self.game)
    #expect(lines == ["true"])
  }

  @Test func theWrongResultIsNamedWithItsPlace() throws {
    let lines = try Script.lines(
      """
      rac.range(1, 3):flat_map(function(v)
        return v < 2 and rac.just(v) or v
      end):subscribe(print, function(e) print(e) end)
      """)
    #expect(
      lines == ["1", "test:1: the function of flat_map returned number, expected a signal"])
  }

  @Test func aSecondOneBeginsARowOfItsOwn() throws {
    let lines = try Script.lines(
      """
      local function twice(v) return rac.from{v, v + 1} end
      rac.from{10, 20}:flat_map(rac.just):flat_map(twice):map(function(v) return -v end)
        :flat_map(twice):flat_map(rac.just):subscribe(print)
      """)
    #expect(lines == ["-10", "-9", "-11", "-10", "-20", "-19", "-21", "-20"])
  }

  @Test func theSubscriptionLastsAsLongAsAnInnerSignal() throws {
    let lines = try Script.lines(
      """
      local late = rac.subject()
      local subscription = rac.range(1, 2):flat_map(function(v) return v == 2 and late or rac.just(v) end)
        :subscribe(print, print, function() print("completed") end)
      print(subscription.disposed)
      late:send_next("late")
      late:send_completed()
      print(subscription.disposed)
      """)
    #expect(lines == ["1", "false", "late", "completed", "true"])
  }

  /// From a subject each value enters Lua anew; from a range they enter as one loop.
  private static let sources = [
    "local s = rac.subject() local function begin() for i = 1, 9 do s:send_next(i) end end ",
    "local s = rac.range(1, 9) local function begin() end ",
  ]

  @Test(arguments: sources)
  func anInterruptStopsIt(_ source: String) throws {
    let script = try Script()
    defer { script.finish() }
    script.defineStop()
    let result = script.run(
      source + """
        s:flat_map(function(v)
          if v == 5 then pcall(stop) while true do end end
          received = v
          return rac.just(v)
        end):subscribe(function() end)
        begin()
        while true do end
        """)
    #expect(result.failure != nil)
    script.host.interpreter.clearInterrupt()
    #expect(script.host.interpreter.global("received") == 4)
  }

  @Test(arguments: sources)
  func aLimitOfMemoryFailsItsSignal(_ source: String) throws {
    let script = try Script(memoryLimit: 8 << 20)
    defer { script.finish() }
    let result = script.run(
      source + """
        s:flat_map(function(v)
          if v == 3 then local t = {} for k = 1, 1e8 do t[k] = k end end
          return rac.just(v)
        end):subscribe(print, function(e) print(e.kind) end)
        begin()
        """)
    #expect(result.output == ["1", "2", "limit"])
  }

  @Test(arguments: sources)
  func nobodyWaitsInIt(_ source: String) throws {
    let lines = try Script.lines(
      source + """
        s:flat_map(function(v)
          if v == 2 then rac.sleep(0) end
          return rac.just(v)
        end):subscribe(print, function(e) print(tostring(e):match("cannot wait inside [%w ]*")) end)
        begin()
        """)
    #expect(lines == ["1", "cannot wait inside a synchronous callback"])
  }

  @Test func nothingIsLeftBehind() throws {
    let script = try Script()
    defer { script.finish() }
    let code = """
      for _ = 1, 100 do
        rac.range(1, 3):flat_map(rac.just):subscribe(function() end)
        rac.range(1, 3):flat_map(function() return rac.never() end):subscribe(print):dispose()
        rac.never():flat_map(rac.just):map(print):subscribe(print):dispose()
      end
      """
    script.runAndCollect(code)
    let before = (script.host.interpreter.referenceCount, script.host.interpreter.memoryInUse)
    script.runAndCollect(code)
    #expect(script.host.interpreter.referenceCount <= before.0 + 2)
    #expect(script.host.interpreter.memoryInUse < before.1 + 20_000)
    #expect(script.host.activeSubscriptions == 0)
  }
}
