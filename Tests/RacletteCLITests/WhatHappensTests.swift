import Platform
import Testing
import TextFiles

/// What the page "From just, task and make" says of Raclette in its table of what happens when.
@Suite("what happens when", .timeLimit(.minutes(5)))
struct WhatHappensTests {
  private static let rows = [
    (
      "Ctrl-C, while a step has a program in the background",
      "the step gets TERM and may clean up; every process it has started is ended; 130"
    ),
    (
      "TERM to it alone",
      "every process it has started is ended; the next step does not begin; 143"
    ),
    ("a closed terminal, while a program ignores HUP", "it is ended; 129"),
    ("an output edited by hand", "is made again"),
    (
      "an input put back, by `git stash` or `mv` with its old time", "the output is made again"
    ),
    (
      "a file saved by replacing it, three times, under `--watch`", "seen three times"
    ),
  ]

  private let folder = Folder([
    "commands.lua": #"""
    rac.command{name = "slow", steps = {
      "sleep 1000 & trap 'echo cleaned; exit 7' TERM; echo ready $!; wait", "echo second"}}
    rac.command{name = "deaf", run = "trap '' HUP; echo ready $$; while :; do sleep 0.01; done"}
    rac.command{name = "build", sources = "in", outputs = "out", run = "cat in >out; echo built"}
    rac.command{name = "show", watch = "in", run = "echo saw $(cat in)"}
    """#,
    "in": "a\n",
  ])

  @Test("is what the page has")
  func page() throws {
    let page = TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/ComingFromJust.md"
    let lines = try TextFile(page).lines
    let start = try #require(lines.firstIndex(of: "## What happens when"))
    let table = lines[start...].drop { !$0.hasPrefix("|---") }.dropFirst().prefix {
      $0.hasPrefix("|")
    }
    #expect(
      table.map { $0.split(separator: " | ").prefix(2).joined(separator: " | ") }
        == Self.rows.map { "| \($0) | \($1)" })
  }

  /// Executes a command until it has begun, does something to it, and waits for its end.
  ///
  /// - Returns: how it ended, and whether the process whose number it has printed is gone.
  private func end(
    _ command: String, _ act: @escaping @Sendable (Running) -> Void
  ) async -> (outcome: Outcome, isGone: Bool) {
    let launch = Launch(
      arguments: [command], folder: folder.path, environment: ["TERM": "dumb"])
    return await onThread {
      let running = Running(atTerminal: launch)
      running.waitForOutput("ready")
      running.waitForOutput("\r\n")
      act(running)
      let outcome = running.finish()
      let process = outcome.output.firstMatch(of: /ready (\d+)/).flatMap { Int32($0.1) }
      return (outcome, process.map(hasEnded) ?? false)
    }
  }

  @Test("Ctrl-C comes")
  func interrupt() async {
    let (outcome, isGone) = await end("slow") { $0.send("\u{3}") }
    #expect(outcome.status == 130 && isGone, "\(outcome)")
    #expect(outcome.output.contains("cleaned") && !outcome.output.contains("second"), "\(outcome)")
  }

  @Test("TERM comes to it alone")
  func terminate() async {
    let (outcome, isGone) = await end("slow") { $0.get(signal: SIGTERM) }
    #expect(outcome.status == 143 && isGone, "\(outcome)")
    #expect(!outcome.output.contains("second"), "\(outcome)")
  }

  @Test("the terminal is closed")
  func hangUp() async {
    let (outcome, isGone) = await end("deaf") { $0.get(signal: SIGHUP) }
    #expect(outcome.status == 129 && isGone, "\(outcome)")
  }

  @Test("an output is edited")
  func edited() async {
    let run = await shell(
      "raclette build; raclette -q build; echo edited >out; raclette build; cat out", in: folder)
    #expect(run.output == "built\nbuilt\nbuilt\na\n", "\(run)")
  }

  @Test("an input is put back")
  func putBack() async {
    let run = await shell(
      """
      cp -p in old; raclette build; echo b >in; raclette build; cat out
      mv old in; raclette build; cat out
      """, in: folder)
    #expect(run.output == "built\nbuilt\nb\nbuilt\na\n", "\(run)")
    #expect(run.errors == "")
  }

  @Test("a file is replaced under --watch")
  func replaced() async {
    let folder = folder
    let outcome = await onThread {
      let running = Running(Launch(arguments: ["--watch", "-q", "show"], folder: folder.path))
      running.waitForOutput("saw a\n")
      for text in ["1", "2", "3"] {
        // Replaces it.
        folder.write(text, to: "in")
        running.waitForOutput("saw \(text)\n")
      }
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(outcome.output == "saw a\nsaw 1\nsaw 2\nsaw 3\n", "\(outcome)")
  }
}
