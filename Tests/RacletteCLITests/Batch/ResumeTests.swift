import Platform
import Testing

@Suite struct ResumeTests {
  /// The reader's end stops the batch; entries that it then cannot begin are not failures.
  @Test func aClosedOutputFailsNoEntry() async {
    let folder = Folder(
      commands: """
        rac.command{name = "tell", params = {{name = "word", required = true}}, concurrency = 4,
          run = function(input) return rac.just(input.word) end}
        """)
    folder.write(
      (1...400).map { #"{"command": "tell", "input": {"word": "w\#($0)"}}"# + "\n" }.joined(),
      to: "plan.jsonl")
    let run = await shell(
      """
      raclette batch plan.jsonl --journal j.db -j 4 2>errors | head -n 1 >first
      raclette history --journal j.db --failed | grep -v cancelled
      raclette batch plan.jsonl --journal j.db --resume -q | sort | uniq -d
      """, in: folder)
    #expect(run.output == "", "\(run.output)")
  }

  @Test func theFolderOfTheUsualJournalIsMade() async {
    let place = BatchFolder(plan: [note("a")])
    let first = await place.batch("plan.jsonl", "--journal", ".raclette/journal.db")
    #expect(first.status == 0, "\(first)")
    let second = await place.batch("plan.jsonl", "--resume")
    #expect(second.status == 0 && second.errors.contains("1 skipped"), "\(second)")
  }

  @Test func whatHasCompletedIsNotExecutedAgain() async {
    let place = BatchFolder(plan: [note("a"), #"{"command": "fail"}"#, note("b")])
    let first = await place.batch("plan.jsonl", "--journal", "j.db")
    #expect(first.status == 1)
    // Another order, and one entry more.
    place.folder.write(
      [note("c"), note("b"), #"{"command": "fail"}"#, note("a")].joined(separator: "\n"),
      to: "plan.jsonl")
    let second = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(second.status == 1)
    #expect(second.errors.contains("1 completed, 1 failed, 2 skipped"), "\(second)")
    #expect(place.lines("notes").sorted() == ["a", "b", "c"])
  }

  @Test func theOrderOfFieldsInAnInputDoesNotMatter() async {
    let place = BatchFolder(plan: [#"{"command":"note","input":{"to":"notes","text":"a"}}"#])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    place.folder.write(
      #"{"input": {"text": "a", "to": "notes"}, "command": "note", "id": 1}"#, to: "plan.jsonl")
    let second = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(second.errors.contains("1 skipped"))
  }

  @Test func aChangedScriptIsExecutedAgain() async {
    let place = BatchFolder(
      "require('lib.text')\n" + BatchFolder.commands, plan: [note("a"), #"{"script": "s.lua"}"#])
    place.folder.write("return 'one'", to: "lib/text.lua")
    place.folder.write("print(require 'lib.text')", to: "s.lua")
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    let unchanged = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(unchanged.errors.contains("2 skipped"))
    place.folder.write("return 'two'", to: "lib/text.lua")
    let changed = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(changed.errors.contains("2 completed"))
    #expect(place.lines("notes") == ["a", "a"])
  }

  @Test func twoBatchesAtOnceShareAPlan() async {
    let place = BatchFolder(plan: (0..<400).map { note("\($0)") })
    async let one = place.batch("plan.jsonl", "--journal", "j.db", "-j2", "--resume")
    async let other = place.batch("plan.jsonl", "--journal", "j.db", "-j2", "--resume")
    let outcomes = await [one, other]
    #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
    #expect(place.lines("notes").count == 400)
    #expect(Set(place.lines("notes")).count == 400)
  }

  @Test func whatAnotherBatchHasIsWaitedForAndExecutedIfThatFails() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "hello", run = function() return "hello" end}
      rac.command {name = "late", run = function(_, emit)
        if io.open("second") then return "mended" end
        io.open("second", "w"):close()
        emit("started")
        rac.file_exists("go"):filter(function(is) return is end):first()
        error("broken", 0)
      end}
      """,
      plan: [#"{"command": "late"}"#])
    place.folder.write(#"{"command": "hello"}"#, to: "hello.jsonl")
    let launches = [["plan.jsonl"], ["plan.jsonl", "hello.jsonl"]].map {
      Launch(arguments: ["batch", "--journal", "j.db"] + $0, folder: place.folder.path)
    }
    let outcomes = await onThread {
      let one = Running(launches[0])
      one.waitForOutput("started")
      let other = Running(launches[1])
      // By then it has asked for both entries.
      other.waitForOutput("hello")
      place.folder.write("", to: "go")
      return [one.finish(), other.finish()]
    }
    #expect(outcomes[0].status == 1 && outcomes[0].errors.contains("broken"), "\(outcomes)")
    #expect(outcomes[1].status == 0 && outcomes[1].lines == ["hello", "mended"], "\(outcomes)")
  }

  @Test func theStartOfWhatTakesLongIsRecordedBeforeItsEnd() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "long", concurrency = 2, run = function(_, emit)
        -- Until the journal knows it.
        while not rac.sh("raclette history --json --journal j.db"):to_table()[1]:find('"started"') do end
        emit("known")
        rac.sleep(1000)
      end}
      """, plan: [#"{"command": "long"}"#])
    place.folder.makeFolder(".bin")
    symlink(Program.path, place.folder[".bin/raclette"])
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db"], folder: place.folder.path,
      environment: ["PATH": "\(place.folder[".bin"]):/usr/bin:/bin"])
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForOutput("known")
      running.get(signal: SIGKILL)
      return running.finish()
    }
    #expect(outcome.lines == ["known"])
    let history = await raclette("history", "--json", "--journal", "j.db", in: place.folder)
    #expect(history.output.contains(#""state":"interrupted""#), "\(history)")
    #expect(history.output.contains(#""started""#))
  }

  @Test func ctrlCIsRecordedAndTellsHowToGoOn() async {
    let place = BatchFolder(
      plan: [note("before"), #"{"command": "sleep", "input": {"seconds": 600}}"#]
        + (0..<50).map { note("\($0)") })
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j 1.db", "-j1"], folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForOutput("before")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(outcome.status == 130)
    let hint = outcome.errorLines.last { $0.contains("to continue: ") } ?? ""
    #expect(
      hint == "raclette: to continue: raclette batch --resume plan.jsonl --journal 'j 1.db' -j1",
      "\(outcome)")
    let history = await raclette("history", "--journal", "j 1.db", "--json", in: place.folder)
    #expect(history.lines.count <= 2, "what never began is not in the history")
    #expect(history.output.contains(#""state":"completed""#))
    place.folder.write((0..<50).map { note("\($0)") + "\n" }.joined(), to: "plan.jsonl")
    let second = await place.batch("plan.jsonl", "--journal", "j 1.db", "--resume")
    #expect(second.status == 0)
    #expect(place.lines("notes").count == 51)
  }

  @Test func aJournalThatCannotBeUsedIsToldBeforeAnythingIsExecuted() async {
    let place = BatchFolder(plan: [note("a")])
    place.folder.write("no database, but a text that is long enough to be read", to: "text")
    let text = await place.batch("plan.jsonl", "--journal", "text")
    #expect(text.status == 1)
    #expect(text.errors.contains("is not a journal: it is not an SQLite database"))
    let folder = await place.batch("plan.jsonl", "--journal", "none/j.db")
    #expect(folder.status == 1)
    #expect(folder.errors.contains("no such file or directory"))
    let missing = await raclette("history", "--journal", "none.db", in: place.folder)
    #expect(missing.status == 1)
    #expect(missing.errors.contains("there is no journal"))
    #expect(place.lines("notes").isEmpty)
  }

  @Test(arguments: [
    ("PRAGMA user_version = 99", "was written by a newer raclette: it has version 99"),
    ("PRAGMA application_id = 1", "is not a journal, but a database of another program"),
    (
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99 WHERE name = 'execution'",
      "is damaged ("
    ),
  ])
  func aStrangeJournalIsToldAndLeftAlone(_ change: String, _ message: String) async {
    let place = BatchFolder(plan: [note("a")])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    _ = await shell(
      "python3 -c 'import sqlite3, sys; c = sqlite3.connect(\"j.db\"); c.executescript(sys.argv[1])' "
        + "\"\(change)\"", in: place.folder)
    let before = await shell("md5sum < j.db", in: place.folder)
    let outcome = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1 && outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.errors.contains("j.db'"))
    #expect(place.lines("notes") == ["a"])
    let after = await shell("md5sum < j.db", in: place.folder)
    #expect(after.output == before.output)
  }

  @Test func aDiskThatIsFullStopsTheBatch() async {
    let place = BatchFolder(plan: (0..<5_000).map { note("\($0)", to: "/dev/null") })
    // A limit on the size of files stands for the disk's.
    let outcome = await shell(
      "ulimit -f 200; trap '' XFSZ; raclette batch plan.jsonl --journal j.db --output quiet",
      in: place.folder)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("j.db'"), "\(outcome)")
    #expect(!outcome.errors.contains("5000 completed"))
  }

  /// The batch is killed at random moments and resumed until it is done.
  @Test func nothingIsLostOrDoneTwiceByKills() async {
    let entries = 1_000
    let kills = getenv("RACLETTE_LONG") == nil ? 10 : 200
    let place = BatchFolder(
      """
      local rac = require "rac"
      local file = assert(io.open("limit"))
      local limit = file:read("n")
      file:close()
      rac.command {name = "note", concurrency = "unlimited", run = function(input)
        if input.number >= limit then rac.sleep(1000) end
        local file = assert(io.open(input.to, "a"))
        file:write("x\\n")
        file:close()
        return "x"
      end}
      """,
      plan: (0..<entries).map {
        #"{"command": "note", "input": {"number": \#($0), "to": "e\#($0)"}}"#
      })
    // As many entries as may be executed before a kill, so that they do not run out before the last.
    let most = min(40, entries / kills)
    var generator = SystemRandomNumberGenerator()
    var killed = 0
    var rounds = 0
    // What the journal said after the last kill.
    var completed: Set<String> = []
    while true {
      rounds += 1
      let launch = Launch(
        arguments: ["batch", "plan.jsonl", "--journal", "j.db", "--resume", "-j4", "-q"],
        folder: place.folder.path)
      let moment = killed < kills ? Int.random(in: 0..<most, using: &generator) : nil
      place.folder.write("\(moment == nil ? entries : completed.count + most)", to: "limit")
      let outcome = await onThread {
        let running = Running(launch)
        if let moment {
          // After so many values of this round; 0 is while it starts.
          running.waitForOutputLines(moment)
          running.get(signal: SIGKILL)
        }
        return running.finish()
      }
      let history = await raclette(
        "history", "--journal", "j.db", "--json", in: place.folder)
      let now = Set(
        history.lines.filter { $0.contains(#""state":"completed""#) }
          .compactMap { field("to", of: $0) })
      #expect(now.isSuperset(of: completed), "what had completed is still recorded")
      for name in now { #expect(!place.lines(name).isEmpty) }
      completed = now
      if outcome.status == 128 + SIGKILL {
        killed += 1
        continue
      }
      #expect(outcome.status == 0 && completed.count == entries, "\(outcome)")
      break
    }
    let counts = (0..<entries).map { place.lines("e\($0)").count }
    #expect(counts.allSatisfy { $0 >= 1 })
    let again = counts.count { $0 > 1 }
    print("\(killed) kills, \(rounds) rounds, \(again) of \(entries) entries more than once")
    #expect(killed == kills)
    // Exactly once, but for those that were under way: each has an interrupted execution.
    let history = await raclette("history", "--journal", "j.db", "--json", in: place.folder)
    var states: [String: [String]] = [:]
    for line in history.lines {
      guard let name = field("to", of: line), let state = field("state", of: line) else { continue }
      states[name, default: []].append(state)
    }
    for (number, count) in counts.enumerated() where count > 1 {
      let found = states["e\(number)"] ?? []
      #expect(found.count >= count)
      #expect(found.count { $0 == "completed" } == 1)
      #expect(found.count { $0 == "interrupted" } >= count - 1)
    }
  }

  /// The text of a field of a line of JSON.
  private func field(_ name: String, of line: String) -> String? {
    let parts = line.split(separator: "\"\(name)\":\"", maxSplits: 1)
    return parts.count == 2 ? parts[1].split(separator: "\"").first.map(String.init) : nil
  }
}
