import LuaRuntime
import Testing

@testable import Scripting

/// A signal of `rac.just` and the handle of a subscription are userdata without an object of the host;
/// nobody may notice.
@Suite("Userdata without objects") struct HeldValueTests {
  @Test func justIsASignalLikeAnyOther() throws {
    let lines = try Script.lines(
      """
      local one = rac.just(1)
      print(tostring(one), rac.is_signal(one), rac.is_command(one), tostring(one:named("n")))
      print(one:first(), rac.concat(one, one):to_table().n, one:map(function(v) return v + 1 end):first())
      print(rac.just():to_table().n, rac.just(nil, 2):first())
      print(pcall(function() one.unknown = 1 end))
      print(getmetatable(one) == getmetatable(rac.empty()))
      """)
    #expect(
      lines == [
        "signal\ttrue\tfalse\tsignal: n", "1\t2\t2", "1\tnil",
        "false\ttest:5: cannot set field 'unknown' of a signal", "true",
      ])
  }

  @Test func itsValueLivesAsLongAsWhatIsMadeOfIt() throws {
    let lines = try Script.lines(
      """
      local weak = setmetatable({}, {__mode = "k"})
      local function make() local t = {} weak[t] = true return rac.just(t):delay(0) end
      local signal = make()
      collectgarbage() collectgarbage()
      print(next(weak) ~= nil, type(signal:first()))
      signal = nil
      rac.sleep(0)
      collectgarbage() collectgarbage()
      rac.sleep(0)
      collectgarbage() collectgarbage()
      print(next(weak))
      """)
    #expect(lines == ["true\ttable", "nil"])
  }

  @Test func aMillionLeaveNothingToFinalise() throws {
    let script = try Script()
    defer { script.finish() }
    script.run("rac.just(1) local s = rac.subject() kept = s:subscribe(print)")
    script.collect()
    let memory = script.host.interpreter.memoryInUse
    script.run(
      """
      for i = 1, 100000 do rac.just(i) end
      for i = 1, 1000 do rac.never():subscribe(print):dispose() end
      """)
    script.collect()
    #expect(script.host.interpreter.memoryInUse < memory + 10_000)
  }

  @Test func flatMapSendsInOrderWhatJustSendsReentrantly() throws {
    let lines = try Script.lines(
      """
      local inner, outer = rac.subject(), rac.subject()
      outer
        :flat_map(function(v) return v == 0 and inner or rac.just(v) end)
        :subscribe(function(v)
          print(v)
          if v == 1 then inner:send_next("inner") outer:send_next(2) end
        end, nil, function() print("done") end)
      outer:send_next(0)
      outer:send_next(1)
      outer:send_completed()
      inner:send_completed()
      """)
    #expect(lines == ["1", "inner", "2", "done"])
  }

  @Test func flatMapToJustStopsWhenItIsDisposed() throws {
    let lines = try Script.lines(
      """
      local outer, subscription = rac.subject()
      subscription = outer
        :flat_map(function(v) if v == 2 then subscription:dispose() end return rac.just(v) end)
        :subscribe(print)
      for v = 1, 3 do outer:send_next(v) end
      print(rac.range(1, 9):flat_map(rac.just):take(2):to_table().n)
      """)
    #expect(lines == ["1", "2"])
  }

  @Test func whatIsSentByTheTeardownOfASubscriptionDoesNotReachIt() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local subscription = s:on_dispose(function() s:send_next("too late") end):subscribe(print)
      s:send_next("in time")
      subscription:dispose()
      """)
    #expect(lines == ["in time"])
  }

  @Test func aSubscriptionIsKnownByItsHandle() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local first = s:subscribe(function() end)
      first:dispose()
      local second = s:subscribe(print)
      print(first.disposed, second.disposed)
      first:dispose()
      s:send_next("still there")
      s:send_completed()
      print(second.disposed)
      local torn = rac.create(function() return rac.never():on_dispose(function() print("torn") end):subscribe() end)
      torn:subscribe():dispose()
      """)
    #expect(lines == ["true\tfalse", "still there", "true", "torn"])
  }
}
