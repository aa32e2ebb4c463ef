import Platform
import Testing

/// The file of a journal: one by whatever path, told when it is damaged, and for its owner alone.
@Suite struct JournalFileTests {
  @Test func batchesThatReachOneJournalByDifferentPathsShareIt() async {
    let place = BatchFolder(plan: (0..<200).map { note("\($0)") })
    symlink("j.db", place.folder["link.db"])
    place.folder.makeFolder("folder")
    symlink("../j.db", place.folder["folder/other.db"])
    async let one = place.batch("plan.jsonl", "--journal", "j.db", "-j2", "--resume")
    async let two = place.batch("plan.jsonl", "--journal", "link.db", "-j2", "--resume")
    async let three = place.batch("plan.jsonl", "--journal", "folder/other.db", "-j2", "--resume")
    let outcomes = await [one, two, three]
    #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
    #expect(place.lines("notes").sorted() == (0..<200).map { "\($0)" }.sorted())
  }

  @Test(arguments: [5])
  func aBatchResumesWhatAReleasedVersionHasBegun(_ version: Int) async {
    let kept = Program.package + "/Tests/JournalTests/Journals"
    let folder = Folder()
    for (name, target) in [
      ("commands.lua", "commands.lua"), ("plan.jsonl", "plan.jsonl"),
      ("version-\(version).db", "j.db"),
    ] { #expect(spawnAndWait(["cp", "\(kept)/\(name)", folder[target]]) == 0) }
    let again = await raclette("batch", "plan.jsonl", "--journal", "j.db", "--resume", in: folder)
    #expect(again.output == "", "what had completed is not executed again: \(again)")
    #expect(again.errors.contains("plan.jsonl:3: fail: "), "\(again)")
    #expect(again.status == 1)
    let history = await raclette("history", "--batches", "--journal", "j.db", in: folder)
    #expect(history.lines.count == 2, "\(history)")
  }

  @Test func aJournalOfSeveralNamesIsRefused() async {
    let place = BatchFolder(plan: [note("a")])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    link(place.folder["j.db"], place.folder["k.db"])
    let outcome = await place.batch("plan.jsonl", "--journal", "k.db", "--resume")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("k.db' has 2 names (hard links)"), "\(outcome)")
    #expect(place.lines("notes") == ["a"])
  }

