extension Library {
  static let transformingExamples: [String: String] = [
    "signal:map": """
    rac.from{"lua", "swift"}:map(string.upper):subscribe(print)
    --> LUA, SWIFT
    """,
    "signal:map_replace": """
    rac.range(1, 2):map_replace("tick"):subscribe(print)
    --> tick, tick
    """,
    "signal:filter": """
    rac.range(1, 6):filter(function(n) return n % 2 == 0 end):subscribe(print)
    --> 2, 4, 6
    """,
    "signal:ignore": """
    rac.from{"a", "", "b"}:ignore(""):subscribe(print)
    --> a, b
    """,
    "signal:ignore_values": """
    rac.range(1, 3):ignore_values():subscribe(print, nil, function() print("over") end)
    --> over
    """,
    "signal:scan": """
    rac.from{5, 10, 20}:scan(0, function(sum, n) return sum + n end):subscribe(print)
    --> 5, 15, 35
    """,
    "signal:combine_previous": """
    rac.from{3, 7, 6}:combine_previous(0, function(last, n) return n - last end):subscribe(print)
    --> 3, 4, -1
    """,
    "signal:aggregate": """
    rac.from{5, 10, 20}:aggregate(0, function(sum, n) return sum + n end):subscribe(print)
    --> 35
    """,
    "signal:aggregate_with": """
    local words = rac.from{"lua", "swift"}
    local by_length = words:aggregate_with(function() return {} end, function(all, word)
      all[#word] = word
      return all
    end)
    by_length:map(rac.json.encode):subscribe(print)
    --> {"3":"lua","5":"swift"}
    """,
    "signal:collect": """
    rac.from{"b", "a"}:collect():subscribe(function(list) print(list.n, list[1]) end)
    --> 2	b
    """,
    "signal:count": """
    rac.sh("printf 'a\\nb\\n'"):count():subscribe(print)
    --> 2
    """,
    "signal:reduce_each": """
    rac.zip(rac.from{2, 3}, rac.from{10, 20})
      :reduce_each(function(count, price) return count * price end):subscribe(print)
    --> 20, 60
    """,
    "signal:buffer": """
    local clock <close> = rac.test_scheduler()
    rac.interval(1):take(5):buffer(2.5):map(rac.json.encode):subscribe(print)
    clock:run()
    --> [1,2,3], [4,5]
    """,
    "signal:materialize": """
    rac.just(1):materialize():map(rac.json.encode):subscribe(print)
    --> {"kind":"next","value":1}, {"kind":"completed"}
    """,
    "signal:dematerialize": """
    rac.from{{kind = "next", value = 7}, {kind = "completed"}}:dematerialize():subscribe(print)
    --> 7
    """,
    "signal:negate": """
    rac.from{true, false}:negate():subscribe(print)
    --> false, true
    """,
    "signal:all_true": """
    rac.combine_latest(rac.just(true), rac.from{false, true}):all_true():subscribe(print)
    --> false, true
    """,
    "signal:any_true": """
    rac.combine_latest(rac.just(false), rac.from{false, true}):any_true():subscribe(print)
    --> false, true
    """,
    "signal:any": """
    rac.from{"ok", "FAIL"}:any(function(line) return line == "FAIL" end):subscribe(print)
    --> true
    """,
    "signal:all": """
    rac.from{"ok", "FAIL"}:all(function(line) return line == "ok" end):subscribe(print)
    --> false
    """,
    "signal:flat_map": """
    rac.from{"a", "b"}
      :flat_map(function(word) return rac.exec{"echo", word, word}:take(1) end)
      :collect():map(function(lines) table.sort(lines) return table.concat(lines, "; ") end)
      :subscribe(print)
    --> a a; b b
    """,
    "signal:bind": """
    local until_zero = rac.from{2, 1, 0, 5}:bind(function()
      return function(n) if n > 0 then return rac.range(1, n) end end
    end)
    until_zero:subscribe(print)
    --> 1, 2, 1
    """,
    "signal:flatten": """
    rac.from{rac.timer(0.02):map_replace("first"), rac.just("second")}:flatten(1):subscribe(print)
    --> first, second
    """,
    "signal:switch_to_latest": """
    rac.from{rac.never(), rac.just("newest")}:switch_to_latest():subscribe(print)
    --> newest
    """,
    "signal:concat": """
    rac.just("header"):concat(rac.range(1, 2), rac.just("footer")):subscribe(print)
    --> header, 1, 2, footer
    """,
    "signal:merge": """
    rac.timer(0.02):map_replace("later"):merge(rac.just("now")):subscribe(print)
    --> now, later
    """,
    "signal:group_by": """
    rac.from{"a.c", "b.h", "c.c"}
      :group_by(function(file) return file:match("%w+$") end)
      :flat_map(function(group)
        return group:collect():map(function(files) return group.key .. ": " .. files.n end)
      end)
      :subscribe(print)
    --> c: 2, h: 1
    """,
  ]

