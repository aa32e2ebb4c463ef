import Testing

/// Entries that are scripts: each has an interpreter of its own, and is as alone in it as a program.
@Suite struct BatchScriptTests {
  @Test func scriptsHaveInterpretersOfTheirOwn() async {
    let place = BatchFolder(plan: [#"{"script": "one.lua", "args": ["a", 2]}"#])
    place.folder.write("print(..., select(2, ...), shared) shared = 1", to: "one.lua")
    place.folder.write(
      "print(shared) rac.timer(0.01):subscribe(function() print('late') end)", to: "two.lua")
    let outcome = await place.batch("plan.jsonl", "one.lua", "two.lua", "-j1")
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["a\t2\tnil", "nil\tnil\tnil", "nil", "late"])
  }

  @Test func whatIsUpToDateIsLeftOutInAScriptToo() async {
    let place = BatchFolder(plan: [#"{"script": "copy.lua"}"#])
    place.folder.write("text", to: "in.txt")
    place.folder.write(
      """
      local copy = rac.command{name = "copy", sources = "in.txt", outputs = "out.txt",
        run = "cp in.txt out.txt"}
      local execution = copy:execute()
      execution:wait()
      print(execution.up_to_date)
      """, to: "copy.lua")
    for (words, value) in [
      (["plan.jsonl"], "false"), (["plan.jsonl"], "true"), (["copy.lua"], "true"),
      (["--force", "copy.lua"], "false"),
    ] {
      let outcome = await place.batch(words)
      #expect(outcome.output == value + "\n", "\(words) \(outcome)")
      #expect(outcome.status == 0)
    }
    let executed = await raclette("exec", "copy.lua", in: place.folder)
    #expect(executed.output == "true\n")
    let forced = await raclette("exec", "--force", "copy.lua", in: place.folder)
    #expect(forced.output == "false\n")
  }

  @Test func aScriptThatFailsFailsItsEntry() async {
    let place = BatchFolder(plan: [note("after")])
    place.folder.write("error('no luck', 0)", to: "bad.lua")
    place.folder.write("this is no lua", to: "worse.lua")
    place.folder.write("rac.error('unseen'):subscribe()", to: "silent.lua")
    let outcome = await place.batch("bad.lua", "worse.lua", "silent.lua", "plan.jsonl")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("bad.lua:1: bad.lua: no luck"), "\(outcome)")
    #expect(outcome.errors.contains("worse.lua:1:"))
    #expect(outcome.errors.contains("unseen"))
    #expect(outcome.errors.contains("1 completed, 3 failed"))
  }

  @Test func whatAScriptPrintsIsRecorded() async {
    let place = BatchFolder()
    place.folder.write(
      """
      print("printed", nil)
      io.write("written ", "in ") io.stdout:write("parts\\n") io.write("without an end")
      rac.sh("echo of a process >&2"):wait()
      io.stderr:write("of its ", "own\\n")
      """, to: "talk.lua")
    let outcome = await place.batch(
      "talk.lua", "--journal", "j.db", "--output", "prefix", "--junit", "r.xml")
    #expect(
      outcome.lines == [
        "talk.lua | printed\tnil", "talk.lua | written in parts", "talk.lua | without an end",
      ], "\(outcome)")
    let replay = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(replay.output == "printed\tnil\nwritten in parts\nwithout an end")
    #expect(replay.errors == "of a process\nof its own\n")
    #expect(place.lines("r.xml").contains { $0.hasSuffix("<system-out>printed\tnil") })
  }

  @Test func whatAScriptPrintsIsAValueAmongTheEvents() async {
    let place = BatchFolder()
    place.folder.write("print('hi')", to: "talk.lua")
    let outcome = await place.batch("talk.lua", "--json")
    #expect(outcome.lines.allSatisfy { $0.hasPrefix("{") }, "\(outcome)")
    #expect(outcome.output.contains(#""type":"next""#) && outcome.output.contains(#""value":"hi""#))
  }

  @Test(
    arguments: [
      ("", nil), ("true", nil), ("0", nil), ("false", 1), ("4", 4), ("4, true", 4),
    ] as [(String, Int?)])
  func osExitEndsItsScriptAloneWithThatStatus(_ arguments: String, _ code: Int?) async {
    let place = BatchFolder(plan: [note("after")])
    place.folder.write(
      """
      local seen <close> = setmetatable({}, {__close = function() print("closed") end})
      rac.exec{"sleep", "1000"}:subscribe(print)
      pcall(os.exit\(arguments.isEmpty ? "" : ", " + arguments))
      print("never")
      """, to: "leave.lua")
    let outcome = await place.batch("leave.lua", "plan.jsonl", "-j1", "--journal", "j.db")
    #expect(outcome.lines == ["closed", "after"], "\(outcome)")
    #expect(outcome.status == (code == nil ? 0 : 1))
    let history = await raclette("history", "--journal", "j.db", "--json", in: place.folder)
    if let code {
      #expect(outcome.errors.contains("leave.lua: the script ended with status \(code)"))
      #expect(history.output.contains(#""code":\#(code)"#))
    } else {
      #expect(history.lines.allSatisfy { $0.contains(#""state":"completed""#) })
    }
  }

  @Test func osExitEndsAScriptFromACallbackToo() async {
    let place = BatchFolder()
    place.folder.write(
      "rac.timer(0):subscribe(function() os.exit(3) end) rac.sleep(1000)", to: "leave.lua")
    let outcome = await place.batch("leave.lua", "--retries", "1")
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count { $0.contains("the script ended with status 3") } == 2)
  }