  @Test(arguments: [
    "rm j.db j.db-wal j.db-shm", "mv j.db k.db", "cp j.db k.db && mv k.db j.db", "rm -r ../there",
  ])
  func aJournalThatIsRemovedOrMovedEndsTheBatch(_ line: String) async throws {
    let place = BatchFolder(
      BatchFolder.commands + "\nrac.command {name = 'displace', run = [[cd there && \(line)]]}",
      plan: [note("a"), #"{"command": "displace"}"#] + (0..<200).map { note("\($0)") })
    place.folder.makeFolder("there")
    let outcome = await place.batch(
      "plan.jsonl", "--journal", "there/j.db", "--jobs", "1", "--summary", "s.json")
    #expect(outcome.status == 1)
    let path = place.folder["there/j.db"]
    let message =
      "the journal '\(path)' was removed, moved or replaced while the batch ran; if it was moved, "
      + "move it back next to '\(path)-wal', which has the latest records"
    #expect(
      outcome.errorLines.filter { $0.contains("error: ") } == ["raclette: error: \(message)"],
      "\(outcome)")
    let summary = place.lines("s.json").joined()
    #expect(summary.contains(message), "\(summary)")
    let executed = place.lines("notes").count
    #expect(executed < 200)
    let completed = try #require(summary.firstMatch(of: #/"completed":(\d+)/#))
    #expect((executed...executed + 1).contains(Int(completed.1) ?? 0), "\(summary)")
  }

  @Test func aFolderIsNoJournal() async {
    let place = BatchFolder(plan: [note("a")])
    let outcome = await place.batch("plan.jsonl", "--journal", ".")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/.': is a directory"), "\(outcome)")
  }

  /// Values that once ended the program, or were taken for something else.
  @Test(arguments: [
    "duration = 1e300", "duration = -1", "duration = 9e999", "started = 1e300", "claimed = 'text'",
    "state = 'done'", "state = NULL", "kind = x'00'", "attempts = -1", "line = 9e999",
    "error = 'another'", "key = x'00'",
  ])
  func aChangedFieldIsToldByTheExecution(_ change: String) async {
    let place = BatchFolder(plan: [note("a"), note("b")])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    await place.change("UPDATE OR IGNORE execution SET \(change) WHERE id = 2")
    if change == "state = NULL" || change == "line = 9e999" { return }
    let questions = [
      ["history"], ["history", "--json"], ["history", "--failed"], ["replay", "2"], ["retry", "2"],
      ["timeline"], ["timeline", "--svg", "t.svg", "--trace", "t.json"],
      ["batch", "plan.jsonl", "--resume", "--progress", "never"],
    ]
    for question in questions {
      let launch = Launch(
        arguments: question + ["--journal", "j.db"], folder: place.folder.path, input: .text(""))
      let outcome = await onThread { Running(launch).finish() }
      if question == ["history", "--failed"], outcome.status == 0 { continue }
      #expect(outcome.status == 1, "\(question) \(outcome)")
      #expect(outcome.errors.contains("j.db' is damaged, at execution 2: its "), "\(outcome)")
      #expect(outcome.errorLines.count == 1, "\(outcome)")
    }
    #expect(place.lines("notes").sorted() == ["a", "b"])
    // What the message advises.
    await place.change("DELETE FROM execution WHERE id = 2")
    let again = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(again.errors.contains("1 completed, 1 skipped"), "\(again)")
  }

  @Test func aVersionBelowZeroIsTold() async {
    let place = BatchFolder(plan: [note("a")])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    await place.change("PRAGMA user_version = -1")
    for arguments in [["history"], ["timeline"], ["replay", "1"], ["retry"]] {
      let launch = Launch(
        arguments: arguments + ["--journal", "j.db"], folder: place.folder.path, input: .text(""))
      let outcome = await onThread { Running(launch).finish() }
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("is damaged (its version is -1)"), "\(outcome)")
    }
  }

