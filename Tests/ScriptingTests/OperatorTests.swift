import Testing

@Suite("Operators") struct OperatorTests {
  @Test(arguments: [
    ("rac.range(1, 3):map(function(x) return x * 2 end)", ["2", "4", "6", "completed"]),
    ("rac.range(1, 2):map_replace('x')", ["x", "x", "completed"]),
    ("rac.range(1, 4):filter(function(x) return x % 2 == 0 end)", ["2", "4", "completed"]),
    ("rac.from{1, 2, 1}:ignore(1)", ["2", "completed"]),
    ("rac.from{rac.tuple(1), rac.tuple(2)}:ignore(rac.tuple(1))", ["(2)", "completed"]),
    ("rac.range(1, 3):ignore_values()", ["completed"]),
    (
      "rac.range(1, 3):flat_map(function(x) return rac.from{x, x * 10} end)",
      ["1", "10", "2", "20", "3", "30", "completed"]
    ),
    ("rac.from{rac.just(1), rac.just(2)}:flatten()", ["1", "2", "completed"]),
    ("rac.from{rac.just(1), rac.just(2)}:flatten(1)", ["1", "2", "completed"]),
    ("rac.from{rac.just(1), rac.just(2)}:concat()", ["1", "2", "completed"]),
    ("rac.from{rac.just(1), rac.just(2)}:merge()", ["1", "2", "completed"]),
    ("rac.just(1):concat(rac.just(2), rac.just(3))", ["1", "2", "3", "completed"]),
    ("rac.just(1):merge(rac.just(2))", ["1", "2", "completed"]),
    ("rac.from{rac.never(), rac.just(2)}:switch_to_latest()", ["2", "completed"]),
    ("rac.range(1, 3):scan(0, function(a, x) return a + x end)", ["1", "3", "6", "completed"]),
    (
      "rac.from{'a', 'b'}:scan('', function(a, x, i) return a .. x .. i end)",
      ["a1", "a1b2", "completed"]
    ),
    (
      "rac.range(1, 3):combine_previous(0, function(a, b) return a .. '-' .. b end)",
      ["0-1", "1-2", "2-3", "completed"]
    ),
    ("rac.range(1, 3):aggregate(0, function(a, x) return a + x end)", ["6", "completed"]),
    ("rac.empty():aggregate('seed', print)", ["seed", "completed"]),
    ("rac.from{1, nil, 3, n = 3}:collect():map(rac.json.encode)", ["[1,null,3]", "completed"]),
    ("rac.empty():collect():map(rac.json.encode)", ["[]", "completed"]),
    (
      "rac.from{rac.tuple(1, nil, 3)}:reduce_each(function(a, b, c) return a + c end)",
      ["4", "completed"]
    ),
    ("rac.range(1, 3):buffer(0.001):map(rac.json.encode)", ["[1,2,3]", "completed"]),
    (
      "rac.just(1):materialize():map(rac.json.encode)",
      ["{\"kind\":\"next\",\"value\":1}", "{\"kind\":\"completed\"}", "completed"]
    ),
    (
      "rac.error('x'):materialize():map(rac.json.encode)",
      ["{\"error\":\"x\",\"kind\":\"error\"}", "completed"]
    ),
    (
      "rac.from{1, 2}:concat(rac.error('x')):materialize():dematerialize()", ["1", "2", "error\tx"]
    ),
    ("rac.from{true, false, 0}:negate()", ["false", "true", "false", "completed"]),
    (
      "rac.from{rac.tuple(true, 1), rac.tuple(true, nil)}:all_true()",
      ["true", "false", "completed"]
    ),
    ("rac.from{rac.tuple(nil, 1), rac.tuple(false)}:any_true()", ["true", "false", "completed"]),
    ("rac.range(1, 3):any(function(x) return x == 2 end)", ["true", "completed"]),
    ("rac.empty():any()", ["false", "completed"]),
    ("rac.range(1, 3):all(function(x) return x < 3 end)", ["false", "completed"]),
    ("rac.just(1):combine_latest(rac.just(2))", ["(1, 2)", "completed"]),
    ("rac.just(1):zip(rac.just(2), function(a, b) return a + b end)", ["3", "completed"]),
    ("rac.just(2):start_with(1)", ["1", "2", "completed"]),
    ("rac.just(1):and_then(rac.just(2))", ["2", "completed"]),
    ("rac.just(1):and_then(function() return rac.just(3) end)", ["3", "completed"]),
    ("rac.just(true):when(rac.just('yes'), rac.just('no'))", ["yes", "completed"]),
    (
      "rac.when(rac.from{true, false}, rac.just('yes'), rac.just('no'))",
      ["yes", "no", "completed"]
    ),
    ("rac.from{'a', 'c'}:switch({a = rac.just(1)}, rac.just(9))", ["1", "9", "completed"]),
    (
      "rac.switch(rac.just('z'), {a = rac.just(1)})",
      ["error\ttest:7: switch has no signal for the key 'z', and no default"]
    ),
    ("rac.range(1, 5):take(2)", ["1", "2", "completed"]),
    ("rac.range(1, 5):take(0)", ["completed"]),
    ("rac.range(1, 5):take_last(2)", ["4", "5", "completed"]),
    ("rac.range(1, 5):take_while(function(x) return x < 3 end)", ["1", "2", "completed"]),
    ("rac.range(1, 5):take_until(function(x) return x == 3 end)", ["1", "2", "completed"]),
    ("rac.range(1, 5):take_until(rac.just())", ["completed"]),
    ("rac.range(1, 5):take_until_replacement(rac.just('r'))", ["r", "completed"]),
    ("rac.range(1, 5):skip(3)", ["4", "5", "completed"]),
    ("rac.range(1, 5):skip_while(function(x) return x < 4 end)", ["4", "5", "completed"]),
    ("rac.range(1, 5):skip_until(function(x) return x == 4 end)", ["4", "5", "completed"]),
    ("rac.from{1, 1.0, 2, 2, 1}:distinct_until_changed()", ["1", "2", "1", "completed"]),
    (
      "rac.from{rac.tuple(1), rac.tuple(1)}:distinct_until_changed()", ["(1)", "completed"]
    ),
    (
      "rac.from{1, 3, 4}:distinct_until_changed(function(a, b) return a % 2 == b % 2 end)",
      ["1", "4", "completed"]
    ),
    ("rac.range(1, 3):throttle(10)", ["3", "completed"]),
    ("rac.range(1, 3):throttle(10, function(x) return x > 1 end)", ["1", "3", "completed"]),
    ("rac.just(1):delay(0.001)", ["1", "completed"]),
    ("rac.error('now'):delay(100)", ["error\tnow"]),
    ("rac.never():timeout(0.001)", ["error\tthe signal did not end within 0.001 s"]),
    ("rac.just(1):timeout(10)", ["1", "completed"]),
    ("rac.error('x'):catch(function(e) return rac.just(e .. '!') end)", ["x!", "completed"]),
    (
      "rac.error('x'):catch(function() return 1 end)",
      ["error\ttest:7: the function of catch returned number, expected a signal"]
    ),
    ("rac.error('x'):catch_to(rac.just(1))", ["1", "completed"]),
    ("rac.just(1):repeated():take(3)", ["1", "1", "1", "completed"]),
    ("rac.from{1, 2}:concat(rac.error('e')):retry(1)", ["1", "2", "1", "2", "error\te"]),
    ("rac.just(1):concat(rac.error('e')):retry(0):take(3)", ["1", "1", "1", "completed"]),
    (
      "rac.range(1, 3):try(function(x) return x < 2 end)",
      ["1", "error\ttest:7: the function of try refused the value 2"]
    ),
    ("rac.range(1, 3):try(function(x) return nil, 'why' end)", ["error\twhy"]),
    (
      "rac.range(1, 3):try(function(x) if x > 1 then error('raised', 0) end end)",
      ["1", "error\traised"]
    ),
    (
      "rac.from{1, 'b'}:try_map(function(x) if x == 1 then return x end return nil, 'no number' end)",
      ["1", "error\tno number"]
    ),
    ("rac.just(1):initially(function() print('first') end)", ["first", "1", "completed"]),
    ("rac.just(1):do_next(print)", ["1", "1", "completed"]),
    ("rac.error('e'):do_error(print)", ["e", "error\te"]),
    ("rac.just(1):do_completed(function() print('done') end)", ["1", "done", "completed"]),
    ("rac.error('e'):finally(function() print('end') end)", ["end", "error\te"]),
    ("rac.just(1):deliver_on(rac.scheduler.main)", ["1", "completed"]),
    ("rac.just(1):deliver_on(rac.scheduler.immediate)", ["1", "completed"]),
    ("rac.just(1):deliver_on_main()", ["1", "completed"]),
    ("rac.just(1):subscribe_on(rac.scheduler.main)", ["1", "completed"]),
    ("rac.just(1):publish():autoconnect()", ["1", "completed"]),
    ("rac.just(1):replay()", ["1", "completed"]),
    ("rac.range(1, 3):replay_last()", ["3", "completed"]),
    ("rac.range(1, 3):replay_lazily()", ["1", "2", "3", "completed"]),
    ("rac.just(1):share()", ["1", "completed"]),
    ("rac.just(1):multicast(rac.replay_subject()):autoconnect()", ["1", "completed"]),
    ("rac.start_eagerly(function(s) s:send_next(1) s:send_completed() end)", ["1", "completed"]),
    ("rac.start_lazily(function(s) s:send_next(1) s:send_completed() end)", ["1", "completed"]),
  ])
  func sends(_ signal: String, _ events: [String]) throws {
    #expect(try Script.lines(show + "show(\(signal))") == events)
  }

