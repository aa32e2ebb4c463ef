import Testing

@Suite("--agent", .timeLimit(.minutes(5)))
struct AgentOutputTests {
  private let folder = Folder(
    commands: #"""
      rac.command{name = "generate", run = "seq 3"}
      rac.command{name = "lint", run = "echo lint"}
      rac.command{
        name = "test", needs = {"generate", "lint"},
        run = [[seq 1 50000
      printf '\033[31merror:\033[0m the first\nits place\nerror: the second\n' >&2
      seq 50001 100000
      exit 2]],
      }
      rac.command{name = "deploy", needs = {"test"}, run = "echo deployed"}
      rac.command{name = "many", run = "seq 1 200"}
      rac.command{name = "short", run = "echo one; echo two >&2"}
      rac.command{name = "silent", run = "true"}
      """#)

  /// Durations are another each time.
  private func lines(_ run: Outcome) -> [String] {
    run.lines.map { $0.replacingDurations() }
  }

  @Test("tells a failed run of 100,000 lines in 60, with the first error, and where the rest is")
  func failed() async {
    let run = await raclette("run", "--agent", "deploy", in: folder)
    let lines = lines(run)
    #expect(run.status == 2 && run.errors == "", "\(run)")
    #expect(lines.count <= 60)
    #expect(
      lines.prefix(5) == [
        "1 failed, 2 completed, 1 not executed in TIME; exit status 2",
        "failed: test (exit status 2, TIME, #3): the script 'seq 1 50000…' exited with status 2",
        "  error: the first", "  its place", "  error: the second",
      ], "\(run)")
    #expect(lines[5].hasPrefix("  … "))
    #expect(lines[5].contains(" lines left out: raclette :replay 3; not kept: "))
    #expect(lines.suffix(3).first == "  100000" && lines.last == "not executed: deploy")
    // They end side by side.
    #expect(
      ["completed: lint, generate", "completed: generate, lint"].contains(lines.dropLast().last))
    let rest = await raclette("replay", "3", in: folder)
    #expect(rest.lines.last == "100000")
  }

  @Test("shows what a command prints, its beginning left out if it is long")
  func completed() async {
    let short = await raclette("run", "--agent", "short", in: folder)
    #expect(
      lines(short) == [
        "1 completed in TIME; exit status 0", "completed: short (TIME, #1)", "  one", "  two",
      ], "\(short)")
    let many = await raclette("run", "many", in: folder, environment: ["RACLETTE_AGENT": "1"])
    #expect(lines(many).count == 56)
    #expect(lines(many)[2] == "  … 147 lines left out: raclette :replay 2")
    #expect(lines(many).last == "  200")
    let several = await raclette("run", "--agent", "silent", ":::", "lint", in: folder)
    #expect(
      Set(lines(several)) == [
        "2 completed in TIME; exit status 0", "completed: lint (TIME, #4)", "  lint",
        "completed: silent",
      ]
        || Set(lines(several)) == [
          "2 completed in TIME; exit status 0", "completed: lint (TIME, #3)", "  lint",
          "completed: silent",
        ], "\(several)")
  }

  @Test("tells a batch by its failures")
  func batch() async {
    let plan = (1...100).map { #"{"command": "test", "id": "t\#($0)"}"# + "\n" }
    folder.write(plan.prefix(10).joined() + #"{"command": "many"}"# + "\n", to: "plan.jsonl")
    let run = await raclette("batch", "--agent", "--jobs", "1", "plan.jsonl", in: folder)
    let lines = lines(run)
    #expect(run.status == 1)
    #expect(lines.count <= 60)
    #expect(lines.first == "10 failed, 3 completed in TIME; exit status 1", "\(run)")
    #expect(lines.count { $0.hasPrefix("failed: test [t") } == 8)
    #expect(lines.contains("failed too: test [t9], test [t10]"))
  }

  @Test("names a malformed line of a plan by its place")
  func malformed() async {
    folder.write("\n{\"command\"\n", to: "malformed.jsonl")
    let run = await raclette("batch", "--agent", "malformed.jsonl", in: folder)
    #expect(run.status == 1)
    #expect(
      lines(run).dropFirst().first?.hasPrefix("failed: malformed.jsonl:2 ") == true, "\(run)")
  }

  @Test("leaves JSON to be JSON, and errors of the command line where they are")
  func others() async {
    let json = await raclette(
      "run", "--json", "silent", in: folder, environment: ["RACLETTE_AGENT": "1"])
    #expect(json.lines.last?.contains(#""type":"run_finished""#) == true, "\(json)")
    let unknown = await raclette("run", "--agent", "silnt", in: folder)
    #expect(unknown.output == "")
    #expect(
      unknown.errors
        == "raclette: error: unknown command 'silnt' in commands.lua; did you mean 'silent'?\n")
  }
}