  static let combiningExamples: [String: String] = [
    "signal:combine_latest": """
    rac.just("main"):combine_latest(rac.from{1, 2}):subscribe(print)
    --> (main, 1), (main, 2)
    """,
    "signal:zip": """
    rac.from{"a", "b"}:zip(rac.range(1, 9), function(s, n) return s .. n end):subscribe(print)
    --> a1, b2
    """,
    "signal:start_with": """
    rac.range(1, 2):start_with("counting"):subscribe(print)
    --> counting, 1, 2
    """,
    "signal:and_then": """
    rac.exec{"true"}:and_then(rac.just("built")):subscribe(print)
    --> built
    """,
    "signal:sample": """
    local position, ask = rac.behavior_subject(1), rac.subject()
    position:sample(ask):subscribe(print)
    position:send_next(2)
    ask:send_next()
    --> 2
    """,
    "signal:when": """
    rac.just(false):when(rac.just("yes"), rac.just("no")):subscribe(print)
    --> no
    """,
    "signal:switch": """
    rac.from{"start", "stop"}
      :switch{start = rac.just("running"), stop = rac.just("stopped")}:subscribe(print)
    --> running, stopped
    """,
    "signal:take_until": """
    rac.from{"name: x", "", "body"}:take_until(function(line) return line == "" end)
      :subscribe(print)
    --> name: x
    """,
    "signal:take_until_replacement": """
    rac.just("from the cache"):concat(rac.never())
      :take_until_replacement(rac.timer(0.01):map_replace("fresh")):subscribe(print)
    --> from the cache, fresh
    """,
  ]

  static let limitingExamples: [String: String] = [
    "signal:take": """
    rac.sh("yes"):take(2):subscribe(print)
    --> y, y
    """,
    "signal:take_last": """
    rac.range(1, 5):take_last(2):subscribe(print)
    --> 4, 5
    """,
    "signal:take_while": """
    rac.from{1, 2, 9, 1}:take_while(function(n) return n < 5 end):subscribe(print)
    --> 1, 2
    """,
    "signal:skip": """
    rac.from{"PID COMMAND", "1 init"}:skip(1):subscribe(print)
    --> 1 init
    """,
    "signal:skip_while": """
    rac.from{1, 2, 9, 1}:skip_while(function(n) return n < 5 end):subscribe(print)
    --> 9, 1
    """,
    "signal:skip_until": """
    rac.from{"noise", "BEGIN", "data"}:skip_until(function(line) return line == "BEGIN" end)
      :subscribe(print)
    --> BEGIN, data
    """,
    "signal:distinct_until_changed": """
    rac.from{1, 1, 2, 1}:distinct_until_changed():subscribe(print)
    --> 1, 2, 1
    """,
    "signal:throttle": """
    local clock <close> = rac.test_scheduler()
    local typed = rac.subject()
    typed:throttle(0.5):subscribe(print)
    typed:send_next("l") clock:advance(0.1)
    typed:send_next("lu") clock:advance(0.1)
    typed:send_next("lua") clock:advance(1)
    --> lua
    """,
    "signal:delay": """
    local clock <close> = rac.test_scheduler()
    rac.just("coffee"):delay(240):subscribe(function(it) print(it, clock.now) end)
    clock:run()
    --> coffee	240.0
    """,
    "signal:timeout": """
    local ok, failure = pcall(function() rac.never():timeout(0.01):wait() end)
    print(failure.kind)
    --> timeout
    """,
  ]

