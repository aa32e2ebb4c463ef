import Testing

/// The reason of a failure reaches whoever reads of it, however deep it lies.
@Suite("reasons of failures", .timeLimit(.minutes(5)))
struct FailureReasonTests {
  private static let commands = """
    local function sh(line) return rac.sh(line, {stderr = "capture"}) end
    local inner = rac.command{name = "inner", params = {{name = "target", default = "debug"}},
      run = function() sh("echo out; echo no disk >&2; exit 3"):wait() end}
    rac.command{name = "middle", run = function() return inner:execute{target = "release"} end}
    rac.command{name = "outer", run = function() rac.commands.middle:execute():wait() end}
    local raising = rac.command{name = "raising", run = function(input) error("boom", 0) end}
    rac.command{name = "raiser", run = function() raising:execute{x = 1}:wait() end}
    rac.command{name = "user", needs = {"middle"}, run = print}
    rac.command{name = "waiter", run = function() sh("echo no disk >&2; exit 3"):wait() end}
    rac.command{name = "slow", run = function()
      rac.exec{"sh", "-c", "echo stuck >&2; exec sleep 1000", stderr = "capture", timeout = 3}:wait() end}
    """

  @Test("captured standard error is told of a failed wait too")
  func wait() async {
    let folder = Folder(commands: Self.commands)
    let run = await raclette("run", "waiter", in: folder)
    #expect(run.errors.hasSuffix("exited with status 3\n  no disk\n"), "\(run)")
    #expect(run.status == 3)
  }

  @Test("and of a process that took too long")
  func timeout() async {
    let folder = Folder(commands: Self.commands)
    let run = await raclette("run", "slow", in: folder)
    #expect(run.errors.contains("stuck\n") && run.errors.contains("longer than 3 s"), "\(run)")
    #expect(run.status == 124)
  }

  @Test("it is in the journal, in replay and in history", arguments: ["run", "batch"])
  func journal(form: String) async {
    let folder = Folder(commands: Self.commands)
    folder.write("{\"command\": \"waiter\"}\n", to: "plan.jsonl")
    let what = form == "run" ? "waiter" : "plan.jsonl"
    _ = await raclette(form, "--journal", "j.db", what, in: folder)
    let replay = await raclette("replay", "--journal", "j.db", "1", in: folder)
    #expect(replay.errors.hasPrefix("no disk\n"), "\(replay)")
    let history = await raclette("history", "--journal", "j.db", "--json", in: folder)
    #expect(history.output.contains(#""stderr":"no disk""#), "\(history)")
  }

  @Test("a nested failure names the innermost command and its input")
  func nested() async {
    let folder = Folder(commands: Self.commands)
    let run = await raclette("run", "outer", in: folder)
    #expect(
      run.errors.hasPrefix("raclette: error: outer: inner target=release: 'echo out;"), "\(run)")
    #expect(run.errors.hasSuffix("\n  no disk\n"))
    let json = await raclette("run", "--json", "outer", in: folder)
    let error = json.lines.first { $0.contains(#""type":"error""#) } ?? ""
    #expect(error.contains(#""type":"error","command":"outer""#), "\(json)")
    #expect(
      error.contains(#""command":"inner""#) && error.contains(#""input":{"target":"release"}"#))
    #expect(error.contains(#""stderr":"no disk""#))
  }

  @Test("also when the script raises a value of its own")
  func raised() async {
    let folder = Folder(commands: Self.commands)
    let run = await raclette("run", "raiser", in: folder)
    #expect(run.errors == "raclette: error: raiser: raising x=1: boom\n")
  }

  @Test("in the reports of a batch and in its journal")
  func batch() async {
    let folder = Folder(commands: Self.commands)
    folder.write("{\"command\": \"outer\"}\n{\"command\": \"user\"}\n", to: "plan.jsonl")
    let batch = await raclette(
      "batch", "--junit", "j.xml", "--summary", "s.json", "--journal", "j.db", "plan.jsonl",
      in: folder)
    #expect(batch.errors.contains("plan.jsonl:1: outer: inner target=release: "), "\(batch)")
    #expect(
      batch.errors.contains("plan.jsonl:2: user: 'middle' failed: inner target=release: "))
    let junit = text(of: "j.xml", in: folder)
    #expect(junit.contains(#"message="inner target=release: "#), "\(junit)")
    let summary = text(of: "s.json", in: folder)
    #expect(summary.contains(#""command":"inner""#), "\(summary)")
    #expect(summary.contains(#""input":{"target":"release"}"#))
    let history = await raclette("history", "--journal", "j.db", "--json", in: folder)
    #expect(history.output.contains("inner target=release: "), "\(history)")
  }

  @Test("in a session")
  func session() async {
    let folder = Folder(commands: Self.commands)
    let run = await raclette("repl", in: folder, input: ":run outer\n")
    #expect(run.errors.contains("inner target=release: "), "\(run)")
    #expect(run.errors.contains("  no disk\n"))
    let line = await raclette("repl", in: folder, input: "rac.commands.outer:execute():wait()\n")
    #expect(line.errors.contains("inner target=release: "), "\(line)")
  }
}
