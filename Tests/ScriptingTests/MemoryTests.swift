import Testing

@testable import Scripting

/// What must be as before once scripts have dropped what they made.
@Suite("Memory", .timeLimit(.minutes(10))) struct MemoryTests {
  /// As many are made five times.
  static let rounds = LongRun.isOn ? 20_000 : 1_000

  @Test(arguments: [
    ("pipelines", "rac.range(1, 2):map(F):filter(F):scan(0, F):take(5)"),
    ("subscribed pipelines", "rac.range(1, 2):map(F):filter(F):subscribe(F)"),
    ("disposed subscriptions", "rac.never():map(F):subscribe(F):dispose()"),
    (
      "created",
      "rac.create(function(s) s:send_next(1) return function() end end):subscribe(F):dispose()"
    ),
    (
      "created that keep their subscriber",
      "rac.create(function(s) G = s s:send_completed() end):subscribe()"
    ),
    (
      "subjects",
      "local s = rac.subject() s:map(F):subscribe(function() return s end) s:send_next(1) s:send_completed()"
    ),
    ("dropped subjects", "local s = rac.subject() s:map(F):subscribe(F)"),
    (
      "subjects that failed",
      "local s = rac.replay_subject() s:subscribe(F, function() return s end) s:send_error{}"
    ),
    ("behavior subjects", "local s = rac.behavior_subject{} s:subscribe(F) s:send_completed()"),
    (
      "self-referring pipelines",
      "local p p = rac.just(1):map(function() return p end) p:subscribe(F)"
    ),
    ("self-referring values", "local s s = rac.just(function() return s end) s:subscribe(F)"),
    ("self-referring lists", "local s s = rac.from{function() return s end} s:subscribe(F)"),
    (
      "self-referring seeds",
      "local s s = rac.just(1):scan({function() return s end}, F) s:subscribe(F)"
    ),
    ("flat maps", "rac.range(1, 2):flat_map(function(x) return rac.just(x) end):subscribe(F)"),
    ("inner subjects", "local s = rac.subject() rac.just(s):flatten():subscribe(F):dispose()"),
    (
      "combinations",
      "rac.combine_latest(rac.just(1), rac.just(2), F):zip(rac.just(1)):subscribe(F)"
    ),
    (
      "choices",
      "rac.switch(rac.just(1), {[1] = rac.just(F)}):when(rac.just(1), rac.just(2)):subscribe(F)"
    ),
    (
      "groups", "rac.range(1, 3):group_by(F):flat_map(function(g) return g:map(F) end):subscribe(F)"
    ),
    ("failures", "rac.just(1):map(function() error{} end):subscribe(F, F)"),
    (
      "retries",
      "local n = 0 rac.defer(function() n = n + 1 if n < 3 then error{} end return rac.just(n) end):retry():subscribe(F)"
    ),
    ("replays", "rac.range(1, 3):map(F):replay():subscribe(F)"),
    ("connections", "local c = rac.just(1):map(F):publish() c.signal:subscribe(F) c:connect()"),
    ("shared", "rac.never():map(F):share():subscribe(F):dispose()"),
    ("starts", "rac.start_lazily(function(s) s:send_completed() end):subscribe(F)"),
    ("coroutines", "rac.async(function(emit) emit(1) return 2 end):subscribe(F)"),
    ("waiting coroutines", "rac.async(function() rac.never():wait() end):subscribe(F):dispose()"),
    ("anonymous commands", "local c c = rac.command(function() return c.executing end)"),
    ("commands with conditions", "rac.command(rac.behavior_subject(true):map(F), F)"),
    (
      "commands with predicates",
      "local c c = rac.command{enabled = function() return c end, run = function() return c end}"
    ),
    (
      "members",
      "local c = rac.command(function() return rac.just(1) end) c.executing:subscribe(F):dispose() c.errors:subscribe(F):dispose()"
    ),
    ("error tables", "pcall(rac.json.decode, '{')"),
    ("tuples", "rac.tuple(1, {}, F)"),
    ("JSON", "rac.json.decode(rac.json.encode{a = {1, 2, {b = 'c'}}})"),
  ])
  func leavesNothing(_ what: String, _ code: String) throws {
    try expectNoGrowth(
      """
      local function F(a) return a end
      G = nil
      for i = 1, ROUNDS do \(code) end
      """, rounds: Self.rounds)
  }

  @Test(arguments: [
    ("executions", "c:execute(i):wait()"),
    ("executions nobody keeps", "c:execute(i) turn()"),
    ("failed executions", "bad:execute():catch_to(rac.empty()):wait()"),
    ("cancelled executions", "local e = never:execute() turn() e:cancel()"),
    ("rejected executions", "never:execute():subscribe(nil, F)"),
    ("executions by the block", "block:execute(function() return i end):wait()"),
    ("turns", "turn()"), ("sleeps", "if i % 20 == 0 then rac.sleep(0) end"),
    ("needs", "top:execute():wait()"),
  ])
  func executionsLeaveNothing(_ what: String, _ code: String) throws {
    try expectNoGrowth(
      """
      local function F(a) return a end
      -- A sleep takes a millisecond at least.
      local function turn() rac.just():deliver_on_main():wait() end
      local c, bad, never, block, top
      c = rac.command{run = function(input, emit) emit(c); return c end}
      c = rac.command{run = function(input) return {c, input} end}
      bad = rac.command{run = function() error{bad} end}
      never = rac.command{run = function() rac.never():wait() end}
      block = rac.command(function(input) return rac.just(input) end)
      top = TOP
      if not top then
        rac.command{name = "base", run = F}
        top = rac.command{name = "top", needs = {"base"}, run = F}
        TOP = top
      end
      for i = 1, ROUNDS do \(code) end
      for _, e in ipairs(never.active_execution_signals) do e:cancel() end
      """, rounds: Self.rounds)
  }

  @Test("A script that never pauses does not keep what it has dropped")
  func neverPausing() throws {
    let script = try Script()
    defer { script.finish() }
    script.run(
      """
      local function F(a) return a end
      for i = 1, 20000 do local _ = rac.range(1, 2):map(F):filter(F):scan(0, F):take(5) end
      print(collectgarbage("count") < 2000)
      """)
    #expect(script.result.output == ["true"])
  }

  private func expectNoGrowth(_ code: String, rounds: Int) throws {
    let script = try Script()
    defer { script.finish() }
    func count(_ rounds: Int) -> [String: Int] {
      let result = script.run("local ROUNDS = \(rounds)\n" + code)
      #expect(result.failure == nil, "\(result.failure?.message ?? "")")
      #expect(result.unhandled == [])
      script.collect()
      return Dictionary(uniqueKeysWithValues: script.host.statistics.map { ($0.name, $0.count) })
    }
    // The first makes what stays: tables grow to their size.
    _ = count(rounds)
    // Lua's tables change their size with how much garbage there happened to be; so the less of two.
    let (before, again) = (count(rounds), count(rounds))
    let (after, last) = (count(rounds), count(rounds))
    for name in ["subscriptions", "executions", "coroutines", "references"] {
      #expect(before[name] == after[name], "\(name)")
    }
    func memory(_ one: [String: Int], _ other: [String: Int]) -> Int {
      min(one["memory"] ?? 0, other["memory"] ?? 0)
    }
    let growth = memory(after, last) - memory(before, again)
    // The smallest object of Lua takes 40 bytes.
    #expect(growth < 16 * rounds, "\(growth) bytes in \(rounds) rounds")
  }
}
