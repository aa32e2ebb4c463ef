import Testing

@testable import Scripting

@Suite("Commands") struct CommandTests {
  @Test func theTableFormRunsACoroutine() throws {
    let lines = try Script.lines(
      """
      local c = rac.command {
        name = "double",
        run = function(input, emit)
          emit(input)
          rac.sleep(0.001)
          return input * 2
        end,
      }
      c:execute(4):subscribe(print, nil, function() print("done") end)
      print(c.name, c, rac.commands.double == c, rac.is_command(c), rac.is_command(1))
      """)
    #expect(lines == ["double\tcommand: double\ttrue\ttrue\tfalse", "4", "8", "done"])
  }

  @Test(arguments: [
    ("return rac.from{1, 2}", ["1", "2", "done"]), ("return 5", ["5", "done"]),
    ("return nil", ["done"]), ("return false", ["false", "done"]), ("", ["done"]),
    ("error('no', 0)", ["error\tno"]), ("return rac.error('no')", ["error\tno"]),
  ])
  func aRunForwardsWhatItReturns(_ body: String, _ events: [String]) throws {
    let lines = try Script.lines(
      """
      rac.command{run = function(input, emit) \(body) end}:execute()
        :subscribe(print, function(e) print("error", e) end, function() print("done") end)
      """)
    #expect(lines == events)
  }