  @Test func aScriptThatReturnsEntriesFailsBecauseNothingExecutesThem() async {
    let place = BatchFolder()
    place.folder.write(#"return {{command = "greet"}}"#, to: "plan.lua")
    place.folder.write(#"return {greet = true}"#, to: "module.lua")
    place.folder.write(#"return {{command = "greet", seconds = 3}}"#, to: "times.lua")
    let outcome = await place.batch(
      "plan.lua", "module.lua", "times.lua", "--progress", "never")
    #expect(outcome.status == 1)
    #expect(
      outcome.errorLines.filter { $0.contains("error") } == [
        "raclette: error: plan.lua:1: plan.lua: the script returns entries, which a batch does not "
          + "execute; write them to a plan, one JSON object in each line, or execute the commands in "
          + "the script"
      ], "\(outcome)")
  }

  @Test func aScriptIsOverWhenItsProcessesAre() async {
    let place = BatchFolder()
    // Told to end, the process takes its time.
    place.folder.write(
      """
      rac.sh[[
        sleep 1000 & trap 'kill $!; sleep 0.1; echo end >>log; exit' TERM
        echo start >>log; echo ready; wait
      ]]:first()
      error("again", 0)
      """, to: "slow.lua")
    let outcome = await place.batch("slow.lua", "slow.lua", "-j1", "--retries", "1")
    #expect(outcome.errors.contains("2 failed"), "\(outcome)")
    let log = place.lines("log")
    #expect(log == Array(repeating: ["start", "end"], count: 4).flatMap(\.self))
  }

  @Test func aTimeoutEndsCodeThatNeverWaits() async {
    let place = BatchFolder(plan: [note("after")])
    place.folder.write("while true do end", to: "loop.lua")
    let outcome = await place.batch("loop.lua", "plan.jsonl", "--timeout", "1s", "-j1")
    #expect(outcome.lines == ["after"])
    #expect(outcome.errors.contains("loop.lua:1: loop.lua: the execution took longer than"))
  }

  @Test("code that a timeout stops in a subscriber gives its script no time to end well")
  func timeoutInASubscriber() async {
    let place = BatchFolder()
    place.folder.write(
      "require('rac').just(1):subscribe(function() while true do end end) return 'done'",
      to: "loop.lua")
    for words in [[], ["--resume"]] {
      let outcome = await place.batch(
        ["loop.lua", "--timeout", "300ms", "--journal", "j.db"] + words)
      #expect(outcome.status == 1 && outcome.lines.isEmpty, "\(outcome)")
      #expect(
        outcome.errors.contains("loop.lua:1: loop.lua: the execution took longer than"),
        "\(outcome)")
      #expect(outcome.errors.contains("1 failed"), "\(outcome)")
    }
  }

  @Test func whatIsRecordedIsTheScriptThatWasExecuted() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "write", run = function(input)
        local file = io.open("s.lua", "w")
        file:write("print('" .. input .. "')")
        file:close()
      end}
      """, plan: [#"{"command": "write", "input": "new"}"#, #"{"script": "s.lua"}"#])
    place.folder.write("print('old')", to: "s.lua")
    let first = await place.batch("plan.jsonl", "-j1", "--journal", "j.db")
    #expect(first.lines == ["new"])
    let again = await place.batch("s.lua", "-j1", "--journal", "j.db", "--resume")
    #expect(again.errors.contains("1 skipped"), "\(again)")
    place.folder.write("print('old')", to: "s.lua")
    let old = await place.batch("s.lua", "-j1", "--journal", "j.db", "--resume")
    #expect(old.lines == ["old"])
  }

  @Test func osExitInACommandFailsItsEntryAlone() async {
    let place = BatchFolder(
      BatchFolder.commands + "\nrac.command {name = 'leave', run = function() os.exit(0) end}",
      plan: [#"{"command": "leave"}"#, note("after")])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.status == 1 && outcome.lines == ["after"])
    #expect(outcome.errors.contains("leave: os.exit would end the whole batch"), "\(outcome)")
  }
}
