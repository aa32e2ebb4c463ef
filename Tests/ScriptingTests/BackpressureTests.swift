import Testing

@testable import Scripting

/// `yes` writes without end: what does not stop it is sent far more than fits into the backlog.
@Suite("Backpressure", .timeLimit(.minutes(5))) struct BackpressureTests {
  @Test(arguments: [
    "yes:map(function() return rac.timer(0.001) end):flatten(1)",
    "yes:map(function() return rac.async(function() rac.sleep(0.001) return 1 end) end):concat()",
    "yes:delay(0.5):take(1)",
    "yes:deliver_on(rac.scheduler.main):map(function() return rac.timer(0.001) end):flatten(1)",
    "yes:buffer(0.5):take(1)",
    "rac.exec{'cat', stdin = yes}:map(function() return rac.timer(0.001) end):flatten(1)",
    "rac.exec{'sh', '-c', 'sleep 0.5; head -n3', stdin = yes}",
  ])
  func aConsumerThatTakesItsTimeStopsTheProcess(_ consumer: String) throws {
    let lines = try Script.lines(
      """
      local sent = 0
      local yes = rac.exec{"yes", "a line of some length, as a build writes it"}
        :do_next(function() sent = sent + 1 end)
      \(consumer):take(40):take_until(rac.timer(2)):wait()
      print(sent < 25000 or sent)
      """)
    #expect(lines == ["true"])
  }

  @Test func whatWaitedArrivesWholeAndInOrderOnceThereIsRoom() throws {
    let lines = try Script.lines(
      """
      local last, count, ordered = 0, 0, true
      rac.exec{"seq", "1", "100000"}:delay(0.001):deliver_on_main():do_next(function(line)
        count = count + 1
        ordered = ordered and tonumber(line) == last + 1
        last = tonumber(line)
      end):wait()
      print(count, ordered)
      local slow = rac.exec{"seq", "1", "500"}:map(function(n)
        return rac.timer(0):map_replace(n)
      end):concat():to_table()
      print(slow.n, slow[500])
      """)
    #expect(lines == ["100000\ttrue", "500\t500"])
  }

  @Test func aProcessThatClosesItsInputEndsWhatFeedsIt() throws {
    let lines = try Script.lines(
      """
      local yes = rac.exec{"yes"}
      local reader = rac.exec{"sh", "-c", "exec <&-; echo closed; exec sleep 1000", stdin = yes}
      local closed = false
      local subscription = reader:subscribe(function(line) closed = line == "closed" end)
      while not closed or rac.stats().processes > 1 do rac.sleep(0.001) end
      print(rac.stats().processes)
      subscription:dispose()
      """)
    #expect(lines == ["1"])
  }

  @Test func aStoppedProcessEndsWhenItsSubscriptionDoes() throws {
    let lines = try Script.lines(
      """
      local yes = rac.exec{"yes", grace = 60}:map(function() return rac.never() end):flatten(1)
      local subscription = yes:subscribe()
      rac.sleep(0.05)
      subscription:dispose()
      while rac.stats().processes > 0 do rac.sleep(0.001) end
      print("over")
      """)
    #expect(lines == ["over"])
  }

  @Test func whatAProcessSaysWhileItEndsIsLogged() throws {
    let result = try Script.run(
      """
      local p = rac.sh("trap 'echo cleaned up; exit' TERM; echo up; while :; do sleep 0.01; done")
      p:take(1):wait()
      while rac.stats().processes > 0 do rac.sleep(0.001) end
      """)
    #expect(result.logs == ["debug: /bin/sh while it ends: cleaned up"])
  }
}
