import CSanitizer
import Platform
import Testing

@Suite struct BatchRunTests {
  @Test func noMoreRunAtATimeThanJobsAndConcurrencyAllow() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local running, most = {n = 0, all = 0}, {n = 0, all = 0}
      local function work(name, limit)
        rac.command {name = name, concurrency = limit, run = function()
          running.all = running.all + 1
          if limit == 2 then running.n = running.n + 1 end
          most.n, most.all = math.max(most.n, running.n), math.max(most.all, running.all)
          rac.sleep(0.01)
          running.all = running.all - 1
          if limit == 2 then running.n = running.n - 1 end
        end}
      end
      work("two", 2)
      work("free", "unlimited")
      rac.command {name = "tell", run = function() return most.n .. " " .. most.all end}
      """,
      plan: (0..<40).map { #"{"command": "\#($0 % 2 == 0 ? "two" : "free")"}"# })
    place.folder.write(#"{"command": "tell"}"#, to: "tell.jsonl")
    let outcome = await place.batch("plan.jsonl", "tell.jsonl", "-j5")
    #expect(outcome.status == 0)
    let most = outcome.lines.first?.split(separator: " ").compactMap { Int($0) }
    #expect(most == [2, 5])
  }

  @Test func withoutThreadsItSaysSo() async {
    let place = BatchFolder(plan: [#"{"command": "note", "input": {"to": "notes"}}"#])
    chmod(place.folder.path, 0o777)
    // The superuser has no such limit.
    let limited = "ulimit -u 0; exec raclette batch plan.jsonl"
    let outcome = await shell(
      "[ $(id -u) != 0 ] || user='setpriv --reuid 65534 --regid 65534 --clear-groups'; "
        + "$user sh -c 'raclette --version' && $user bash -c '\(limited)'", in: place.folder)
    guard outcome.output.hasPrefix("raclette") else { return }
    #expect(outcome.errors.contains("cannot start a thread: "), "\(outcome)")
    #expect(outcome.status == 1 && place.lines("notes").isEmpty)
  }

  @Test func anEntryThatWaitsDoesNotHoldUpOthers() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local open = rac.behavior_subject(false)
      rac.command {name = "gated", enabled = open, run = function() return "gated" end}
      rac.command {name = "open", run = function() open:send_next(true) return "open" end}
      """,
      plan: [#"{"command": "gated"}"#, #"{"command": "gated"}"#, #"{"command": "open"}"#])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.lines == ["open", "gated", "gated"] && outcome.status == 0)
  }

  @Test func howeverManyWaitWhatEnablesThemIsFound() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local open = rac.behavior_subject(false)
      rac.command {name = "gated", enabled = open, concurrency = "unlimited", run = function() end}
      rac.command {name = "open", run = function() open:send_next(true) end}
      """,
      plan: Array(repeating: #"{"command": "gated"}"#, count: 10_000) + [#"{"command": "open"}"#])
    let outcome = await place.batch("plan.jsonl", "-j2")
    #expect(outcome.status == 0 && outcome.errors.contains("10001 completed"), "\(outcome)")
  }

  @Test func onlyEqualEntriesJoin() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local count = 0
      rac.command {name = "shared", when_busy = "join", run = function(input)
        count = count + 1
        rac.sleep(0.01)
        return input.n .. " " .. count
      end}
      """, plan: [1, 1, 2, 2].map { #"{"command": "shared", "input": {"n": \#($0)}}"# })
    let outcome = await place.batch("plan.jsonl", "-j4")
    #expect(outcome.lines == ["1 1", "2 2"], "\(outcome)")
    #expect(outcome.errors.contains("4 completed"))
  }

