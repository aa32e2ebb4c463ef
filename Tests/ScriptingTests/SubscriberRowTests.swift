import Testing

@testable import Scripting

/// Functions that subscribe to one subject one after the other share a place among its subscribers;
/// nobody may notice.
@Suite("Subscribers in a row") struct SubscriberRowTests {
  @Test func subscribersOfAllKindsReceiveInTheOrderOfSubscription() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local function named(name) return function(v) print(name, v) end end
      s:subscribe(named("a"))
      s:map(function(v) return -v end):subscribe(named("b"))
      s:take(9):subscribe(named("c"))
      s:subscribe(named("d"))
      local connection = rac.never():multicast(s)
      connection.signal:subscribe(named("e"))
      s:subscribe(named("f"))
      s:send_next(1)
      """)
    #expect(lines == ["a\t1", "b\t-1", "c\t1", "d\t1", "e\t1", "f\t1"])
  }

  @Test func whoSubscribesDuringADeliveryMissesWhatWasSentBefore() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      s:subscribe(function(v)
        print("a", v)
        if v ~= 1 then return end
        s:send_next(2)
        s:subscribe(function(v) print("late", v) end)
      end)
      s:subscribe(function(v) print("b", v) end)
      s:send_next(1)
      s:send_next(3)
      """)
    #expect(lines == ["a\t1", "b\t1", "a\t2", "b\t2", "a\t3", "b\t3", "late\t3"])
  }

  @Test func whoSubscribesWhileAnotherKindReceivesIsNotSentTheSameValue() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      s:take(1):subscribe(function(v) s:subscribe(function(v) print("late", v) end) end)
      s:subscribe(function(v) print("b", v) end)
      s:send_next(1)
      s:send_next(2)
      """)
    #expect(lines == ["b\t1", "b\t2", "late\t2"])
  }

  @Test func anErrorInOneEndsThatOneOnly() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      s:subscribe(function(v) print("a", v) end)
      local failing = s:subscribe(function(v) error("no " .. v, 0) end, function(e) print("failed", e) end)
      s:subscribe(function(v) print("b", v) end)
      s:send_next(1)
      print(failing.disposed)
      s:send_next(2)
      """)
    #expect(lines == ["a\t1", "failed\tno 1", "b\t1", "true", "a\t2", "b\t2"])
  }

  @Test func anErrorThatNobodyHandlesIsReportedOnce() throws {
    let result = try Script.run(
      """
      local s = rac.subject()
      s:subscribe(function(v) error("unhandled " .. v, 0) end)
      s:subscribe(print)
      s:send_next(1)
      s:send_next(2)
      """)
    #expect(result.unhandled == ["unhandled 1"])
    #expect(result.output == ["1", "2"])
  }

  @Test func disposalTakesEffectWithinTheDelivery() throws {
    let lines = try Script.lines(
      """
      local s, subscriptions = rac.subject(), {}
      for i = 1, 6 do
        subscriptions[i] = s:subscribe(function(v)
          print(i, v)
          if i == 2 then for _, k in ipairs{1, 2, 4, 5} do subscriptions[k]:dispose() end end
        end)
      end
      s:send_next("x")
      s:subscribe(function(v) print("new", v) end)
      s:send_next("y")
      """)
    #expect(lines == ["1\tx", "2\tx", "3\tx", "6\tx", "3\ty", "6\ty", "new\ty"])
  }

  @Test func aRowThatEmptiesItselfIsFollowedByAnother() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local a, b
      a = s:subscribe(function(v) print("a", v) a:dispose() b:dispose() end)
      b = s:subscribe(function(v) print("b", v) end)
      s:send_next(1)
      s:send_next(2)
      s:subscribe(function(v) print("c", v) end)
      s:send_next(3)
      """)
    #expect(lines == ["a\t1", "c\t3"])
  }

  @Test func theEndReachesAllInOrderButTheDisposed() throws {
    let lines = try Script.lines(
      """
      local s, subscriptions = rac.subject(), {}
      for i = 1, 4 do
        subscriptions[i] = s:subscribe(nil, function(e)
          print(i, e)
          subscriptions[3]:dispose()
        end)
        s:subscribe(print, function() end)
      end
      s:send_error("e")
      s:subscribe(print, function(e) print("late", e) end)
      """)
    #expect(lines == ["1\te", "2\te", "4\te", "late\te"])
  }

  @Test func whatHasLeftIsCollectedWhileTheOthersStay() throws {
    let lines = try Script.lines(
      """
      local s, kept = rac.subject(), setmetatable({}, {__mode = "k"})
      local function subscribe(name)
        local function receive(v) print(name, v) end
        kept[receive] = name
        return s:subscribe(receive)
      end
      subscribe("a")
      local b, c = subscribe("b"), subscribe("c")
      s:send_next(1)
      b:dispose()
      collectgarbage()
      for _, name in pairs(kept) do assert(name ~= "b") end
      c:dispose()
      s:send_next(2)
      collectgarbage()
      print(kept[next(kept)], next(kept, (next(kept))))
      """)
    #expect(lines == ["a\t1", "b\t1", "c\t1", "a\t2", "a\tnil"])
  }

  @Test func thousandsComeAndGoInOrder() throws {
    let lines = try Script.lines(
      """
      local s, subscriptions, sum = rac.subject(), {}, 0
      for i = 1, 5000 do subscriptions[i] = s:subscribe(function() sum = sum * 3 % 1009 + i end) end
      for i = 1, 5000 do if i % 7 ~= 0 then subscriptions[i]:dispose() end end
      for i = 5001, 6000 do subscriptions[i] = s:subscribe(function() sum = sum * 3 % 1009 + i end) end
      s:send_next()
      local expected = 0
      for i = 1, 6000 do if i > 5000 or i % 7 == 0 then expected = expected * 3 % 1009 + i end end
      print(sum == expected, rac.stats().subscriptions)
      """)
    #expect(lines == ["true\t1714"])
  }

  /// Each is a call from the host of its own.
  @Test func aLimitStopsOneAndNotTheNext() throws {
    let script = try Script(timeLimit: .milliseconds(50))
    defer { script.finish() }
    let result = script.run(
      """
      local s = rac.subject()
      s:subscribe(function() while true do end end, function(e) print(e.kind) end)
      s:subscribe(function(v) print("next", v) end)
      rac.timer(0.001):multicast(s):connect()
      rac.sleep(0)
      s:wait()
      """)
    #expect(result.output == ["limit", "next\t1"])
  }

  @Test func everyValuePasses() throws {
    let lines = try Script.lines(
      """
      local s, t = rac.subject(), {}
      s:subscribe(function(v) print(v == t, v) end)
      s:subscribe(function(v) print(rawequal(v, t), type(v)) end)
      s:send_next(nil) s:send_next(false) s:send_next(1.5) s:send_next("a\\0b")
      s:send_next(t)
      """)
    #expect(lines.count == 10)
    #expect(lines.prefix(2) == ["false\tnil", "false\tnil"])
    #expect(lines.last == "true\ttable")
  }
}