  @Test func groupsHaveKeys() throws {
    let lines = try Script.lines(
      """
      rac.range(1, 4):group_by(function(x) return x % 2 == 0 and "even" or "odd" end,
        function(x) return x * 10 end)
        :flat_map(function(g) return g:map(function(x) return g.key .. x end) end)
        :subscribe(print)
      """)
    #expect(lines == ["odd10", "even20", "odd30", "even40"])
  }

  @Test func sampleSendsTheLatestValueWithEachOfTheSampler() throws {
    let lines = try Script.lines(
      """
      local values, sampler = rac.subject(), rac.subject()
      values:sample(sampler):subscribe(print)
      sampler:send_next() values:send_next(1) values:send_next(2)
      sampler:send_next() sampler:send_next()
      values:send_completed()
      sampler:send_completed()
      """)
    #expect(lines == ["2", "2"])
  }

  @Test func connectionsSubscribeOnceAndWhenTold() throws {
    let lines = try Script.lines(
      """
      local c = rac.create(function(s) print("work"); s:send_next(1); s:send_completed() end):publish()
      c.signal:subscribe(function(v) print("a", v) end)
      c.signal:subscribe(function(v) print("b", v) end)
      print("connect")
      c:connect()
      c:connect()
      """)
    #expect(lines == ["connect", "work", "a\t1", "b\t1"])
  }