  @Test func whatABatchWritesIsForItsOwnerAlone() async {
    let place = BatchFolder(plan: [note("a")])
    place.folder.write("", to: "shared.xml")
    chmod(place.folder["shared.xml"], 0o664)
    let outcome = await shell(
      """
      umask 000
      raclette batch plan.jsonl --journal j.db --summary s.json --junit shared.xml
      raclette timeline --journal j.db --svg t.svg
      stat -c '%a %n' j.db s.json shared.xml t.svg; ls
      """, in: place.folder)
    #expect(
      outcome.lines == [
        "a", "600 j.db", "600 s.json", "664 shared.xml", "600 t.svg", "commands.lua", "j.db",
        "notes",
        "plan.jsonl", "s.json", "shared.xml", "t.svg",
      ], "\(outcome)")
  }

  @Test func aLinkOfTheUserLeadsToTheReport() async {
    let place = BatchFolder(plan: [note("a")])
    place.folder.makeFolder("reports")
    symlink("reports/today.json", place.folder["latest.json"])
    let outcome = await place.batch("plan.jsonl", "--summary", "latest.json")
    #expect(outcome.status == 0)
    #expect(place.lines("reports/today.json").count == 1)
    var information = stat()
    #expect(lstat(place.folder["latest.json"], &information) == 0)
    #expect(information.st_mode & S_IFMT == S_IFLNK)
  }

  @Test(arguments: [
    (["--junit", "r", "--summary", "r"], "--junit 'r' is the file of --summary too"),
    (["--junit", "r", "--summary", "./r"], "--junit 'r' is the file of --summary too"),
    (["--summary", "plan.jsonl"], "--summary 'plan.jsonl' is the plan too"),
    (["--journal", "j.db", "--junit", "j.db"], "--junit 'j.db' is the journal too"),
    (["--junit", "./commands.lua"], "--junit './commands.lua' is the command file too"),
    (["-f", "other", "--summary", "other"], "--summary 'other' is the command file too"),
    (["--junit", "module.lua"], "--junit 'module.lua' is a Lua file"),
    (["--junit", "vars"], "--junit 'vars' is the env_file of 'vars' too"),
    (
      ["--leftover", "wait"],
      "--leftover needs --resume: nothing else looks for what is left running"
    ),
  ])
  func oneFileIsNotWrittenTwice(_ arguments: [String], _ message: String) async {
    let place = BatchFolder(
      BatchFolder.commands + "rac.command{name = 'vars', env_file = 'vars', run = print}",
      plan: [note("a")])
    for name in ["other", "module.lua", "vars"] { place.folder.write("", to: name) }
    let launch = Launch(
      arguments: ["batch", "plan.jsonl"] + arguments, folder: place.folder.path, input: .text(""))
    let outcome = await onThread { Running(launch).finish() }
    #expect(outcome.status == 2)
    #expect(outcome.errors == "raclette: error: \(message)\n", "\(outcome)")
    #expect(place.lines("notes").isEmpty && !place.lines("plan.jsonl").isEmpty)
    #expect(Folder.isThere(place.folder["vars"]) && !place.lines("commands.lua").isEmpty)
  }

  @Test(arguments: [["--svg", "j.db"], ["--trace", "./j.db"], ["--svg", "commands.lua"]])
  func aTimelineOverwritesNothing(_ options: [String]) async {
    let place = BatchFolder(plan: [note("a")])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    let launch = Launch(
      arguments: ["timeline", "--journal", "j.db"] + options, folder: place.folder.path)
    let outcome = await onThread { Running(launch).finish() }
    #expect(outcome.status == 2, "\(outcome)")
    #expect(await raclette("history", "--journal", "j.db", in: place.folder).lines.count == 1)
  }

  @Test(arguments: ["--junit", "--summary"])
  func aReportThatCannotBeWrittenFailsTheBatch(_ option: String) async {
    let place = BatchFolder(plan: [note("a")])
    let outcome = await place.batch("plan.jsonl", option, "/dev/full", "--journal", "j.db")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("cannot write '/dev/full': "), "\(outcome)")
    #expect(outcome.errors.contains("1 completed"), "\(outcome)")
  }

  @Test func anErrorOfSeveralLinesIsOneLineOfTheHistory() async {
    let place = BatchFolder(
      #"rac.command{name = "fail", run = function() error("bad\r\n#99 forged", 0) end}"#,
      plan: [#"{"command": "fail"}"#])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    let history = await raclette("history", "--journal", "j.db", in: place.folder)
    #expect(history.lines.count == 1 && history.output.hasSuffix("- bad\n"), "\(history)")
  }

  @Test func anInputWhoseBytesAreNotRecordedIsNotExecutedWithOthers() async {
    let folder = Folder(
      commands:
        #"rac.command{name = "c", params = "any", run = function(input) return input.x end}"#)
    let run = await shell(
      #"raclette run --journal j.db c $'x=\xff' >/dev/null; raclette retry --journal j.db 1"#,
      in: folder)
    #expect(run.status == 1 && run.output == "", "\(run)")
    #expect(run.errors.contains("held bytes that are not UTF-8"), "\(run)")
  }
}

extension BatchFolder {
  /// Does something to the journal that Raclette never would.
  func change(_ sql: String) async {
    let outcome = await shell(
      "python3 -c 'import sqlite3, sys; c = sqlite3.connect(\"j.db\"); c.executescript(sys.argv[1])' "
        + "\"\(sql)\"", in: folder)
    if outcome.status != 0 { Issue.record("\(outcome)") }
  }
}