  static let eventExamples: [String: String] = [
    "signal:subscribe": """
    rac.from{"a", "b"}:subscribe{
      next = print,
      error = function(failure) print("failed", failure) end,
      completed = function() print("completed") end,
    }
    --> a, b, completed
    """,
    "signal:first": """
    print(rac.from{"a", "b"}:first(), rac.empty():first("nothing"))
    --> a	nothing
    """,
    "signal:first_or_default": """
    print(rac.empty():first_or_default("nothing"))
    --> nothing
    """,
    "signal:last": """
    print(rac.from{"a", "b"}:last())
    --> b
    """,
    "signal:to_table": """
    local lines = rac.exec{"printf", "a\\\\nb\\\\n"}:to_table()
    print(lines.n, lines[1], lines[2])
    --> 2	a	b
    """,
    "signal:to_array": """
    print(#rac.range(1, 5):filter(function(n) return n % 2 == 1 end):to_array())
    --> 3
    """,
    "signal:wait_until_completed": """
    rac.just("saved"):delay(0.01):do_next(print):wait_until_completed()
    print("done")
    --> saved, done
    """,
    "signal:wait": """
    local ok, failure = pcall(function() rac.exec{"false"}:wait() end)
    print(ok, failure.kind, failure.code)
    --> false	exit	1
    """,
    "signal:catch": """
    rac.error("offline"):catch(function(failure) return rac.just("cached, " .. failure) end)
      :subscribe(print)
    --> cached, offline
    """,
    "signal:catch_to": """
    rac.error("offline"):catch_to(rac.just("cached")):subscribe(print)
    --> cached
    """,
    "signal:retry": """
    local attempts = 0
    rac.try(function()
      attempts = attempts + 1
      if attempts < 3 then error("busy") end
      return "done after " .. attempts
    end):retry(5):subscribe(print)
    --> done after 3
    """,
    "signal:repeated": """
    rac.from{"tick", "tock"}:repeated():take(3):subscribe(print)
    --> tick, tock, tick
    """,
    "signal:try": """
    rac.from{4, -1}:try(function(n) return n >= 0, "negative" end):subscribe(print, print)
    --> 4, negative
    """,
    "signal:try_map": """
    rac.from{"1", "x"}:try_map(function(s) return tonumber(s), "no number: " .. s end)
      :subscribe(print, print)
    --> 1, no number: x
    """,
    "signal:initially": """
    rac.just(1):initially(function() print("starting") end):subscribe(print)
    --> starting, 1
    """,
    "signal:do_next": """
    rac.range(1, 2):do_next(function(n) print("saw", n) end):wait()
    --> saw	1, saw	2
    """,
    "signal:do_error": """
    rac.error("full"):do_error(function(e) print("noting", e) end):catch_to(rac.empty()):wait()
    --> noting	full
    """,
    "signal:do_completed": """
    rac.just(1):do_completed(function() print("all there") end):wait()
    --> all there
    """,
    "signal:finally": """
    rac.error("full"):finally(function() print("tidy up") end):catch_to(rac.empty()):wait()
    --> tidy up
    """,
    "signal:on_dispose": """
    rac.never():on_dispose(function() print("let go") end):subscribe():dispose()
    --> let go
    """,
    "signal:log": """
    rac.range(1, 2):log("counter"):wait()
    """,
    "signal:named": """
    print(rac.never():named("keyboard"))
    --> signal: keyboard
    """,
    "signal:publish": """
    local source = rac.range(1, 2):publish()
    source.signal:subscribe(function(n) print("a", n) end)
    source.signal:subscribe(function(n) print("b", n) end)
    source:connect()
    --> a	1, b	1, a	2, b	2
    """,
    "signal:multicast": """
    local source = rac.range(1, 3):multicast(rac.replay_subject(1))
    source:connect()
    source.signal:subscribe(print)
    --> 3
    """,
    "signal:replay": """
    local date = rac.exec{"echo", "today"}:replay()
    print(date:first(), date:first())
    --> today	today
    """,
    "signal:replay_last": """
    local latest = rac.range(1, 3):replay_last()
    latest:subscribe(print)
    --> 3
    """,
    "signal:replay_lazily": """
    local all = rac.range(1, 2):do_next(function() print("made") end):replay_lazily()
    all:subscribe(print)
    all:subscribe(print)
    --> made, 1, made, 2, 1, 2
    """,
    "signal:share": """
    local ticks = rac.interval(0.01):on_dispose(function() print("timer stopped") end):share()
    rac.merge(ticks:take(1), ticks:take(2)):subscribe(print)
    --> 1, 1, 2, timer stopped
    """,
    "signal:deliver_on": """
    rac.just("later"):deliver_on(rac.scheduler.main):subscribe(print)
    print("first")
    --> first, later
    """,
    "signal:deliver_on_main": """
    rac.just("later"):deliver_on_main():subscribe(print)
    print("first")
    --> first, later
    """,
    "signal:subscribe_on": """
    rac.try(function() return "the work" end):subscribe_on(rac.scheduler.main):subscribe(print)
    print("first")
    --> first, the work
    """,
  ]

