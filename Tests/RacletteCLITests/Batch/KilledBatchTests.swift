import Platform
import Testing

/// `kill -9` of the runner: what it had started ends, or is found when the batch goes on.
@Suite struct KilledBatchTests {
  @Test func whatTheRunnerHasStartedDiesWithIt() async {
    let folder = Folder(
      commands: """
        rac.command{name = "direct", run = function()
          return rac.exec{"sh", "-c", "exec 9>lives; echo ready; exec sleep 1000"}
        end}
        """)
    let pipe = folder.makePipe("lives")
    let launch = Launch(arguments: ["run", "direct"], folder: folder.path)
    await onThread {
      let lives = Lives(pipe)
      let running = Running(launch)
      running.waitForOutput("ready")
      #expect(!lives.areOver)
      running.get(signal: SIGKILL)
      #expect(running.finish().status == 128 + SIGKILL)
      lives.waitForEnd()
      #expect(lives.areOver)
    }
  }

  /// A command whose process leaves another one behind that outlives it, and holds a pipe open.
  private static let commands = """
    rac.command{name = "work", run = function(input)
      if io.open("again") then return "done" end
      return rac.sh("(exec 9>lives; echo ready; exec sleep 1000 >/dev/null) & wait", {grace = 0.05})
    end}
    """

  private func killedBatch() async -> (place: BatchFolder, lives: Lives) {
    let place = BatchFolder(Self.commands, plan: [#"{"command": "work"}"#])
    let lives = Lives(place.folder.makePipe("lives"))
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db"], folder: place.folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      // The group is recorded beside the work.
      eventually {
        let count = [
          "python3", "-c",
          """
          import sqlite3, sys
          c = sqlite3.connect("\(place.folder["j.db"])")
          sys.exit(c.execute("select count(*) from process_group").fetchone()[0] == 0)
          """,
        ]
        return spawnAndWait(["/usr/bin/env"] + count) == 0
      }
      running.get(signal: SIGKILL)
      _ = running.finish()
    }
    place.folder.write("", to: "again")
    return (place, lives)
  }

  @Test func whatIsLeftOfAKilledBatchIsEndedBeforeItGoesOn() async {
    let (place, lives) = await killedBatch()
    #expect(!lives.areOver)
    let outcome = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(outcome.status == 0, "\(outcome)")
    let message = "ending what a killed batch has left running: work (#1, process group"
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.output == "done\n")
    #expect(lives.areOver)
    let again = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(!again.errors.contains("left running"))
  }

  @Test func whatIsLeftOfAKilledBatchIsWaitedForIfAsked() async {
    let (place, lives) = await killedBatch()
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db", "--resume", "--leftover", "wait"],
      folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForErrors("waiting for what a killed batch has left running: work (#1, process")
      #expect(running.output.isEmpty && !lives.areOver)
      let text = running.errors
      let group = text.split(separator: "process group ").last?.prefix { $0.isNumber } ?? ""
      // Not this process's own group, whatever stands there.
      if let group = pid_t(group), group > 1 { kill(-group, SIGKILL) }
      return running.finish()
    }
    #expect(outcome.status == 0 && outcome.output == "done\n", "\(outcome)")
  }

  @Test func ctrlCEndsTheWaitForWhatIsLeft() async {
    let (place, lives) = await killedBatch()
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db", "--resume", "--leftover", "wait"],
      folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForErrors("to end it: --leftover end")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(outcome.status == 130 && outcome.output.isEmpty, "\(outcome)")
    #expect(!lives.areOver)
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(lives.areOver)
  }

  /// What an entry has printed and captured until it was killed, and that it has completed since.
  @Test func anInterruptedEntryKeepsWhatItHasPrinted() async {
    let place = BatchFolder(
      """
      rac.command{name = "work", run = function(input, emit)
        if io.open("again") then return "done" end
        emit("printed")
        return rac.sh("echo why >&2; exec sleep 1000", {stderr = "capture", grace = 0.05})
      end}
      """, plan: [#"{"command": "work"}"#])
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db"], folder: place.folder.path)
    let program = Program.path
    await onThread {
      let running = Running(launch)
      eventually {
        spawnAndWait([
          "/bin/sh", "-c",
          "cd \(place.folder.path) && \(program) replay 1 --journal j.db 2>&1 | grep -q '^why$'",
        ]) == 0
      }
      running.get(signal: SIGKILL)
      _ = running.finish()
    }
    let replay = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(replay.output == "printed\n")
    #expect(
      replay.errorLines == [
        "why", "raclette: work: what it printed in its last moments is not recorded",
        "raclette: work: interrupted",
      ], "\(replay)")
    place.folder.write("", to: "again")
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    let history = await raclette("history", "--journal", "j.db", in: place.folder)
    #expect(history.lines[0].hasSuffix("work completed since, as #2"), "\(history)")
    let json = await raclette("history", "--journal", "j.db", "--json", in: place.folder)
    #expect(json.lines[0].contains(#""completed_by":2"#), "\(json)")
  }

  @Test func aCancelledEntryKeepsTheErrorsThatItCaptured() async {
    let place = BatchFolder(
      """
      rac.command{name = "work", run = function(input)
        return rac.sh("echo why >&2; echo ready; exec sleep 1000", {stderr = "capture", grace = 0.05})
      end}
      """, plan: [#"{"command": "work"}"#])
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "--journal", "j.db"], folder: place.folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      _ = running.finish()
    }
    let replay = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(replay.output == "ready\n")
    #expect(replay.errorLines.first == "why", "\(replay)")
  }

  @Test func ofALongLineTheEndIsRecordedAndTheRestIsTold() async {
    let place = BatchFolder(
      """
      local long = "{ head -c 200000 /dev/zero | tr '\\\\0' x; echo end; }"
      rac.command{name = "values", run = function() return rac.sh(long) end}
      rac.command{name = "errors", run = function() return rac.sh(long .. " >&2; echo after >&2") end}
      """, plan: [#"{"command": "values"}"#, #"{"command": "errors"}"#])
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "-j1")
    let values = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(values.output.utf8.count == (64 << 10) + 1 && values.output.hasSuffix("xend\n"))
    #expect(
      values.errors == "raclette: not recorded: the beginning of a line of output, 134467 bytes, "
        + "before the last that are kept\n", "\(values.errors)")
    let errors = await raclette("replay", "2", "--journal", "j.db", in: place.folder)
    let lines = errors.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines.last == "after", "\(errors)")
    #expect(lines[1].utf8.count > 60_000 && lines[1].hasSuffix("xend"))
    let told =
      "raclette: not recorded: the beginning of a line of output, "
      + "\(200_003 - lines[1].utf8.count) bytes, before the last that are kept"
    #expect(lines[0] == told)
  }

  @Test func replayTellsWhatIsNotRecorded() async {
    let place = BatchFolder(
      """
      rac.command{name = "many", run = function() return rac.sh("seq 1500") end}
      rac.command{name = "silent", run = function() end}
      """, plan: [#"{"command": "many"}"#, #"{"command": "silent"}"#])
    _ = await place.batch("plan.jsonl", "--journal", "j.db", "-j1")
    let many = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(many.lines.count == 1_000 && many.lines.last == "1500")
    #expect(
      many.errors
        == "raclette: not recorded: 500 lines of output, 1392 bytes, before the last that are kept\n",
      "\(many.errors)")
    let silent = await raclette("replay", "2", "--journal", "j.db", in: place.folder)
    #expect(silent.errors == "raclette: silent: no output is recorded\n", "\(silent)")
  }
}
