import Platform
import Testing

/// Batches whose journal is on a server, as their submitters and readers see them.
@Suite(
  "a batch with a journal on a server", .enabled(if: TestServer.isInstalled),
  .timeLimit(.minutes(10)))
struct ServerBatchTests {
  private let files: BatchFolder
  private let url: String

  init() {
    files = BatchFolder()
    url = TestServer.shared.database()
  }

  private var folder: Folder { files.folder }

  /// What a call of raclette is started with.
  private func launch(_ words: [String]) -> Launch {
    Launch(
      arguments: words, folder: folder.path,
      environment: ["RACLETTE_JOURNAL": url, "XDG_CACHE_HOME": folder["cache"]])
  }

  private func ask(_ words: String...) async -> Outcome {
    let launch = launch(words)
    return await onThread { Running(launch).finish() }
  }

  private func write(_ plan: [String]) {
    folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
  }

  /// A line of a plan whose effect is outside of the bundle.
  private func effect(_ text: String) -> String { note(text, to: folder["notes"]) }

  @Test("is executed and reported as on one machine")
  func whole() async {
    write([effect("a"), #"{"command": "fail", "id": "bad"}"#, effect("b")])
    let run = await ask(
      "batch", "plan.jsonl", "--jobs", "1", "--progress", "never", "--summary", "summary.json",
      "--junit", "junit.xml")
    #expect(run.status == 1, "\(run)")
    #expect(Set(run.lines) == ["a", "b"])
    #expect(run.errors.contains("plan.jsonl:2: [bad] fail: it does not work"), "\(run)")
    #expect(run.errors.contains("3 entries in"))
    #expect(run.errors.contains("2 completed, 1 failed"))
    #expect(!run.errors.contains("lost"))
    #expect(Set(files.lines("notes")) == ["a", "b"])
    let summary = files.lines("summary.json").joined()
    #expect(summary.contains(#""completed":2"#) && summary.contains(#""failed":1"#), "\(summary)")
    let tests = files.lines("junit.xml").joined()
    #expect(tests.contains(#"tests="3" failures="1""#), "\(tests)")
    #expect(tests.contains("<system-out>a\n</system-out>") || tests.contains("<system-out>a"))
  }

  @Test("tells events with their batch and worker")
  func events() async {
    write([effect("a")])
    let run = await ask("batch", "plan.jsonl", "--json")
    #expect(run.status == 0, "\(run)")
    let types = run.lines.compactMap { $0.firstMatch(of: #/"type": ?"(\w+)"/#).map { $0.1 } }
    #expect(
      types == ["run_started", "execution_started", "next", "completed", "run_finished"])
    #expect(run.lines.allSatisfy { $0.contains(#""batch":1"#) }, "\(run)")
    #expect(run.lines[2].contains(#""worker":""#) && run.lines[2].contains(#""attempt":1"#))
    // Whoever comes later sees the same.
    let attached = await ask("attach", "1", "--json")
    #expect(attached.lines.dropFirst().dropLast() == run.lines.dropFirst().dropLast())
  }

  @Test("leaves out what has completed when it resumes, and retry executes what failed")
  func resumption() async {
    write([effect("a"), #"{"command": "fail"}"#])
    _ = await ask("batch", "plan.jsonl", "--progress", "never")
    let again = await ask("batch", "plan.jsonl", "--resume", "--progress", "never")
    #expect(again.errors.contains("0 completed, 1 failed, 1 skipped"), "\(again)")
    let retry = await ask("retry", "--progress", "never")
    #expect(retry.errors.contains("1 entry in"), "\(retry)")
    #expect(files.lines("notes") == ["a"])
  }

  @Test("is executed again with the command file that it was started with")
  func commandFile() async {
    let place = ClusterFolder("rac.command{name = 'other', run = function() end}")
    let ok = place.folder["ok"]
    place.folder.write(
      #"rac.command{name = "c", run = "test -e '\#(ok)' && echo fine"}"#, to: "own.lua")
    place.folder.write("{\"command\": \"c\"}\n", to: "plan.jsonl")
    _ = await place.run(["batch", "-f", "own.lua", "plan.jsonl", "--progress", "never"])
    place.folder.write("", to: "ok")
    let again = await place.run(["retry", "--progress", "never"])
    #expect(again.output == "fine\n" && again.status == 0, "\(again)")
    _ = rename(place.folder["own.lua"], place.folder["moved.lua"])
    let lost = await place.run(["retry", "2"])
    #expect(
      lost.errors
        == "raclette: error: batch 1 was started with \(place.folder["own.lua"]), "
        + "which is not here; name a command file with --file\n")
    #expect(lost.status == 2)
    let named = await place.run(["retry", "2", "-f", "moved.lua", "--progress", "never"])
    #expect(named.output == "fine\n" && named.status == 0, "\(named)")
  }

  @Test("is executed again with its own command file, not with a nearer one of the same name")
  func commandFileElsewhere() async {
    let place = ClusterFolder("rac.command{name = 'c', run = 'echo nearer'}")
    let ok = place.folder["ok"]
    place.folder.write(
      #"rac.command{name = "c", run = "test -e '\#(ok)' && echo fine"}"#, to: "own/commands.lua")
    place.folder.write("{\"command\": \"c\"}\n", to: "plan.jsonl")
    _ = await place.run(["batch", "-f", "own/commands.lua", "plan.jsonl", "--progress", "never"])
    place.folder.write("", to: "ok")
    let again = await place.run(["retry", "--progress", "never"])
    #expect(again.output == "fine\n" && again.status == 0, "\(again)")
    _ = rename(place.folder["own"], place.folder["moved"])
    let lost = await place.run(["retry", "2"])
    #expect(
      lost.errors
        == "raclette: error: batch 1 was started with \(place.folder["own/commands.lua"]), "
        + "which is not here; name a command file with --file\n")
    #expect(lost.status == 2 && lost.output == "")
  }

  @Test("is told by history, replay and timeline")
  func reading() async {
    write([effect("a"), #"{"command": "fail"}"#])
    _ = await ask("batch", "plan.jsonl", "--progress", "never")
    let history = await ask("history", "--json")
    #expect(history.lines.count == 2, "\(history)")
    #expect(history.lines[0].contains(#""state":"completed""#))
    #expect(history.lines[0].contains(#""worker":""#))
    #expect(await ask("history", "note").lines.count == 1)
    #expect(await ask("history", "--batches", "--json").output.contains(#""exit_code":1"#))
    let replay = await ask("replay", "2", "3")
    #expect(replay.output == "a\n", "\(replay)")
    #expect(replay.errors.contains("it does not work"))
    #expect(await ask("timeline").output.contains("batch 1: plan.jsonl"))
    #expect(await ask("timeline", "--svg", "t.svg").status == 0)
    let unknown = await ask("history", "9")
    #expect(unknown.errors.contains("there is no batch 9"))
    #expect(unknown.status == 2)
  }

  @Test("is told with what has completed since, which is no failure any more")
  func completedSince() async {
    write([note("a", to: folder["later/notes"]), #"{"command": "fail"}"#])
    _ = await ask("batch", "plan.jsonl", "--jobs", "1", "--progress", "never")
    #expect(await ask("history", "--failed").lines.count == 2)
    folder.write("", to: "later/notes")
    _ = await ask("retry", "--jobs", "1", "--progress", "never")
    #expect(files.lines("later/notes") == ["a"])
    let failed = await ask("history", "--failed", "--json")
    #expect(failed.lines.count == 2 && !failed.output.contains("note"), "\(failed)")
    let history = await ask("history", "--json")
    #expect(history.lines[0].contains(#""completed_by":5"#), "\(history)")
    #expect(history.lines.dropFirst().allSatisfy { !$0.contains("completed_by") })
  }

  @Test("is cancelled by Ctrl-C, wherever its entries run")
  func interruption() async {
    write([#"{"command": "sleep", "input": {"seconds": 600}}"#, effect("a")])
    let launch = launch(["batch", "plan.jsonl", "--jobs", "1", "--json"])
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("execution_started")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.status == 130, "\(run)")
    let states = await TestServer.shared.rows(
      "SELECT DISTINCT state FROM raclette.ended", in: url)
    #expect(states == ["cancelled"], "\(run)")
    #expect(files.lines("notes") == [])
  }

  @Test("goes on without its submitter, and is shown whole to whoever attaches")
  func killedSubmitter() async {
    write([effect("a")] + (1...20).map { effect("\($0)") })
    let submit = launch(["batch", "plan.jsonl", "--json"])
    await onThread {
      let running = Running(submit)
      running.waitForOutput("execution_started")
      running.get(signal: SIGKILL)
      _ = running.finish()
    }
    let work = launch(["worker", "--once"])
    let attached = launch(["attach", "1", "--progress", "never"])
    let history = launch(["history", "--batches", "--json"])
    let outcome = await onThread {
      let follower = Running(attached)
      // The lease of the worker that was killed with its submitter has to end first.
      repeat {
        _ = Running(work).finish()
      } while !Running(history).finish().output.contains("exit_code")
      return follower.finish()
    }
    #expect(outcome.errors.contains("21 entries in"), "\(outcome)")
    #expect(outcome.errors.contains("21 completed"), "\(outcome)")
    #expect(Set(files.lines("notes")).count == 21)
  }

  @Test("fails fast")
  func failFast() async {
    write([#"{"command": "fail"}"#] + (1...50).map { effect("\($0)") })
    let run = await ask(
      "batch", "plan.jsonl", "--fail-fast", "--jobs", "1", "--progress", "never")
    #expect(run.status == 1)
    #expect(run.errors.contains("cancelled"), "\(run)")
  }

  @Test("cancels a running execution, and says so")
  func cancelRunning() async {
    write([#"{"command": "sleep", "input": {"seconds": 600}}"#])
    let batch = launch(["batch", "plan.jsonl", "--json"])
    let cancel = launch(["cancel", "2"])
    let (told, run) = await onThread {
      let running = Running(batch)
      running.waitForOutput("execution_started")
      let told = Running(cancel).finish()
      return (told, running.finish())
    }
    #expect(told.errors == "raclette: cancelled #2 (sleep): its worker ends it\n", "\(told)")
    #expect(run.output.contains(#""type":"cancelled""#), "\(run)")
    #expect(run.status == 1)
  }

  @Test("reaches a reader while an execution prints")
  func live() async {
    folder.write(
      """
      rac.command{name = "talk", run = function(_, emit)
        emit("first") rac.file_exists("\(folder["go"])"):filter(function(is) return is end):first()
        emit("second") end}
      """, to: "commands.lua")
    write([#"{"command": "talk"}"#])
    let batch = launch(["batch", "plan.jsonl", "--progress", "never"])
    let go = folder["go"]
    let run = await onThread {
      let running = Running(batch)
      running.waitForOutput("first")
      close(open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      return running.finish()
    }
    #expect(run.output == "first\nsecond\n", "\(run)")
  }

  @Test(
    "says what is wrong with the server",
    arguments: [
      ("postgresql://raclette@/nowhere?host=/none", "cannot connect to /none"),
      ("postgresql://user:geheim@/x?nonsense=1", "the URL of the journal is not valid"),
    ])
  func unreachable(url: String, message: String) async {
    write([effect("a")])
    for words in [["batch", "plan.jsonl"], ["jobs"], ["history"], ["attach", "1"]] {
      let run = await onThread {
        Running(
          Launch(
            arguments: words, folder: folder.path, environment: ["RACLETTE_JOURNAL": url])
        ).finish()
      }
      #expect(run.errors.contains(message), "\(words) \(run)")
      #expect(!run.errors.contains("geheim"))
      #expect(run.status == 1)
    }
  }
}
