import Platform
import Testing

/// What `raclette retry` executes, and what it says of the rest.
@Suite("raclette retry", .timeLimit(.minutes(5)))
struct RetryTests {
  private let folder = Folder()

  private func call(_ words: String..., in path: String) async -> Outcome {
    let launch = Launch(arguments: words, folder: folder[path])
    return await onThread { Running(launch).finish() }
  }

  @Test(
    "executes in the folder of its batch, whatever the current one has",
    arguments: [[], ["1", "2"]])
  func otherFolder(words: [String]) async {
    for name in ["a", "b"] {
      folder.write(
        #"rac.command{name = "c", run = "echo in \#(name); exit 1"}"#, to: "\(name)/commands.lua")
      folder.write(#"print("script of \#(name)") os.exit(1)"#, to: "\(name)/s.lua")
    }
    folder.write(#"{"script": "s.lua"}"# + "\n" + #"{"command": "c"}"# + "\n", to: "plan.jsonl")
    let batch = await call("batch", "-q", "../plan.jsonl", "--journal", "../j.db", "-j1", in: "a")
    #expect(batch.output == "script of a\nin a\n", "\(batch)")
    let launch = Launch(
      arguments: ["retry", "-q", "-j1"] + words + ["--journal", "../j.db", "--summary", "s.json"],
      folder: folder["b"])
    let again = await onThread { Running(launch).finish() }
    #expect(again.output == "script of a\nin a\n", "\(again)")
    #expect(again.status == 1)
    #expect(access(folder["b/s.json"], F_OK) == 0)
  }

  /// Executes a plan with a script and a command that fail, in a folder `a` that is then moved to `b`,
  /// beside another project with a command and a script of the same names.
  private func move(_ options: String...) async {
    folder.write(
      #"rac.command{name = "c", run = "echo own $(basename $PWD); exit 1"}"#, to: "a/own.lua")
    folder.write(#"print("own script") os.exit(1)"#, to: "a/s.lua")
    folder.write(#"rac.command{name = "c", run = "echo other"}"#, to: "other/own.lua")
    folder.write(#"print("other script")"#, to: "other/s.lua")
    folder.write(#"{"script": "s.lua"}"# + "\n" + #"{"command": "c"}"# + "\n", to: "a/plan.jsonl")
    let launch = Launch(
      arguments: ["batch", "plan.jsonl", "-f", "own.lua", "-q", "-j1"] + options,
      folder: folder["a"])
    let batch = await onThread { Running(launch).finish() }
    #expect(batch.output == "own script\nown a\n", "\(batch)")
    #expect(rename(folder["a"], folder["b"]) == 0)
  }

  private var gone: String { "batch 1 was started in '\(folder["a"])', which is no longer there; " }

  @Test(
    "continues where the project was moved with its journal, and says where that is",
    arguments: [
      (["--journal", "j.db"], "j.db"), (["--journal", "./logs/j.db"], "logs/j.db"),
      (["--resume"], ".raclette/journal.db"),
    ])
  func movedWithJournal(options: [String], journal: String) async {
    folder.makeFolder("a/logs")
    switch options.count {
    case 1: await move(options[0])
    default: await move(options[0], options[1])
    }
    for place in ["b", "other", "."] {
      let retry = await call(
        "retry", "1", "2", "-j1", "--journal", folder["b/\(journal)"], "--progress", "never",
        in: place)
      #expect(retry.output == "own script\nown b\n" && retry.status == 1, "\(retry)")
      #expect(
        retry.errorLines.first
          == "raclette: \(gone)it continues in '\(folder["b"])', where its journal is", "\(retry)")
    }
  }

  @Test("asks for the folder of a moved project where its journal does not tell it")
  func movedAway() async {
    await move("--journal", "../j.db")
    for (id, place) in [("1", "b"), ("2", "b"), ("1", "other"), ("2", "other")] {
      let retry = await call("retry", id, "--journal", "../j.db", "-q", in: place)
      #expect(
        retry.errors == "raclette: error: \(gone)name its folder with --directory\n", "\(retry)")
      #expect(retry.output == "" && retry.status == 2)
    }
    let script = await call("retry", "1", "-C", "../b", "--journal", "../j.db", "-q", in: "other")
    #expect(script.output == "own script\n" && script.status == 1, "\(script)")
    let command = await call("retry", "2", "-C", "../b", "--journal", "../j.db", "-q", in: "other")
    #expect(command.output == "own b\n" && command.status == 1, "\(command)")
    let named = await call(
      "retry", "2", "-f", "../b/own.lua", "--journal", "../j.db", "-q", in: "other")
    #expect(named.output == "own b\n" && named.status == 1, "\(named)")
  }

  @Test("ends with 1 and names what the journal has no entry of")
  func lost() async {
    folder.write(
      #"""
      {"command": "c"}
      {"command": "c", "input": }
      {"script": "missing.lua"}

      """#, to: "plan.jsonl")
    folder.write(#"rac.command{name = "c", run = "test -e here"}"#, to: "commands.lua")
    let batch = await call("batch", "-q", "plan.jsonl", "--journal", "j.db", in: ".")
    #expect(batch.status == 1)
    folder.write("", to: "here")
    let lost =
      "raclette: error: the journal has no command or script of plan.jsonl:2, plan.jsonl:3; execute the "
      + "plan again with --resume\n"
    let again = await call("retry", "-q", "--journal", "j.db", in: ".")
    #expect(again.errors == lost)
    #expect(again.status == 1)
    let one = await call("retry", "-q", "2", "--journal", "j.db", in: ".")
    #expect(one.errors == lost.replacing(", plan.jsonl:3", with: "") && one.status == 1, "\(one)")
  }

  @Test("says which batch has nothing to execute again, and that others have")
  func nothing() async {
    folder.write(
      #"rac.command{name = "c", run = "exit 1"} rac.command{name = "d", run = "true"}"#,
      to: "commands.lua")
    folder.write(#"{"command": "c"}"#, to: "bad.jsonl")
    folder.write(#"{"command": "d"}"#, to: "good.jsonl")
    _ = await call("batch", "-q", "good.jsonl", "--journal", "j.db", in: ".")
    let text =
      "raclette: there is nothing to execute again: no entry of batch 1, the last one, has failed"
    let none = await call("retry", "--journal", "j.db", in: ".")
    #expect(none.errors == text + "\n" && none.status == 0, "\(none)")
    _ = await call("batch", "-q", "bad.jsonl", "--journal", "j.db", in: ".")
    _ = await call("batch", "-q", "good.jsonl", "--journal", "j.db", in: ".")
    let others = await call("retry", "--journal", "j.db", in: ".")
    #expect(
      others.errors
        == text.replacing("batch 1", with: "batch 3")
        + "; 'raclette history --failed' lists those of others\n" && others.status == 0, "\(others)"
    )
  }
}

extension RetryTests {
  @Test(
    "reports are refused where they could not be written",
    arguments: [
      ("--summary", "out", "cannot write 'out': is a directory"),
      ("--junit", "j.db-wal", "--junit 'j.db-wal' is the journal too"),
      ("--summary", "j.db-shm", "--summary 'j.db-shm' is the journal too"),
    ])
  func reports(option: String, path: String, problem: String) async {
    folder.write(#"rac.command{name = "c", run = "echo done"}"#, to: "commands.lua")
    folder.write(#"{"command": "c"}"#, to: "plan.jsonl")
    folder.makeFolder("out")
    let run = await call("batch", "plan.jsonl", "--journal", "j.db", option, path, in: ".")
    #expect(run.errors == "raclette: error: \(problem)\n", "\(run)")
    #expect(run.output == "" && run.status == 2)
  }

  @Test("integers of more than 64 bits are an error of their line")
  func wideIntegers() async {
    folder.write(
      #"rac.command{name = "c", params = "any", run = function(i) return i end}"#,
      to: "commands.lua")
    folder.write(#"{"command": "c", "input": {"id": 12345678901234567890}}"#, to: "plan.jsonl")
    let run = await call("batch", "-q", "plan.jsonl", in: ".")
    #expect(
      run.errors
        == "raclette: error: plan.jsonl:1: invalid JSON at column 53: too big integer near "
        + "'12345678901234567890'\n", "\(run)")
    #expect(run.output == "" && run.status == 1)
  }

  @Test("history says that it lists the latest if there are others")
  func latest() async {
    folder.write(
      #"rac.command{name = "c", params = {{name = "n"}}, run = function() end}"#, to: "commands.lua"
    )
    let lines = (1...50).map { #"{"command": "c", "input": {"n": "\#($0)"}}"# + "\n" }
    folder.write(lines.joined(), to: "plan.jsonl")
    folder.write(#"{"command": "c", "input": {"n": "51"}}"# + "\n", to: "one.jsonl")
    _ = await call("batch", "-q", "plan.jsonl", "--journal", "j.db", in: ".")
    let first = await call("history", "--journal", "j.db", in: ".")
    #expect(first.lines.count == 50 && first.errors == "", "\(first)")
    _ = await call("batch", "-q", "one.jsonl", "--journal", "j.db", in: ".")
    let some = await call("history", "--journal", "j.db", in: ".")
    #expect(some.lines.count == 50)
    #expect(some.lines.first == first.lines.dropFirst().first)
    #expect(some.errors == "raclette: these are the latest 50; --limit N lists more\n")
    let all = await call("history", "--limit", "51", "--journal", "j.db", in: ".")
    #expect(all.lines.count == 51 && all.errors == "", "\(all)")
  }

  @Test("a cached command says once that there is no folder for a cache")
  func noCache() async {
    folder.write(
      """
      rac.command{name = "a", cache = true, outputs = "a", run = "echo a >a"}
      rac.command{name = "b", needs = "a", cache = true, outputs = "b", run = "cat a >b"}
      """, to: "commands.lua")
    let run = await shell("env -i PATH=\"$PATH\" raclette b", in: folder)
    #expect(
      run.errors
        == "warning: 'a': results are not cached, because neither XDG_CACHE_HOME nor HOME is set\n",
      "\(run)")
    #expect(run.status == 0)
  }
}
