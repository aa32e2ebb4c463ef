import Platform
import Testing

@Suite("output of executions side by side", .timeLimit(.minutes(5)))
struct LayoutTests {
  /// Two commands that take turns, so that their output alternates.
  private let folder = Folder(
    commands: """
      local turn = rac.subject()
      rac.command{name = "a", run = function(_, emit)
        emit("a1") turn:send_next("b") turn:filter(function(to) return to == "a" end):first()
        emit("a2\\na3") return rac.sh("echo ae >&2")
      end}
      rac.command{name = "long", run = function(_, emit)
        turn:filter(function(to) return to == "b" end):first()
        emit("b1") turn:send_next("a")
        return rac.sh("echo b2; exit 3")
      end}
      """)

  private func output(_ mode: String) async -> Outcome {
    await raclette("run", "-o", mode, "long", ":::", "a", in: folder)
  }

  @Test("interleave shows everything as it comes")
  func interleave() async {
    #expect(await output("interleave").lines.filter { $0 != "b2" } == ["a1", "b1", "a2", "a3"])
  }

  @Test("prefix puts the name in front of each line, aligned, in both streams")
  func prefix() async {
    let run = await output("prefix")
    #expect(
      run.lines.sorted() == [
        "a    | a1", "a    | a2", "a    | a3", "long | b1", "long | b2",
      ])
    #expect(run.errorLines.contains("a    | ae"))
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test("prefix has a colour for each command where colours are wanted")
  func colors() async {
    let run = await raclette(
      "--color=always", "run", "-o", "prefix", "long", ":::", "a", in: folder)
    let colors = Set(run.lines.map { String($0.prefix { $0 != "m" }) })
    #expect(colors.count == 2)
  }

  @Test("group shows each execution in one piece")
  func group() async {
    let run = await output("group")
    let blocks = [["a1", "a2", "a3", "b1", "b2"], ["b1", "b2", "a1", "a2", "a3"]]
    #expect(blocks.contains(run.lines))
    #expect(run.errorLines.contains("a:"))
  }

  @Test("group keeps a block of any size")
  func largeGroup() async {
    let folder = Folder(
      commands: """
        rac.command{name = "large", run = function() return rac.sh("seq 300000; echo e >&2") end}
        """)
    let run = await raclette("run", "-o", "group", "large", in: folder)
    #expect(run.lines.count == 300_000)
    #expect(run.lines.last == "300000")
    #expect(run.errors == "e\n")
  }

  @Test("quiet shows only what an execution that failed has said")
  func quiet() async {
    let run = await output("quiet")
    #expect(run.lines == ["b1", "b2"])
    #expect(run.status == 1)
  }

  @Test("GitHub gets groups for several executions, and errors as annotations")
  func gitHub() async {
    let folder = Folder(
      commands: """
        rac.command{name = "fail", run = function() error("50% of\\nit") end}
        rac.command{name = "good", run = function() return "fine" end}
        """)
    let environment = ["GITHUB_ACTIONS": "true"]
    let run = await raclette("run", "good", ":::", "fail", in: folder, environment: environment)
    #expect(run.output == "fine\n")
    #expect(run.errors.contains("::group::good\n::endgroup::\n"))
    #expect(
      run.errors.contains(
        "::error file=commands.lua,line=1,title=fail::commands.lua:1: 50%25 of%0Ait\n"))
    let single = await raclette("run", "good", in: folder, environment: environment)
    #expect(single.errors == "")
  }

  @Test("an annotation for GitHub has no file that is a part of a line for the shell")
  func gitHubLine() async {
    let run = await raclette(
      "run", "lint",
      in: Folder(commands: #"rac.command{name = "lint", run = "echo 'a.c:3:1: bad' >&2; exit 3"}"#),
      environment: ["GITHUB_ACTIONS": "true"])
    #expect(
      run.errors.hasSuffix(
        "::error title=lint::'echo 'a.c:3:1: bad' >&2; exit 3' exited with status 3\n"), "\(run)")
  }

  @Test("what a process says while it is ended is said in its command's name, to the last byte")
  func lateErrors() async {
    let folder = Folder(
      commands: """
        rac.command{name = "late", run = function()
          return rac.sh("trap 'echo cleaning >&2; printf more >&2; exit' TERM; touch ready; while :; do sleep 0.01; done")
        end}
        rac.command{name = "other", run = function()
          rac.sh("while [ ! -e ready ]; do sleep 0.01; done"):wait()
          rac.commands.late.active_execution_signals[1]:cancel()
          return rac.sh("while [ ! -e told ]; do sleep 0.01; done")
        end}
        rac.sh("while [ ! -e go ]; do sleep 0.01; done; printf nobody >&2; touch told"):subscribe()
        """)
    let launch = Launch(
      arguments: ["run", "-o", "prefix", "late", ":::", "other"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("cleaning")
      folder.write("", to: "go")
      return running.finish()
    }
    #expect(run.errors.contains("late  | cleaning\n"))
    #expect(run.errors.contains("late  | more\n"))
    #expect(run.errors.contains("nobody\n"))
  }

  @Test("what a process prints while it cleans up is shown, and what was only too much is not")
  func lateOutput() async {
    let folder = Folder(
      commands: """
        rac.command{name = "tidy", run = function()
          return rac.sh("trap 'echo tidied; exit' TERM; echo ready; while :; do sleep 0.01; done")
        end}
        rac.command{name = "some", run = function() return rac.exec{"yes"}:take(2) end}
        """)
    let launch = Launch(arguments: ["run", "tidy"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.output == "ready\n")
    #expect(run.errorLines.contains("tidied"))
    let some = await raclette("run", "some", in: folder)
    #expect(some.output == "y\ny\n")
    #expect(some.errors == "")
  }

  @Test(
    "children are told of colours as the runner was",
    arguments: [("always", "NO_COLOR", "1 -"), ("never", "FORCE_COLOR", "- 1")])
  func childColors(option: String, variable: String, told: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function()
          return rac.sh("echo ${FORCE_COLOR--} ${NO_COLOR--}")
        end}
        """)
    let run = await raclette(
      "--color", option, "run", "c", in: folder, environment: [variable: "1"])
    #expect(run.output == told + "\n")
  }
}