  @Test func racsInitialisersCallTheBlockAtOnce() throws {
    let lines = try Script.lines(
      """
      local c = rac.command(function(input) print("block", input); return rac.just(input) end)
      c:execute(1):subscribe(print)
      print("executed")
      local allowed = rac.behavior_subject(false)
      local d = rac.command(allowed, function(input) return rac.just(input) end)
      d:execute(1):subscribe(print, function(e) print(e.kind, e.message) end)
      allowed:send_next(true)
      d:execute(2):subscribe(print)
      """)
    #expect(
      lines == [
        "block\t1", "executed", "not_enabled\tthe command is not enabled: its condition is false",
        "1", "2",
      ])
  }

  @Test func aBlockWithoutASignalIsAnErrorThatNamesIt() throws {
    let lines = try Script.lines(
      """
      local c = rac.command(function() end)
      c:execute():subscribe(nil, function(e) print(e.kind, e.message) end)
      """)
    #expect(lines == ["lua\ttest:1: the signal block returned nil, expected a signal"])
  }

  @Test func membersTellWhatHappens() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", run = function(input) rac.sleep(0.001); if input == "bad" then error("bad", 0) end; return input end}
      c.executing:subscribe(function(v) print("executing", v) end)
      c.enabled:subscribe(function(v) print("enabled", v) end)
      c.errors:subscribe(function(e) print("errors", e) end)
      c.disabled_errors:subscribe(function(e) print("disabled", e.kind, e.command) end)
      c.executions:subscribe(function(e) print("execution", e.input) end)
      local e = c:execute("good")
      print(c:execute("again").state, e.state, #c.active_execution_signals, c.allows_concurrent_execution)
      e:wait()
      pcall(function() c:execute("bad"):wait() end)
      rac.sleep(0)
      """)
    #expect(
      lines
        == [
          "executing\tfalse", "enabled\ttrue", "failed\trunning\t1\tfalse",
          "disabled\tnot_enabled\tc", "execution\tgood", "executing\ttrue", "enabled\tfalse",
          "executing\tfalse", "enabled\ttrue", "execution\tbad", "executing\ttrue",
          "enabled\tfalse", "errors\tbad", "executing\tfalse", "enabled\ttrue",
        ].sortedLike(lines))
  }

  @Test func errorsTellWhichExecutionFailed() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{
        name = "c", concurrency = 2,
        run = function(input)
          return input.n == 1 and rac.exec{"false"} or rac.never():timeout(0.01)
        end,
      }
      local ids = {}
      c.errors:subscribe(function(e) print(e.kind, e.command, e.input.n, ids[e.input.n] == e.execution) end)
      for n = 1, 2 do
        local execution = c:execute{n = n}
        ids[n] = execution.id
        pcall(function() execution:wait() end)
      end
      rac.sleep(0)
      """)
    #expect(lines == ["exit\tc\t1\ttrue", "timeout\tc\t2\ttrue"])
  }

  @Test(arguments: [
    ("exit", "return rac.exec{'false'}"), ("exit", "rac.exec{'false'}:wait()"),
    ("lua", "return nil + 1"), ("timeout", "rac.never():wait()"),
  ])
  func anErrorSaysWhichExecutionFailedWhoeverCatchesIt(_ kind: String, _ run: String) throws {
    let lines = try Script.lines(
      """
      local c = rac.command{
        name = "c", timeout = \(kind == "timeout" ? "0.01" : "nil"), run = function() \(run) end,
      }
      local input = {}
      local function tell(execution)
        return function(e)
          print(e.kind, e.command, e.execution == execution.id, e.input == input)
          return rac.empty()
        end
      end
      local catchers = {
        function(e) tell(e)(select(2, pcall(function() e:first() end))) end,
        function(e) e:catch(tell(e)):wait() end,
        function(e) e:subscribe(nil, tell(e)) pcall(function() e:wait() end) end,
        function(e) pcall(function() e:do_error(tell(e)):wait() end) end,
        function(e) tell(e)(e:materialize():first().error) end,
        function(e) c.errors:take(1):subscribe(tell(e)) e:catch_to(rac.empty()):wait() rac.sleep(0) end,
      }
      for _, catch in ipairs(catchers) do rac.sleep(0) catch(c:execute(input)) end
      """)
    #expect(lines == Array(repeating: "\(kind)\tc\ttrue\ttrue", count: 6))
  }

  @Test func anErrorNamesTheInnermostExecutionAndKeepsItsIdentity() throws {
    let lines = try Script.lines(
      """
      local raised, inner
      local c = rac.command{name = "inner", run = function()
        local _, e = pcall(function() rac.exec{"false"}:wait() end)
        raised = e
        error(e)
      end}
      local o = rac.command{name = "outer", run = function() inner = c:execute(1) inner:wait() end}
      local outer = o:execute(2)
      local _, e = pcall(function() outer:wait() end)
      print(rawequal(e, raised), e.command, e.execution == inner.id, e.input)
      local own = rac.command(function() return rac.error{kind = "own"} end):execute()
      local _, e = pcall(function() own:wait() end)
      print(e.kind, e.execution)
      local _, e = pcall(function() rac.command(rac.just(false), print):execute(3):first() end)
      print(e.kind, e.command, math.type(e.execution), e.input)
      """)
    #expect(
      lines == [
        "true\tinner\ttrue\t1", "own\tnil",
        "not_enabled\tcommand at test:14\tinteger\t3",
      ])
  }

  @Test func enabledMayBeAPredicateAskedAtEachAttempt() throws {
    let lines = try Script.lines(
      """
      local open = false
      local c = rac.command{name = "c", enabled = function() return open end, run = function() return 1 end}
      print(c:execute().state)
      open = true
      print(c:execute():first())
      """)
    #expect(
      lines == ["failed", "1", "unhandled: the command 'c' is not enabled: its condition is false"])
  }

  @Test func enabledSignalsAreLive() throws {
    let lines = try Script.lines(
      """
      local gate = rac.behavior_subject(true)
      local c = rac.command{name = "c", enabled = gate:map(function(v) return v end), run = function() end}
      c.immediate_enabled:subscribe(print)
      gate:send_next(false)
      gate:send_next(nil)
      gate:send_next(1)
      """)
    #expect(lines == ["true", "false", "true"])
  }

  @Test(arguments: [
    ("reject", ["1", "error not_enabled"]), ("queue", ["1", "2"]),
    ("restart", ["error cancelled", "2"]), ("join", ["1", "1"]),
  ])
  func aBusyCommandDoesAsItsPolicySays(_ policy: String, _ ends: [String]) throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", when_busy = "\(policy)",
        run = function(input) rac.sleep(0.001); return input end}
      local all = {}
      for i = 1, 2 do
        local e = c:execute(i)
        all[i] = rac.async(function()
          local ok, v = pcall(e.last, e)
          return ok and tostring(v) or "error " .. v.kind
        end):replay()
      end
      for i = 1, 2 do print(all[i]:last()) end
      """)
    #expect(lines == ends)
  }

  @Test func concurrencyIsALimitAndCanBeSet() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", concurrency = 2, run = function() rac.sleep(0.001) end}
      local function execute(times)
        local executions, states = {}, {}
        for i = 1, times do
          executions[i] = c:execute()
          states[i] = executions[i].state
        end
        print(table.concat(states, "\\t"), c.allows_concurrent_execution)
        for i = 1, times do pcall(executions[i].wait, executions[i]) end
      end
      execute(3)
      c.allows_concurrent_execution = true  -- as it is: the limit stays
      execute(3)
      c.allows_concurrent_execution = false
      execute(2)
      c.allows_concurrent_execution = true
      execute(3)
      """)
    #expect(
      lines.prefix(4) == [
        "running\trunning\tfailed\ttrue", "running\trunning\tfailed\ttrue",
        "running\tfailed\tfalse", "running\trunning\trunning\ttrue",
      ])
  }

  @Test(arguments: [
    (
      "rac.command{name = 'x'}",
      "field 'run' must be a function, a line for the shell or a list of words, got nil"
    ),
    ("rac.command{nam = 'x', run = print}", "unknown key 'nam'; did you mean 'name'?"),
    ("rac.command{'x', run = print}", #"unnamed value "x"; write name = "x""#),
    ("rac.command{name = 1, run = print}", "field 'name' must be a string, got number"),
    ("rac.command{run = print, concurrency = 0}", "field 'concurrency' must be a number from 1 up"),
    ("rac.command{run = print, when_busy = 'x'}", "field 'when_busy' must be"),
    ("rac.command{run = print, enabled = 5}", "field 'enabled' must be a signal or a function"),
    ("rac.command{run = print, params = 5}", "field 'params' must be a list of tables"),
    ("rac.command{run = print, params = {{}}}", "params[1] needs a name"),
    ("rac.command{run = print, params = {{name = 'a', type = 'b'}}}", "has type 'b'"),
    ("rac.command{run = print, aliases = {1}}", "field 'aliases' must be a list of strings"),
    ("rac.command{run = print, timeout = -1}", "field 'timeout' must be a number of seconds"),
    ("rac.command{run = print, retry = 3}", "field 'retry' must be a table"),
    ("rac.command{run = print, retry = {time = 3}}", "field 'retry' has an unknown key 'time'"),
    ("rac.command{run = print, needs = 5}", "field 'needs' must be a name or a list of names"),
    ("rac.command(5)", "(table or function or signal expected, got number)"),
    (
      "rac.command(rac.just(true))",
      "bad argument #2 to 'command' (function expected, got no value)"
    ),
    ("rac.just(1):execute()", "attempt to call a nil value (method 'execute')"),
  ])
  func wrongDefinitionsAreRejected(_ code: String, _ problem: String) throws {
    let message = try Script.run(code).failure?.message
    #expect(message?.contains(problem) == true, "\(message ?? "none")")
  }

  @Test func aSecondDefinitionNamesBothPlaces() throws {
    let result = try Script.run(
      """
      rac.command{name = "a", run = print}
      rac.command{name = "b", aliases = {"a"}, run = print}
      """)
    #expect(
      result.failure?.message == "test:2: command 'a' is defined at test:2 and at test:1")
  }

  @Test func executionsHaveAnIdentity() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", concurrency = 2, run = function() return 1 end}
      local input = {}
      local a, b = c:execute(input), c:execute()
      print(a.id < b.id, a.input == input, b.input, a.state, a.command == c)
      print(a == a, a == b, c.active_execution_signals[1] == a, c.active_execution_signals.n)
      a:wait() b:wait()
      print(a.state, a, rac.is_signal(a))
      print(a:map(function(v) return v + 1 end):first())
      """)
    try #require(lines.count == 4)
    #expect(lines[0] == "true\ttrue\tnil\trunning\ttrue")
    #expect(lines[1] == "true\tfalse\ttrue\t2")
    #expect(
      lines[2].hasPrefix("completed\texecution ") && lines[2].hasSuffix("of c (completed)\ttrue"))
    #expect(lines[3] == "2")
  }

  @Test func anExecutionKnowsItsCommandAfterTheScriptForgotIt() throws {
    let lines = try Script.lines(
      """
      local e = rac.command(function() return rac.just(1) end):execute()
      e:wait()
      collectgarbage() collectgarbage()
      print(rac.is_command(e.command))
      """)
    #expect(lines == ["true"])
  }

  @Test func cancellingEndsTheWorkAndIsNoError() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", run = function()
        local guard <close> = setmetatable({}, {__close = function() print("closed") end})
        rac.never():wait()
      end}
      c.errors:subscribe(function(e) print("errors", e) end)
      local e = c:execute()
      e:subscribe(nil, function(err) print(err.kind, e.state) end)
      rac.sleep(0)
      e:cancel() e:cancel()
      rac.sleep(0)
      print(e.state, c.executing:first())
      """)
    #expect(lines == ["closed", "cancelled\tcancelled", "cancelled\tfalse"])
  }

  @Test(arguments: [
    "rac.never():on_dispose(clean):wait()",
    "rac.create(function() return clean end):wait()",
    "local c <close> = setmetatable({}, {__close = clean}) rac.never():wait()",
    "rac.never():on_dispose(function() rac.never():on_dispose(clean):subscribe():dispose() end):wait()",
    "return rac.never():on_dispose(function() rac.command(rac.just):execute() clean() end)",
  ])
  func cleanUpAfterATimeoutHasAnEnd(_ wait: String) throws {
    let script = try Script()
    defer { script.finish() }
    script.host.cleanUpTime = .milliseconds(500)
    let result = script.run(
      """
      local function clean() print("cleans") while true do end end
      -- Long enough for a machine that stands still for a while before the function waits.
      local c = rac.command{name = "c", timeout = 1, run = function() \(wait) end}
      print(select(2, pcall(function() c:execute():wait() end)).kind)
      """)
    #expect(Set(result.output) == ["cleans", "timeout"])
    #expect(result.unhandled == ["the execution took longer than its timeout"])
  }

  @Test(arguments: [
    "rac.never():on_dispose(clean)",
    "rac.create(function() return clean end)",
    """
    rac.async(function()
      local c <close> = setmetatable({}, {__close = clean})
      rac.never():wait()
    end)
    """,
  ])
  func cleanUpLongAfterTheDeadlineHasItsTimeToo(_ make: String) throws {
    let script = try Script()
    defer { script.finish() }
    script.host.cleanUpTime = .milliseconds(500)
    let result = script.run(
      """
      local function clean() for _ = 1, 3e5 do end print("cleaned") end
      local d
      -- Long enough for a machine that stands still for a while before the function has ended.
      rac.command{name = "a", timeout = 1, run = function() d = \(make):subscribe() end}:execute():wait()
      rac.sleep(1.1)
      d:dispose()
      """)
    #expect(result.output == ["cleaned"])
    #expect(result.unhandled == [])
  }

  @Test func cleanUpHasNoMoreTimeThanWhoeverEndsTheWork() throws {
    let script = try Script()
    defer { script.finish() }
    let result = script.run(
      """
      local d
      rac.command{name = "a", timeout = 3600, run = function()
        d = rac.never():on_dispose(function() while true do end end):subscribe()
      end}:execute():wait()
      -- Long enough for a machine that stands still for a while before the clean-up begins.
      local b = rac.command{name = "b", timeout = 1, run = function() d:dispose() end}
      local _, failure = pcall(function() b:execute():wait() end)
      print(failure.kind)
      """)
    #expect(result.output == ["timeout"])
    #expect(result.unhandled == [])
  }

  @Test func timeoutsAndRetriesComeFromTheDefinition() throws {
    let lines = try Script.lines(
      """
      local tries = 0
      local c = rac.command{name = "c", retry = {times = 2, delay = 0.001, backoff = 2}, run = function(_, emit)
        tries = tries + 1
        if tries < 3 then error("try " .. tries, 0) end
        return tries
      end}
      print(c:execute():last())
      local slow = rac.command{name = "slow", timeout = 0.05, run = function() rac.never():wait() end}
      local ok, e = pcall(function() slow:execute():wait() end)
      print(e.kind, e.message)
      """)
    #expect(lines == ["3", "timeout\tthe execution took longer than 0.05 s"])
  }

  @Test func anErrorThatNobodyLooksAtIsToldOnceWithItsCommand() throws {
    let script = try Script()
    defer { script.finish() }
    let result = script.run(
      """
      rac.command{name = "c", run = function() error("lost", 0) end}:execute()
      rac.command{name = "d", run = function() error("seen", 0) end}.errors:subscribe(function() end)
      rac.commands.d:execute()
      rac.command{name = "e", run = function() error("waited", 0) end}
      pcall(function() rac.commands.e:execute():wait() end)
      """)
    #expect(result.unhandled == ["lost"])
  }

  @Test func anExecutionIsOneValueAsLongAsItRuns() throws {
    let lines = try Script.lines(
      """
      local work, seen = rac.subject(), nil
      local command = rac.command(function() return work end)
      command.executions:subscribe(function(e) seen = e end)
      local execution = command:execute()
      rac.sleep(0)
      print(rawequal(seen, execution), rawequal(command.active_execution_signals[1], execution))
      work:send_completed()
      print(seen == execution, execution.state, execution.command == command)
      """)
    #expect(lines == ["true\ttrue", "true\tcompleted\ttrue"])
  }

  @Test func executionSignalsCompleteWhereTheirExecutionsFail() throws {
    let lines = try Script.lines(
      """
      local c = rac.command{name = "c", run = function(input, emit) emit(input) if input == 2 then error("bad", 0) end end}
      c.execution_signals:switch_to_latest():subscribe(
        function(v) print("latest", v) end, function(e) print("failed", e) end)
      c.execution_signals:flatten():subscribe(
        function(v) print("flat", v) end, function(e) print("failed", e) end)
      c.executions:flatten():subscribe(
        function(v) print("execution", v) end, function(e) print("failed", e) end)
      c.errors:subscribe(function(e) print("error", e) end)
      for input = 1, 3 do pcall(function() c:execute(input):wait() end) rac.sleep(0) end
      """)
    #expect(
      lines.filter { $0.hasPrefix("latest") } == ["latest\t1", "latest\t2", "latest\t3"])
    #expect(lines.filter { $0.hasPrefix("flat") } == ["flat\t1", "flat\t2", "flat\t3"])
    #expect(lines.filter { $0.hasPrefix("execution") } == ["execution\t1", "execution\t2"])
    #expect(lines.filter { $0.hasPrefix("failed") } == ["failed\tbad"])
    #expect(lines.filter { $0.hasPrefix("error") } == ["error\tbad"])
  }

  @Test func whoFollowsExecutionSignalsDoesNotHandleErrors() throws {
    let result = try Script.run(
      """
      local c = rac.command{name = "c", run = function() error("lost", 0) end}
      c.execution_signals:flatten():subscribe(print)
      c:execute()
      """)
    #expect(result.unhandled == ["lost"])
  }

  @Test func concurrentExecutionAllowedIsToldAtOnce() throws {
    let lines = try Script.lines(
      """
      local c = rac.command(rac.just)
      c.concurrent_execution_allowed:subscribe(print)
      c.allows_concurrent_execution = true
      print("set")
      """)
    #expect(lines == ["false", "true", "set"])
  }

  @Test func anErrorLeadsToItsCommandAnAnonymousOneToo() throws {
    let lines = try Script.lines(
      """
      local anonymous = rac.command(rac.never)
      local named = rac.command{name = "named", run = rac.never}
      for _, c in ipairs{anonymous, named} do
        c.disabled_errors:subscribe(function(e) print("disabled", e.command == c, e.command == c.name) end)
        local first = c:execute()
        local _, e = pcall(function() c:execute("again"):wait() end)
        print(e.kind, e.command == c, e.command == c.name, rac.json.decode(rac.json.encode(e)).command)
        rac.sleep(0)
        first:cancel()
        _, e = pcall(function() first:wait() end)
        print(e.kind, e.command == c, e.command == c.name)
      end
      local failing = rac.command(function() return rac.sh("exit 3") end)
      local _, e = pcall(function() failing:execute():wait() end)
      print(e.kind, e.command == failing)
      """)
    #expect(
      lines == [
        "not_enabled\ttrue\tfalse\tcommand at test:1", "disabled\ttrue\tfalse",
        "cancelled\ttrue\tfalse", "not_enabled\tfalse\ttrue\tnamed", "disabled\tfalse\ttrue",
        "cancelled\tfalse\ttrue", "exit\ttrue",
      ])
  }

  @Test func endedExecutionsLeaveNothing() throws {
    let script = try Script()
    defer { script.finish() }
    script.runAndCollect(
      "command = rac.command(function(x) return rac.just(x) end) command:execute(1):wait()")
    let before = script.host.interpreter.referenceCount
    script.runAndCollect(
      """
      for i = 1, 100 do
        local running = command:execute(i)
        command:execute("rejected"):catch(function() return rac.empty() end):wait()
        running:wait()
      end
      """)
    #expect(script.host.interpreter.referenceCount <= before)
    #expect(script.host.executions.isEmpty)
  }
}

extension [String] {
  /// The same lines in the order of others, so that only what happened counts where the order between
  /// independent observers is free.
  fileprivate func sortedLike(_ others: [String]) -> [String] {
    sorted() == others.sorted() ? others : self
  }
}