  @Test func startEagerlyDoesItsWorkOnceWithoutASubscriber() throws {
    let lines = try Script.lines(
      """
      local s = rac.start_eagerly(function(sub) print("work"); sub:send_next(1); sub:send_completed() end)
      rac.sleep(0.001)
      print(s:first(), s:first())
      """)
    #expect(lines == ["work", "1\t1"])
  }

  @Test func schedulersRunFunctions() throws {
    let lines = try Script.lines(
      """
      rac.scheduler.main:schedule(function() print("turn") end)
      rac.scheduler.immediate:schedule(function()
        rac.scheduler.immediate:schedule(function() print("inner") end)
        print("outer")
      end)
      rac.scheduler.immediate:after(0.001, function() print("later") end)
      local n, d = 0
      d = rac.scheduler.main:every(0.002, function() n = n + 1; if n == 2 then print("twice"); d:dispose() end end)
      rac.scheduler.main:after(10, function() end):dispose()
      print(rac.scheduler.main)
      """)
    #expect(lines.prefix(3) == ["outer", "inner", "scheduler: main"])
    #expect(lines.dropFirst(3).sorted() == ["later", "turn", "twice"])
  }

  @Test func aScheduledFunctionThatFailsIsReportedOnceAndStops() throws {
    let lines = try Script.lines(
      "rac.scheduler.main:every(0.001, function() error('bad', 0) end)")
    #expect(lines == ["unhandled: bad"])
  }

