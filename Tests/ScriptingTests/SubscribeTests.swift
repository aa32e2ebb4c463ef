import Testing

@Suite("Subscribing and subjects") struct SubscribeTests {
  @Test func bothFormsReceiveEveryEvent() throws {
    let lines = try Script.lines(
      """
      rac.just(1):subscribe(print, nil, function() print("done") end)
      rac.just(2):subscribe{next = print, completed = function() print("done") end}
      rac.error("e"):subscribe{error = print}
      rac.just(3):subscribe()
      """)
    #expect(lines == ["1", "done", "2", "done", "e"])
  }

  @Test(arguments: [
    (
      "rac.just(1):subscribe(1)",
      "bad argument #1 to 'subscribe' (function or table expected, got number)"
    ),
    (
      "rac.just(1):subscribe{next = 1}",
      "bad argument #1 to 'subscribe' (field 'next' must be a function, got number)"
    ),
    (
      "rac.just(1):subscribe{nxt = print}",
      "bad argument #1 to 'subscribe' (unknown key 'nxt'; did you mean 'next'?)"
    ),
    (
      "rac.just(1):subscribe{print}",
      "bad argument #1 to 'subscribe' (unknown key '1'; the keys are completed, error, next)"
    ),
  ])
  func wrongHandlersAreRejected(_ code: String, _ message: String) throws {
    #expect(try Script.run(code).failure?.message == "test:1: " + message)
  }

  @Test func disposalStopsEverythingAndCanBeRepeated() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      local d = s:subscribe(print)
      s:send_next(1)
      print(d.disposed)
      d:dispose() d:dispose()
      s:send_next(2)
      print(d.disposed)
      """)
    #expect(lines == ["1", "false", "true"])
  }

  @Test func aBlockEndsItsSubscription() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      do local d <close> = s:subscribe(print); s:send_next(1) end
      s:send_next(2)
      """)
    #expect(lines == ["1"])
  }

  @Test func aSubscriberMayDisposeItselfWhileItReceives() throws {
    let lines = try Script.lines(
      """
      local s, d = rac.subject()
      d = s:subscribe(function(v) print(v); d:dispose() end)
      s:subscribe(function(v) print("other", v) end)
      s:send_next(1) s:send_next(2)
      s:send_completed()
      """)
    #expect(lines == ["1", "other\t1", "other\t2"])
  }

  @Test func subjectsRememberTheirEnd() throws {
    let lines = try Script.lines(
      show + """
        local s = rac.subject()
        s:send_next(0) s:send_error("end") s:send_next(1)
        show(s)
        local b = rac.behavior_subject("now")
        show(b)
        b:send_next("later") b:send_completed()
        show(b)
        local r = rac.replay_subject(1)
        r:send_next(1) r:send_next(2)
        show(r):dispose()
        local all = rac.replay_subject()
        all:send_next(1) all:send_next(nil) all:send_completed()
        show(all)
        """)
    #expect(
      lines == [
        "error\tend", "now", "later", "completed", "later", "completed", "2", "1", "nil",
        "completed",
      ])
  }

  @Test func aDroppedSubjectCompletesItsSubscribers() throws {
    let lines = try Script.lines(
      show + """
        local s = rac.subject()
        show(s:map(function(v) return v end))
        s = nil
        collectgarbage() collectgarbage()
        rac.sleep(0)
        print("after")
        """)
    #expect(lines == ["completed", "after"])
  }

  @Test func reentrantSendsKeepOneOrder() throws {
    let lines = try Script.lines(
      """
      local s = rac.subject()
      s:subscribe(function(v) if v == 1 then s:send_next(2) end end)
      s:subscribe(print)
      s:send_next(1)
      s:send_completed()
      """)
    #expect(lines == ["1", "2"])
  }
}
