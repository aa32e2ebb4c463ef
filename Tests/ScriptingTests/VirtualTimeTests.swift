import Testing

@testable import Scripting

@Suite("Virtual time", .timeLimit(.minutes(5))) struct VirtualTimeTests {
  @Test(
    "Everything of a script that has to do with time runs in it, hours in no time",
    arguments: [
      ("rac.interval(3600):take(2)", ["3600.0\t1", "7200.0\t2", "7200.0\tcompleted"]),
      ("rac.timer(3600)", ["3600.0\t1", "3600.0\tcompleted"]),
      ("rac.just('x'):delay(3600)", ["3600.0\tx", "3600.0\tcompleted"]),
      (
        "rac.never():timeout(3600):catch_to(rac.just('late'))",
        ["3600.0\tlate", "3600.0\tcompleted"]
      ),
      (
        "rac.interval(1000):take(3):throttle(1500)", ["3000.0\t3", "3000.0\tcompleted"]
      ),
      (
        "rac.interval(1000):take(3):buffer(2500):map(rac.json.encode)",
        ["3000.0\t[1,2,3]", "3000.0\tcompleted"]
      ),
      (
        "rac.async(function(emit) rac.sleep(3600) emit('a') rac.sleep(3600) return 'b' end)",
        ["3600.0\ta", "7200.0\tb", "7200.0\tcompleted"]
      ),
      (
        """
        rac.create(function(s) return rac.scheduler.immediate:after(3600, function()
          s:send_next('x') s:send_completed() end) end)
        """, ["3600.0\tx", "3600.0\tcompleted"]
      ),
      (
        "rac.command{timeout = 3600, run = function() return rac.never() end}:execute():catch(function(e) return rac.just(e.kind) end)",
        ["3600.0\ttimeout", "3600.0\tcompleted"]
      ),
      (
        """
        (function()
          local attempts = 0
          return rac.command{retry = {times = 3, delay = 100, backoff = 2}, run = function()
            attempts = attempts + 1
            if attempts < 4 then error('busy') end
            return attempts
          end}:execute()
        end)()
        """, ["700.0\t4", "700.0\tcompleted"]
      ),
    ])
  func everything(_ signal: String, _ lines: [String]) throws {
    let code = """
      local clock = rac.test_scheduler()
      local function show(event) print(clock.now, event) end
      local signal = \(signal)
      signal:subscribe(show, show, function() show("completed") end)
      clock:run()
      assert(clock.pending == 0)
      """
    #expect(try Script.lines(code) == lines)
  }

  @Test func itMovesExactlyAsFarAsItIsAdvanced() throws {
    let lines = try Script.lines(
      """
      local clock = rac.test_scheduler()
      rac.interval(10):subscribe(function(n) print(n, clock.now, rac.now()) end)
      clock:advance(9.5) print("at", clock.now)
      clock:advance(0.5) print("at", clock.now)
      clock:advance(15) print("at", clock.now, clock.pending)
      clock:advance(0)
      """)
    #expect(
      lines == [
        "at\t9.5", "1\t10.0\t10.0", "at\t10.0", "2\t20.0\t20.0", "at\t25.0\t1",
      ])
  }

  /// A coroutine that was waiting goes on before the time moves further.
  @Test func whatATimerSetsGoingRunsBeforeTheTimeMovesOn() throws {
    let lines = try Script.lines(
      """
      local clock = rac.test_scheduler()
      rac.async(function()
        for i = 1, 3 do rac.sleep(1) rac.just(i):deliver_on_main():wait() print(i, clock.now) end
      end):subscribe()
      clock:advance(3)
      """)
    #expect(lines == ["1\t1.0", "2\t2.0", "3\t3.0"])
  }

  @Test func aCommandsPolicyIsTestedWithoutWaiting() throws {
    let lines = try Script.lines(
      """
      local clock = rac.test_scheduler()
      local deploy = rac.command{
        when_busy = "queue", run = function(n) rac.sleep(60) return n end,
      }
      for n = 1, 3 do deploy:execute(n):subscribe(function(v) print(v, clock.now) end) end
      clock:run()
      """)
    #expect(lines == ["1\t60.0", "2\t120.0", "3\t180.0"])
  }

  @Test func runTellsOfWhatRepeatsWithoutEnd() throws {
    let lines = try Script.lines(
      """
      local clock = rac.test_scheduler()
      local ticks <close> = rac.interval(1):subscribe()
      local _, failure = pcall(clock.run, clock)
      print(failure.kind, failure.message)
      """)
    #expect(lines == ["limit\ttimers are still pending after 100000 steps; does one repeat?"])
  }

  @Test func aLaterOneTakesItsPlaceAndBeginsAtZero() throws {
    let lines = try Script.lines(
      """
      local first = rac.test_scheduler()
      rac.timer(5):subscribe(print)
      first:advance(1)
      local second = rac.test_scheduler()
      first:dispose()
      print(first.now, second.now, rac.now())
      second:run()
      print(second.now)
      """)
    #expect(lines == ["1.0\t0.0\t0.0", "0.0"])
  }

  @Test func realTimeComesBackAtTheEndOfTheBlock() throws {
    let lines = try Script.lines(
      """
      do local clock <close> = rac.test_scheduler() clock:advance(5) end
      rac.sleep(0.001)
      print(rac.timer(0.001):first())
      """)
    #expect(lines == ["1"])
  }

  /// What still waits in it does not keep the script from ending.
  @Test func aScriptEndsThoughTimersWait() throws {
    let result = try Script.run("rac.test_scheduler() rac.interval(1):subscribe(print)")
    #expect(result.failure == nil && !result.isStuck && result.output == [])
  }

  @Test func advancingInACallbackIsRefused() throws {
    let lines = try Script.lines(
      """
      local clock = rac.test_scheduler()
      rac.just(1):map(function() clock:advance(1) end):subscribe(nil, function(e) print(e.message) end)
      """)
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("test:2: cannot wait inside a synchronous callback"))
  }
}
