import Testing

@testable import Scripting

/// A value that a script sends to a subject reaches a row of functions inside Lua; with a subscriber of
/// another kind beside the row it goes by way of the subject. Nobody may notice, with a limit of memory
/// or without.
@Suite("Values that a script sends to its own functions") struct ShortWayTests {
  /// Plays the same random events with and without a subscriber of another kind, and prints what differs.
  private static let game = """
    local function play(seed, has_other)
      math.randomseed(seed)
      local s, log, subscriptions, count, budget = rac.subject(), {}, {}, 0, 40
      if has_other then s:take(1000000):subscribe(function() end) end
      local subscribe
      local function act(name, value)
        log[#log + 1] = name .. "=" .. tostring(value)
        budget = budget - 1
        if budget < 0 then return end
        local dice = math.random(14)
        if dice == 1 then s:send_next(value .. "'")
        elseif dice == 2 then subscribe()
        elseif dice == 3 then subscriptions[math.random(#subscriptions)]:dispose()
        elseif dice == 4 then error("no " .. name, 0)
        elseif dice == 5 and math.random(9) == 1 then s:send_completed()
        elseif dice == 6 and math.random(9) == 1 then s:send_error("end")
        end
      end
      function subscribe()
        count = count + 1
        local name, signal = count, s
        if math.random(2) == 1 then
          signal = s:map(function(v) act("m" .. name, v) return v end)
            :scan("", function(a, v) return a .. #v end)
        end
        subscriptions[#subscriptions + 1] = signal:subscribe(
          function(v) act("s" .. name, v) end,
          function(e) log[#log + 1] = name .. "!" .. tostring(e) end,
          function() log[#log + 1] = name .. "." end)
      end
      for _ = 1, math.random(30) do subscribe() end
      for i = 1, 8 do s:send_next(tostring(i)) log[#log + 1] = ";" end
      return table.concat(log, " ")
    end
    local events = 0
    for seed = 1, seeds do
      local one, other = play(seed, false), play(seed, true)
      events = events + #one
      if one ~= other then print(seed, one, other) end
    end
    print(events > seeds * 100)
    """

  @Test(arguments: [nil, 1 << 30])
  func bothWaysAreOne(_ memoryLimit: Int?) throws {
    let script = try Script(memoryLimit: memoryLimit)
    defer { script.finish() }
    let result = script.run("local seeds = 200\n" + Self.game)
    #expect(result.failure == nil)
    #expect(result.output == ["true"])
  }

  @Test(arguments: [3, 10, 11, 25])
  func anErrorInAnyPlaceFailsThatOneOnly(_ count: Int) throws {
    let lines = try Script.lines(
      """
      local count = \(count)
      for failing = 1, count do
        local s, sum, problem = rac.subject(), 0, nil
        for i = 1, count do
          s:subscribe(function(v)
            if i == failing and v == 1 then string.rep() end
            sum = sum + i * v
          end, function(e) problem = i .. " " .. tostring(e) end)
        end
        s:send_next(1)
        s:send_next(1000)
        if sum ~= (count * (count + 1) / 2 - failing) * 1001
          or problem ~= failing .. " test:6: bad argument #1 to 'rep' (string expected, got no value)" then
          print(failing, sum, problem)
        end
      end
      """)
    #expect(lines == [])
  }

  @Test func aFunctionOfLuasLibraryHasItsOwnName() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      for _ = 1, 12 do s:subscribe(string.rep, function(e) print(e) end) end
      s:send_next("a")
      """)
    #expect(
      lines
        == Array(
          repeating: "bad argument #2 to 'string.rep' (number expected, got no value)", count: 12))
  }

  @Test func aLimitOfMemoryStopsTheOneThatExceedsIt() throws {
    let script = try Script(memoryLimit: 8 << 20)
    defer { script.finish() }
    let result = script.run(
      """
      local s, received = rac.subject(), 0
      for i = 1, 12 do
        s:subscribe(function(v)
          if i == 5 then local t = {} for k = 1, 1e8 do t[k] = k end end
          received = received + 1
        end, function(e) print(i, e.kind) end)
      end
      s:send_next(1)
      print(received)
      """)
    #expect(result.output == ["5\tlimit", "11"])
  }

  @Test func anInterruptStopsAllOfThem() throws {
    let script = try Script()
    defer { script.finish() }
    script.defineStop()
    let result = script.run(
      """
      local s = rac.subject()
      for i = 1, 12 do
        s:subscribe(function() if i == 5 then pcall(stop) while true do end end received = i end)
      end
      s:send_next(1)
      while true do end
      """)
    #expect(result.failure != nil)
    script.host.interpreter.clearInterrupt()
    #expect(script.host.interpreter.global("received") == 4)
  }

  @Test func nobodyWaitsInIt() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local problem
      s:subscribe(function() rac.sleep(0) end, function(e) problem = tostring(e) end)
      s:send_next(1)
      rac.sleep(0)
      print(problem:match("cannot wait inside a synchronous callback") ~= nil)
      """)
    #expect(lines == ["true"])
  }

  @Test func theMethodStillChecksItsObject() throws {
    let lines = try Script.lines(
      """
      local send = rac.subject().send_next
      for _, object in ipairs{rac.never(), rac.just(1), {}, "a", io.stdout} do
        print((select(2, pcall(send, object, 1))):match("subject expected, got [%w*]+"))
      end
      print(pcall(send))
      """)
    #expect(lines.count == 6)
    #expect(lines.first == "subject expected, got signal")
    #expect(lines.last?.contains("subject expected, got no value") == true)
  }

  @Test func sendsThatNestDeepAreCarriedOut() throws {
    let lines = try Script.lines(
      """
      local first = rac.subject()
      local last = first
      for i = 1, 1000 do
        local next = rac.subject()
        last:subscribe(function(v) next:send_next(v + 1) end)
        last = next
      end
      last:subscribe(print)
      first:send_next(0)
      first:send_next(1)
      """)
    #expect(lines == ["1000", "1001"])
  }

  @Test func whoLeavesLeavesNothingBehind() throws {
    let script = try Script()
    defer { script.finish() }
    let code = """
      for _ = 1, 20 do
        local s, subscriptions = rac.subject(), {}
        for i = 1, 25 do
          subscriptions[i] = s:subscribe(function() if i == 7 then subscriptions[9]:dispose() end end)
        end
        s:send_next({})
        for i = 1, 25 do subscriptions[i]:dispose() end
        s:send_next({})
      end
      """
    script.runAndCollect(code)
    let before = script.host.interpreter.referenceCount
    script.runAndCollect(code)
    #expect(script.host.interpreter.referenceCount == before)
    #expect(script.host.activeSubscriptions == 0)
  }
}