  static let objectExamples: [String: String] = [
    "subscriber:send_next": """
    rac.create(function(subscriber) subscriber:send_next("ready") end):subscribe(print)
    --> ready
    """,
    "subscriber:send_error": """
    rac.create(function(subscriber) subscriber:send_error("no disk") end):subscribe(nil, print)
    --> no disk
    """,
    "subscriber:send_completed": """
    local nothing = rac.create(function(subscriber) subscriber:send_completed() end)
    print(nothing:to_table().n)
    --> 0
    """,
    "subject:send_next": """
    local temperature = rac.subject()
    temperature:subscribe(print)
    temperature:send_next(21.5)
    --> 21.5
    """,
    "subject:send_error": """
    local upload = rac.subject()
    upload:subscribe(nil, print)
    upload:send_error("connection lost")
    --> connection lost
    """,
    "subject:send_completed": """
    local upload = rac.subject()
    upload:subscribe(nil, nil, function() print("uploaded") end)
    upload:send_completed()
    --> uploaded
    """,
    "command:execute": """
    local slow = rac.command(function(n) return rac.timer(0.01):map_replace(n) end)
    local first, second = slow:execute(1), slow:execute(2)
    print(select(2, pcall(second.wait, second)).kind)
    print(first:first())
    --> not_enabled, 1
    """,
    "execution:cancel": """
    local serve = rac.command(function() return rac.exec{"sleep", "60"} end)
    local running = serve:execute()
    running:cancel()
    print(running.state)
    --> cancelled
    """,
    "connection:connect": """
    local lines = rac.from{"a", "b"}:publish()
    lines.signal:subscribe(print)
    lines:connect()
    --> a, b
    """,
    "connection:autoconnect": """
    rac.from{"a", "b"}:publish():autoconnect():subscribe(print)
    --> a, b
    """,
    "disposable:dispose": """
    local ticks = rac.interval(0.01):subscribe(print)
    ticks:dispose()
    print(ticks.disposed)
    --> true
    """,
    "scheduler:schedule": """
    rac.scheduler.main:schedule(function() print("second") end)
    print("first")
    --> first, second
    """,
    "scheduler:after": """
    rac.scheduler.main:after(0.01, function() print("a moment later") end)
    --> a moment later
    """,
    "scheduler:every": """
    local clock <close> = rac.test_scheduler()
    local poll = clock:every(60, function() print("minute " .. clock.now // 60) end)
    clock:advance(120)
    poll:dispose()
    --> minute 1.0, minute 2.0
    """,
    "test scheduler:advance": """
    local clock <close> = rac.test_scheduler()
    rac.timer(90):subscribe(function() print("ring") end)
    clock:advance(89)
    print("not yet")
    clock:advance(1)
    --> not yet, ring
    """,
    "test scheduler:run": """
    local clock <close> = rac.test_scheduler()
    local backup = rac.async(function() rac.sleep(8 * 3600) return "backed up" end)
    backup:subscribe(print)
    clock:run()
    print(clock.now)
    --> backed up, 28800.0
    """,
    "test scheduler:step": """
    local clock <close> = rac.test_scheduler()
    rac.timer(1):subscribe(function() print("first") end)
    rac.timer(1):subscribe(function() print("second") end)
    print(clock:step(), clock.now)
    print(clock:step(), clock:step())
    --> first, true	1.0, second, true	false
    """,
    "test scheduler:dispose": """
    local clock = rac.test_scheduler()
    clock:advance(1000)
    clock:dispose()
    rac.sleep(0.01)
    print("in real time again")
    --> in real time again
    """,
  ]
}