  @Test func entriesWhoseInputsUnicodeCallsEqualDoNotJoin() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "shared", when_busy = "join", run = function(input)
        rac.sleep(0.01)
        return #input.n
      end}
      """,
      plan: ["\u{e9}", "e\u{301}"].map { #"{"command": "shared", "input": {"n": "\#($0)"}}"# })
    let outcome = await place.batch("plan.jsonl", "-j2")
    #expect(outcome.lines.sorted() == ["2", "3"], "\(outcome)")
  }

  @Test func aConditionIsWaitedForUpToItsTimeAndThenFailsAll() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "gated", enabled = rac.file_exists("never"), run = function() end}
      """, plan: Array(repeating: #"{"command": "gated"}"#, count: 300))
    let outcome = await place.batch("plan.jsonl", "--enabled-timeout", "100ms")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the command 'gated' is not enabled: its condition is false"))
    #expect(outcome.errors.contains("300 failed"))
  }

  @Test func aConditionThatComesTrueInTimeLetsItsEntriesRun() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "gated", enabled = rac.file_exists("ready"), run = function() return 1 end}
      rac.command {name = "make", run = function() io.open("ready", "w"):close() end}
      """, plan: [#"{"command": "gated"}"#, #"{"command": "make"}"#])
    let outcome = await place.batch("plan.jsonl")
    #expect(outcome.lines == ["1"] && outcome.status == 0)
  }

  @Test func aFunctionIsAskedAgainAfterEachEnd() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local count = 0
      rac.command {name = "gated", enabled = function() return count == 3 end,
        run = function() return "gated" end}
      rac.command {name = "count", run = function() count = count + 1 end}
      """, plan: [#"{"command": "gated"}"#] + Array(repeating: #"{"command": "count"}"#, count: 3))
    let outcome = await place.batch("plan.jsonl")
    #expect(outcome.lines == ["gated"] && outcome.status == 0)
  }

  @Test func whatCanNeverProceedIsToldAtOnce() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "gated", enabled = rac.subject(), run = function() end}
      rac.command {name = "closed", enabled = rac.just(false), run = function() end}
      rac.command {name = "stuck", run = function() return rac.never() end}
      """, plan: [#"{"command": "closed"}"#, #"{"command": "stuck"}"#, #"{"command": "gated"}"#])
    let outcome = await place.batch("plan.jsonl", "--enabled-timeout", "1h")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("plan.jsonl:2: stuck: waits for something that nothing can send"))
    #expect(
      outcome.errors.contains(
        "'closed' is not enabled: its condition is false; nothing remains that could change it"))
  }

  @Test func needsAreExecutedOnceForAllEntries() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "base", run = function() return "base" end}
      rac.command {name = "left", needs = {"base"}, run = function() return "left" end}
      rac.command {name = "top", needs = {"left", "base"}, concurrency = 4,
        run = function(input) return "top" end}
      rac.command {name = "broken", run = function() error("broken", 0) end}
      rac.command {name = "user", needs = {"broken"}, run = function() return "user" end}
      """,
      plan: Array(repeating: #"{"command": "top"}"#, count: 3)
        + Array(repeating: #"{"command": "user"}"#, count: 2))
    let outcome = await place.batch("plan.jsonl", "-j4")
    #expect(outcome.lines.filter { $0 != "top" } == ["base", "left"])
    #expect(outcome.lines.count { $0 == "top" } == 3)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("plan.jsonl:5: user: 'broken' failed: broken"), "\(outcome)")
    #expect(outcome.errors.contains("3 completed, 2 failed"))
  }

  @Test func failuresAreRetriedAsOftenAsAskedFor() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local tries = 0
      rac.command {name = "third", run = function()
        tries = tries + 1
        if tries < 3 then error("not yet", 0) end
        return tries
      end}
      """, plan: [#"{"command": "third"}"#])
    place.folder.write(
      """
      local count = (tonumber(rac.env.COUNT) or 0) + 1
      rac.env.COUNT = tostring(count)
      if count < 2 then error("not yet", 0) end
      print("script", count)
      """, to: "second.lua")
    let outcome = await place.batch("plan.jsonl", "second.lua", "--retries", "2")
    #expect(outcome.status == 0)
    #expect(Set(outcome.lines) == ["3", "script\t2"])
    #expect(outcome.errors.contains("3 retries"))
  }

  @Test func theFirstFailureEndsABatchIfThatIsAskedFor() async {
    let place = BatchFolder(
      plan: [#"{"command": "fail"}"#] + (0..<100).map { note("\($0)") })
    let fast = await place.batch("plan.jsonl", "-j1", "--fail-fast")
    #expect(fast.status == 1)
    #expect(place.lines("notes").isEmpty)
    let going = await place.batch("plan.jsonl", "-j1", "--keep-going")
    #expect(going.status == 1)
    #expect(place.lines("notes").count == 100)
  }

  @Test func anEntryThatCannotBeExecutedFailsAtItsTurn() async {
    let flaws = ["bad", #"{"command": "nothing"}"#, #"{"script": "nothing.lua"}"#]
    for flaw in flaws {
      let place = BatchFolder(plan: [note("a"), note("b"), flaw, note("c")])
      let outcome = await place.batch("plan.jsonl", "-j1", "--fail-fast")
      #expect(place.lines("notes") == ["a", "b"])
      #expect(outcome.errors.contains("2 completed, 1 failed"), "\(outcome)")
      #expect(outcome.errors.contains("not executed: 1 entry"), "\(outcome)")
    }
  }

  @Test func anExecutionMayTakeOnlyItsTime() async {
    let place = BatchFolder(plan: [#"{"command": "sleep", "input": {"seconds": 60}}"#, note("a")])
    place.folder.write("rac.sleep(60)", to: "slow.lua")
    let outcome = await place.batch("plan.jsonl", "slow.lua", "--timeout", "1s")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("1 completed, 2 failed"))
    #expect(outcome.errors.contains("took longer than"))
  }

  @Test func eventsAreJSONLinesThatNameTheirEntry() async {
    let place = BatchFolder(plan: [
      #"{"command": "note", "id": "first", "input": {"to": "notes", "text": "hi"}}"#, "oops",
    ])
    let outcome = await place.batch("plan.jsonl", "--json")
    let types = outcome.lines.compactMap { line in
      line.split(separator: "\"type\":\"").last?.split(separator: "\"").first.map(String.init)
    }
    #expect(types.first == "run_started" && types.last == "run_finished")
    #expect(Set(types).isSuperset(of: ["execution_started", "next", "completed", "error"]))
    #expect(outcome.output.contains(#""entry":{"plan":"plan.jsonl","line":1,"id":"first"}"#))
    #expect(outcome.output.contains(#""entry":{"plan":"plan.jsonl","line":2}"#))
    #expect(outcome.lines.last?.contains(#""exit_code":1"#) == true)
  }

  @Test func anEntryThatALaterOneReplacesIsCancelledAndRunsAgainOnResume() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "latest", when_busy = "restart", run = function(input)
        if input.n == 1 and not io.open("go") then rac.never():wait() end
        return input.n
      end}
      """, plan: [1, 2].map { #"{"command": "latest", "input": {"n": \#($0)}}"# })
    let outcome = await place.batch("plan.jsonl", "-j2", "--journal", "j.db")
    #expect(outcome.lines == ["2"] && outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("1 completed, 1 cancelled"))
    let history = await raclette("history", "--json", "--journal", "j.db", in: place.folder)
    #expect(history.output.contains("replaced by a later entry"))
    place.folder.write("", to: "go")
    let resumed = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(resumed.lines == ["1"] && resumed.status == 0)
  }

  /// The command itself looks at the memory of the process, early and late in a long plan.
  @Test(
    .enabled(if: Folder.isThere("/proc/self/statm")),
    .disabled(if: isSanitized(), "a sanitizer keeps what was freed"))
  func aLongPlanDoesNotSitInMemory() async {
    let count = getenv("RACLETTE_LONG") == nil ? 20_000 : 1_000_000
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "noop", concurrency = "unlimited", run = function() end}
      rac.command {name = "size", run = function()
        collectgarbage()
        for line in io.lines("/proc/self/statm") do return tonumber(line:match("%d+ (%d+)")) * 4 end
      end}
      """)
    let outcome = await shell(
      """
      line() { seq "$1" "$2" | sed 's/.*/{"command": "noop", "input": {"n": &}, "id": "e&"}/'; }
      { line 1 5000; echo '{"command": "size"}'; line 5001 \(count); echo '{"command": "size"}'; } |
        raclette batch -q --journal j.db -
      """, in: place.folder)
    let sizes = outcome.lines.compactMap { Int($0) }
    #expect(sizes.count == 2 && sizes[1] < sizes[0] + 8_192, "KiB \(outcome)")
  }
}
