import Platform
import Testing

@Suite struct ReportTests {
  private func place() -> BatchFolder {
    let place = BatchFolder(
      BatchFolder.commands + """

        rac.command {name = "shell", concurrency = "unlimited",
          run = function(input) return rac.sh(input.line) end}
        """,
      plan: [
        note("a <&> \\u0001 \\\"b\\\""), #"{"command": "fail", "id": "the failure"}"#, "oops",
        #"{"command": "shell", "input": {"line": "echo out; echo err >&2; exit 3"}}"#,
        #"{"command": "missing"}"#,
      ])
    return place
  }

  @Test func entriesThatWereUpToDateAreMarked() async {
    let place = BatchFolder(
      #"require("rac").command{name = "copy", sources = "in", outputs = "out", run = "cp in out"}"#,
      plan: [#"{"command": "copy"}"#])
    place.folder.write("1", to: "in")
    func batch() async -> Outcome {
      await place.batch(
        "plan.jsonl", "--junit", "results.xml", "--summary", "sum.json", "--journal", "j.db")
    }
    _ = await batch()
    #expect(place.lines("sum.json").joined().contains(#""completed":1,"up_to_date":0"#))
    let second = await batch()
    #expect(second.errors.contains("1 completed (1 up to date)"), "\(second)")
    #expect(place.lines("sum.json").joined().contains(#""completed":1,"up_to_date":1"#))
    #expect(place.lines("results.xml").joined().contains(#"<skipped message="up to date"/>"#))
    let valid = await shell(
      "xmllint --noout --schema \(Program.package)/Tests/RacletteCLITests/Batch/junit.xsd results.xml",
      in: place.folder)
    #expect(valid.status == 0, "\(valid)")
    let history = await shell(
      "raclette history --journal j.db; raclette history --journal j.db --json", in: place.folder)
    #expect(history.lines.map { $0.hasSuffix("(up to date)") } == [false, true, false, false])
    #expect(
      history.lines.map { $0.contains(#""up_to_date":true"#) } == [false, false, false, true])
  }

  @Test func theJUnitFileIsWhatCISystemsRead() async {
    let place = place()
    let outcome = await place.batch(
      "plan.jsonl", "--junit", "results.xml", "--journal", "j.db", "--retries", "1")
    #expect(outcome.status == 1)
    let valid = await shell(
      "xmllint --noout --schema \(Program.package)/Tests/RacletteCLITests/Batch/junit.xsd results.xml",
      in: place.folder)
    #expect(valid.status == 0, "\(valid)")
    let text = place.lines("results.xml").joined(separator: "\n")
    #expect(text.contains(#"tests="5" failures="2" errors="2""#), "\(text)")
    #expect(text.contains(#"<testcase name="the failure" classname="fail""#))
    #expect(text.contains(#"type="exit""#))
    #expect(text.contains("<system-err>err\n"))
    // Skipped entries are told too, and nothing is left beside the file.
    _ = await place.batch("plan.jsonl", "--junit", "results.xml", "--journal", "j.db", "--resume")
    let again = place.lines("results.xml").joined(separator: "\n")
    #expect(again.contains(#"<skipped message="completed as #"#))
    let files = await shell("ls | grep -c part", in: place.folder)
    #expect(files.output == "0\n")
  }

  @Test func whatEntriesNeedIsATestCaseWithItsOutput() async {
    let place = BatchFolder(
      """
      rac.command {name = "build", params = {{name = "target", default = "debug"}},
        run = "echo built $target; echo slowly >&2"}
      rac.command {name = "broken", run = "echo begun; echo no compiler >&2; exit 3"}
      rac.command {name = "test", needs = "build", run = "echo tested"}
      rac.command {name = "lint", needs = "broken", run = "echo linted"}
      """,
      plan: ["test", "test", "lint", "lint"].map { #"{"command": "\#($0)"}"# })
    _ = await place.batch("plan.jsonl", "-j1", "--junit", "results.xml")
    let read = await shell(
      """
      python3 -c '
      import xml.etree.ElementTree as tree
      suite = tree.parse("results.xml").getroot()[0]
      print(suite.get("tests"), suite.get("failures"), suite.get("errors"))
      for case in suite.findall("testcase"):
          end = next((e for e in case if e.tag in ("failure", "error")), None)
          what = [] if end is None else [end.tag, end.get("type"), end.get("message")]
          print("; ".join([case.get("classname"), case.get("name")] + what
              + [(case.findtext(s) or "").strip() for s in ("system-out", "system-err")]))' | sort
      """, in: place.folder)
    let message = "'echo begun; echo no compiler >&2; exit 3' exited with status 3"
    #expect(
      read.lines == [
        "6 1 2",
        "broken; broken (needed); failure; exit; \(message); begun; no compiler",
        "build; build target=debug (needed); built debug; slowly",
        "lint; plan.jsonl:3; error; dependency; 'broken' failed: \(message); ; ",
        "lint; plan.jsonl:4; error; dependency; 'broken' failed: \(message); ; ",
        "test; plan.jsonl:1; tested; ", "test; plan.jsonl:2; tested; ",
      ], "\(read)")
  }

  @Test func theSummaryTellsWhatFailed() async {
    let place = place()
    _ = await place.batch("plan.jsonl", "--summary", "s.json")
    let query = await shell(
      """
      python3 -c 'import json; s = json.load(open("s.json")); print(s["entries"], s["completed"],
      s["failed"], s["exit_code"], len(s["failures"]), sorted(c["name"] for c in s["commands"]))
      for f in s["failures"]: print(f["line"], f["error"]["kind"])'
      """, in: place.folder)
    #expect(query.lines.first == "5 1 4 1 4 ['(malformed)', 'fail', 'missing', 'note', 'shell']")
    #expect(Set(query.lines.dropFirst()) == ["2 user", "3 input", "4 exit", "5 input"])
  }

  @Test func aReportThatCannotBeWrittenIsToldBeforeAnythingIsExecuted() async {
    let place = BatchFolder(plan: [note("a")])
    for option in ["--junit", "--summary"] {
      let outcome = await place.batch("plan.jsonl", option, "none/file")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("cannot write 'none/file': no such file or directory"))
    }
    #expect(place.lines("notes").isEmpty)
  }

  @Test func aReportInAFolderThatTakesNoneIsToldWithTheReason() async {
    // Where not even root may make a file, though the folder is there.
    let place = BatchFolder(plan: [note("a")])
    let outcome = await place.batch("plan.jsonl", "--summary", "/sys/kernel/s.json")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("cannot write '/sys/kernel/s.json': "))
    #expect(!outcome.errors.contains("no such file"), "\(outcome.errors)")
  }

  @Test func standardErrorBelongsToItsEntryHoweverManyExecutionsOfACommandThereWere() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "same", concurrency = 4,
        run = function(input) return rac.sh("echo err " .. input.n .. " >&2") end}
      """, plan: (1...24).map { #"{"command": "same", "input": {"n": \#($0)}}"# })
    _ = await place.batch("plan.jsonl", "-j4", "-q", "--junit", "results.xml")
    let text = place.lines("results.xml").joined(separator: "\n")
    for number in 1...24 {
      #expect(
        text.contains(
          #"<testcase name="plan.jsonl:\#(number)" classname="same" time="#)
          && text.contains("<system-err>err \(number)\n"), "\(number)")
    }
  }

  @Test func anEntryThatJoinsAnotherHasEventsOfItsOwn() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "j", when_busy = "join", run = function(input)
        rac.sleep(0.2)
        if input.n == 2 then error("no", 0) end
        return "value"
      end}
      """,
      plan: [1, 1, 2, 2].map { #"{"command": "j", "input": {"n": \#($0)}}"# })
    let outcome = await place.batch("plan.jsonl", "-j4", "--json")
    for type in ["execution_started", "completed", "error"] {
      let lines = outcome.lines.filter { $0.contains(#""type":"\#(type)""#) }
      let numbers = (1...4).filter { number in
        lines.contains {
          $0.contains(#""line":\#(number)}"#) || $0.contains(#""line":\#(number),"#)
        }
      }
      #expect(
        numbers == (type == "completed" ? [1, 2] : type == "error" ? [3, 4] : [1, 2, 3, 4]),
        "\(type)")
      #expect(lines.count == numbers.count)
    }
    #expect(outcome.lines.count(where: { $0.contains(#""type":"next""#) }) == 1)
    #expect(outcome.lines.last?.contains(#""completed":2,"failed":2"#) == true)
  }

  @Test func messagesCallAnEntryByItsID() async {
    let place = BatchFolder(
      BatchFolder.commands,
      plan: [
        #"{"command": "fail", "id": "photo-17"}"#,
        #"{"command": "note", "id": "photo-18", "input": {"to": "notes"}}"#,
      ])
    let plain = await place.batch("plan.jsonl", "--retries", "1")
    #expect(plain.errors.contains("fail [photo-17]: attempt 2 follows"), "\(plain)")
    #expect(plain.errors.contains("plan.jsonl:1: [photo-17] fail: it does not work"), "\(plain)")
    let prefixed = await place.batch("plan.jsonl", "--output", "prefix")
    #expect(prefixed.output.contains("note [photo-18] | x"), "\(prefixed)")
    let grouped = await place.batch("plan.jsonl", "--output", "group")
    #expect(grouped.errors.contains("note [photo-18]:\n"), "\(grouped)")
  }

  @Test func whatWasNotExecutedIsSaid() async {
    let short = BatchFolder(plan: [#"{"command": "fail"}"#, note("a")])
    let read = await short.batch("plan.jsonl", "-j1", "--fail-fast")
    #expect(read.errors.contains("raclette: not executed: 1 entry\n"), "\(read)")
    let long = BatchFolder(plan: [#"{"command": "fail"}"#] + (1...50).map { note("\($0)") })
    let unread = await long.batch("plan.jsonl", "-j1", "--fail-fast")
    #expect(unread.errors.contains(", and what was not read of the plan\n"), "\(unread)")
  }

  @Test func aBatchThatIsKilledLeavesNoReportNotEvenAnOldOne() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "stay", run = function()
        return rac.sh("trap '' TERM; echo ready; while :; do sleep 1000; done", {grace = 100000})
      end}
      """, plan: [#"{"command": "stay"}"#])
    for name in ["results.xml", "summary.json"] { place.folder.write("old\n", to: name) }
    let launch = Launch(
      arguments: [
        "batch", "plan.jsonl", "--junit", "results.xml", "--summary", "summary.json", "-q",
      ], folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      return running.finish(repeating: SIGINT)
    }
    #expect(outcome.status == 130)
    let files = await shell("ls", in: place.folder)
    #expect(files.lines == ["commands.lua", "plan.jsonl"])
  }

  @Test func aReportMayGoToADescriptor() async {
    let place = BatchFolder(plan: [note("a")])
    let outcome = await shell(
      "raclette batch plan.jsonl -q --summary /dev/stdout --junit >(cat > copy.xml) > out; sync",
      in: place.folder)
    #expect(outcome.status == 0, "\(outcome)")
    let out = place.lines("out")
    #expect(out.count == 2 && out[0] == "a" && out[1].contains(#""completed":1"#), "\(out)")
  }

  @Test func historyReplayAndRetryKnowWhatHappened() async {
    let place = place()
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "-j1")
    let history = await raclette("history", "--journal", "j.db", "--json", in: place.folder)
    #expect(history.lines.count == 5)
    let shellLine = history.lines.first { $0.contains(#""command":"shell""#) } ?? ""
    #expect(shellLine.contains(#""error":{"kind":"exit""#) && shellLine.contains(#""code":3"#))
    let id = shellLine.split(separator: ":")[1].split(separator: ",")[0]
    let replay = await raclette("replay", String(id), "--journal", "j.db", in: place.folder)
    #expect(replay.status == 0)
    #expect(replay.output == "out\n")
    #expect(replay.errors.hasPrefix("err\n") && replay.errors.contains("exited with status 3"))
    let unknown = await raclette("replay", "999", "--journal", "j.db", in: place.folder)
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("there is no execution 999"))

    let text = await raclette("history", "1", "--failed", "--journal", "j.db", in: place.folder)
    #expect(text.lines.count == 4)
    let batches = await raclette("history", "--batches", "--journal", "j.db", in: place.folder)
    #expect(batches.output.contains("1 completed, 4 failed"))

    // What is mended meanwhile completes.
    place.folder.write(
      """
      local rac = require "rac"
      rac.command {name = "fail", run = function() return "mended" end}
      rac.command {name = "shell", run = function(input) return input.line end}
      """, to: "commands.lua")
    let retry = await raclette("retry", "--failed", "--journal", "j.db", in: place.folder)
    #expect(retry.lines.contains("mended"))
    #expect(retry.errors.contains("2 completed, 1 failed"), "\(retry)")
    let one = await raclette("retry", String(id), "--journal", "j.db", in: place.folder)
    #expect(one.output == "echo out; echo err >&2; exit 3\n" && one.status == 0)
    let all = await raclette("history", "--batches", "--journal", "j.db", in: place.folder)
    let failed = await raclette(
      "history", "--batches", "--failed", "--journal", "j.db", in: place.folder)
    #expect(all.lines.count == 3 && failed.lines == Array(all.lines.prefix(2)), "\(failed)")
    let nothing = await raclette("retry", "--journal", "j.db", in: place.folder)
    #expect(nothing.status == 0)
    #expect(nothing.errors.contains("nothing to execute again"))
  }

  @Test(arguments: [["-f", "other.lua"], ["--file=../OTHER"], ["-C", ".", "-f", "./other.lua"]])
  func aRetryUsesTheCommandFileOfItsBatch(_ words: [String]) async {
    let place = BatchFolder(plan: [#"{"command": "mine"}"#])
    let file = { (body: String) in
      place.folder.write(
        "local rac = require 'rac'\nrac.command {name = 'mine', run = \(body)}", to: "other.lua")
    }
    file("'exit 3'")
    let name = place.folder.path.split(separator: "/").last.map(String.init) ?? ""
    let options = words.map { $0 == "--file=../OTHER" ? "--file=../\(name)/other.lua" : $0 }
    func call(_ arguments: [String]) async -> Outcome {
      let launch = Launch(arguments: arguments, folder: place.folder.path)
      return await onThread { Running(launch).finish() }
    }
    let batch = ["batch"] + options + ["plan.jsonl", "--journal", "j.db"]
    #expect(await call(batch).status == 1)
    // The second goes on with the first.
    for _ in 1...2 {
      let again = await call(["retry", "--journal", "j.db"])
      #expect(again.status == 1 && again.errors.contains("mine: "), "\(again)")
      #expect(!again.errors.contains("unknown"), "\(again)")
    }
    file("'echo mended'")
    let last = await call(["retry", "--journal", "j.db"])
    #expect(last.status == 0 && last.output == "mended\n", "\(last)")
    // One that is named comes first.
    let named = await call(["retry", "4", "-f", "commands.lua", "--journal", "j.db"])
    #expect(named.status == 1 && named.errors.contains("unknown command 'mine'"), "\(named)")
  }

  @Test func aTimelineIsDrawnAsTextPictureAndTrace() async {
    let place = place()
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "--retries", "1")
    let text = await raclette("timeline", "--journal", "j.db", in: place.folder)
    #expect(text.output.contains("batch 1: plan.jsonl"))
    #expect(text.lines.contains { $0.hasPrefix("shell") && $0.contains("✗") })
    let files = await raclette(
      "timeline", "1", "--journal", "j.db", "--svg", "t.svg", "--trace", "t.json",
      in: place.folder)
    #expect(files.status == 0)
    let valid = await shell(
      """
      xmllint --noout t.svg && python3 -c 'import json
      events = json.load(open("t.json"))["traceEvents"]
      print(sorted({e["ph"] for e in events}), len([e for e in events if e["ph"] == "X"]))'
      """, in: place.folder)
    #expect(valid.output == "['M', 'X', 'i'] 4\n", "\(valid)")
    let none = await raclette("timeline", "7", "--journal", "j.db", in: place.folder)
    #expect(none.status == 2)
    #expect(none.errors.contains("there is no batch 7"))
  }

  @Test func aRunIsRecordedTooIfAsked() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command {name = "base", run = function() return "based" end}
        rac.command {name = "top", needs = {"base"}, params = {{name = "n", type = "integer"}},
          run = function(input)
            rac.sh("echo err >&2"):wait()
            if input.n == 2 then rac.sh("exit 3"):wait() end
            return input.n
          end}
        """)
    // From elsewhere: a path is meant from the folder of the call.
    for number in 1...2 {
      _ = await raclette(
        "-C", folder.path, "run", "--journal", "../\(folder.name)/r.db", "top", "\(number)")
    }
    let history = await raclette("history", "--journal", "r.db", "--json", in: folder)
    #expect(history.lines.count == 4, "\(history)")
    #expect(history.lines.last?.contains(#""code":3"#) == true)
    let replay = await raclette("replay", "2", "--journal", "r.db", in: folder)
    #expect(replay.output == "1\n" && replay.errors == "err\n")
    let timeline = await raclette("timeline", "2", "--journal", "r.db", in: folder)
    #expect(timeline.output.contains("batch 2: top") && timeline.output.contains("✗"))
    let retry = await raclette("retry", "2", "--journal", "r.db", in: folder)
    #expect(retry.lines == ["based", "1"], "\(retry)")
    let unusable = await raclette("run", "--journal", "none/r.db", "top", "1", in: folder)
    #expect(unusable.status == 1 && unusable.output.isEmpty)
  }

  @Test func aBarIsShownAtATerminalAndTakenAwayAgain() async {
    let place = BatchFolder(
      plan: (0..<4).map { _ in #"{"command": "sleep", "input": {"seconds": 0.15}}"# })
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "-j2"], folder: place.folder.path,
      environment: ["TERM": "xterm"])
    let outcome = await onThread { Running(atTerminal: launch).finish() }
    #expect(outcome.output.contains("/4"), "\(outcome)")
    #expect(outcome.output.contains("░"))
    let last = outcome.output.split(separator: "\u{1B}[K").last ?? ""
    #expect(last.hasPrefix("raclette: 4 entries in"), "\(outcome)")
  }
}

/// The bar and the line of what runs fit the terminal, however narrow it is.
@Suite struct NarrowTerminalTests {
  @Test(arguments: [10, 17, 39, 40, 60])
  func theProgressFitsTheTerminal(_ columns: Int) async {
    let place = BatchFolder(
      BatchFolder.commands + """

        rac.command {name = "名前の長いコマンド", run = function() rac.sleep(0.4) end}
        """,
      plan: (0..<3).map { _ in #"{"command": "名前の長いコマンド"}"# })
    await onThread {
      let session = TerminalSession(
        ["batch", "plan.jsonl", "-j1", "--output", "quiet"], in: place.folder, rows: 40,
        columns: columns)
      // One line that comes and goes: nothing of it is above the report.
      #expect(session.wait { $0.lines.joined().contains("raclette:") }, "\(session.screen.lines)")
      let first = session.screen.lines.first ?? ""
      #expect(first.hasPrefix("raclette:"), "\(session.screen.lines)")
    }
  }
}