  @Test func logsWhatHappens() throws {
    let result = try Script.run(
      "rac.just(1):named('one'):log():subscribe(); print(rac.just(1):named('x'))")
    #expect(
      result.logs == [
        "info: one: subscribed", "info: one: next 1", "info: one: completed", "info: one: disposed",
      ])
    #expect(result.output == ["signal: x"])
  }

  /// Every operator that takes a function, with one that raises.
  @Test(arguments: [
    "map(F)", "filter(F)", "scan(0, F)", "flat_map(F)", "combine_previous(0, F)", "aggregate(0, F)",
    "reduce_each(F)", "any(F)", "all(F)", "group_by(F)", "group_by(function() return 1 end, F)",
    "and_then(F)", "take_while(F)", "take_until(F)", "skip_while(F)", "skip_until(F)",
    "distinct_until_changed(F)", "throttle(1, F)", "try(F)", "try_map(F)", "initially(F)",
    "do_next(F)", "do_completed(F)", "finally(F)", "combine_latest(rac.just(1), F)",
    "zip(rac.from{1, 2}, F)",
  ])
  func aFailingFunctionEndsItsSignalWithItsError(_ operation: String) throws {
    let lines = try Script.lines(
      show + """
        local boom = {}
        local F = function() error(boom) end
        rac.from{rac.tuple(1), rac.tuple(2)}:\(operation)
          :do_error(function(e) print(e == boom) end):subscribe(nil, function() print("once") end)
        """)
    #expect(lines == ["true", "once"])
  }

  @Test func bindMakesAFunctionForEachSubscriptionAndStops() throws {
    let lines = try Script.lines(
      """
      local bound = rac.range(1, 9):bind(function()
        local sum = 0
        return function(n) sum = sum + n return rac.just(sum), n == 3 end
      end)
      for _ = 1, 2 do bound:collect():map(rac.json.encode):subscribe(print) end
      rac.just(1):bind(function() return 1 end):subscribe(nil, function(e) print(e.message) end)
      rac.just(1):bind(function() return function() return 1 end end):subscribe(nil, function(e) print(e.message) end)
      rac.just(1):bind(function() return function() error("bad", 0) end end):subscribe(nil, print)
      """)
    #expect(
      lines == [
        "[1,3,6]", "[1,3,6]", "test:6: the function of bind returned number, expected a function",
        "test:7: the function made for bind returned number, expected a signal", "bad",
      ])
  }

  @Test func aggregateWithMakesASeedForEachSubscription() throws {
    let lines = try Script.lines(
      """
      local sent = rac.range(1, 3):aggregate_with(function() return {} end, function(all, n, i)
        all[i] = n * 10
        return all
      end):map(rac.json.encode)
      sent:subscribe(print)
      sent:subscribe(print)
      rac.just(1):aggregate_with(function() error("bad", 0) end, function() end):subscribe(nil, print)
      """)
    #expect(lines == ["[10,20,30]", "[10,20,30]", "bad"])
  }
}
