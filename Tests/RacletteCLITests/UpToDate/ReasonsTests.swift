import Platform
import Testing

@Suite("what is up to date: the reasons that are told", .timeLimit(.minutes(2)))
struct UpToDateReasonsTests {
  @Test("after a failure, a timeout, a cancellation and kill -9, explain tells which it was")
  func lastExecution() async {
    let project = Project(
      run:
        #"rac.sh("[ -e ok ] || exit 3; [ -e fast ] || { echo begun; exec sleep 1000; }; cat src/* >out")"#
    )
    #expect(await project.changes() == ["it was not executed with this input yet"])
    func changes() async -> String { await project.changes().first ?? "" }
    _ = await raclette("run", "build", in: project.folder)
    #expect(await changes().hasPrefix("its last execution failed at 20"))
    #expect(await changes().hasSuffix("exited with status 3"))
    project.folder.write("", to: "ok")
    _ = await raclette("run", "--timeout", "300ms", "build", in: project.folder)
    #expect(await changes().hasPrefix("its last execution timed out at 20"))
    await end(by: SIGINT, in: project.folder)
    #expect(await changes().hasPrefix("its last execution was cancelled at 20"))
    await end(by: SIGKILL, in: project.folder)
    #expect(await changes().contains("did not end: it was killed, or is still at work"))
    project.folder.write("", to: "fast")
    #expect(await project.builds())
    #expect(await project.changes() == [])
  }

  private func end(by signal: Int32, in folder: Folder) async {
    let launch = Launch(arguments: ["run", "build"], folder: folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("begun")
      kill(running.pid, signal)
      _ = running.finish()
    }
  }

  @Test("a secret in the text of a failure is not kept")
  func secretFailure() async {
    let project = Project(
      fields: #"secrets = {"TOKEN"},"#, before: #"rac.env.TOKEN = "hunter2""#,
      run: #"rac.error("no hunter2")"#)
    _ = await raclette("run", "build", in: project.folder)
    #expect(await project.changes().first?.contains("hunter2") == false)
    #expect(await shell("cat .raclette/* | grep -c hunter2", in: project.folder).output == "0\n")
  }

  @Test("-n and -v give the first, and -q leaves out the output of needs that are up to date")
  func plan() async {
    let folder = Folder(
      commands: """
        rac.command{name = "make", sources = {"a", "b"}, outputs = "out", run = "cat a b >out; echo made"}
        rac.command{name = "use", needs = "make", sources = "out", run = "echo used"}
        """)
    for name in ["a", "b"] { folder.write("1", to: name) }
    let run = await raclette("-v", "use", in: folder)
    let reason = "it was not executed with this input yet"
    for name in ["make", "use"] {
      #expect(run.errorLines.contains("raclette: \(name) is executed: \(reason)"), "\(run)")
    }
    #expect(await raclette("use", in: folder).lines == ["made", "used"])
    #expect(await raclette("-q", "use", in: folder).lines == ["used"])
    for name in ["a", "b"] { folder.write("2", to: name) }
    #expect(
      await raclette("-n", "use", in: folder).output == """
          1. make  not up to date: the source 'a' has changed, and 1 more
             $ cat a b >out; echo made
          2. use   after make; it needs 'make', which is not up to date and makes its source 'out'
             $ echo used

        """)
    let again = await raclette("-v", "use", in: folder)
    #expect(
      again.errorLines.contains(
        "raclette: make is executed: the source 'a' has changed, and 1 more"), "\(again)")
    let forced = await raclette("-v", "--force", "use", in: folder)
    #expect(!forced.errors.contains("is executed"), "\(forced)")
  }

  @Test("a command whose need is not up to date is none itself, and the reason names the need")
  func needs() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "x", sources = "a", outputs = "b", run = "cp a b"}
        rac.command{name = "y", needs = "x", sources = "b", outputs = "c", run = "cp b c"}
        rac.command{name = "both", needs = "y", run = "true"}
        rac.command{name = "z", needs = "both", sources = "d", run = "true"}
        """)
    folder.write("1", to: "a")
    folder.write("1", to: "d")
    _ = await raclette("run", "z", in: folder)
    let current = await shell("raclette list; raclette status z", in: folder)
    #expect(
      current.lines.prefix(4) == [
        "  x     (up to date)", "  y     (up to date)", "  both", "  z     (up to date)",
      ])
    #expect(current.status == 0)
    folder.write("2", to: "a")
    let wait = "it needs 'x', which is not up to date and makes its source 'b'"
    let list = await raclette("list", in: folder)
    #expect(!list.output.contains("up to date"), "\(list)")
    let status = await raclette("status", "z", in: folder)
    #expect(
      status.lines == [
        "x: not up to date: the source 'a' has changed", "y: not up to date: \(wait)",
        "z: not up to date: it needs 'y', which is not up to date",
      ])
    #expect(status.status == 1)
    let plan = await raclette("run", "-n", "y", in: folder)
    #expect(plan.output.contains("2. y  after x; \(wait)"), "\(plan)")
    let json = await raclette("run", "-n", "--json", "y", in: folder)
    #expect(json.output.contains(#""up_to_date":null,"changes":["it needs"#), "\(json)")
    let explain = await raclette("explain", "y", in: folder)
    #expect(explain.lines.suffix(2) == ["y: not up to date", "  \(wait)"])
    // The need makes the same again, and what needs it is left out.
    _ = await shell("echo same >c", in: folder)
    folder.write("1", to: "a")
    let run = await raclette("run", "z", in: folder)
    #expect(run.errors == "raclette: 2 are up to date: x, z\n", "\(run)")
  }

  @Test("an undefined need of one command does not hide the others")
  func badNeed() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "x", sources = "a", run = "true"}
        rac.command{name = "y", sources = "a", needs = "none", run = "true"}
        """)
    folder.write("1", to: "a")
    _ = await raclette("run", "x", in: folder)
    #expect(await raclette("list", in: folder).lines == ["  x  (up to date)", "  y"])
  }

  @Test("status takes a call with arguments, several calls, and names")
  func status() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "cc", params = {{name = "file", required = true}},
          sources = function(input) return input.file end, run = 'cat "$file"'}
        rac.command{name = "x", sources = "a", run = "true"}
        """)
    folder.write("1", to: "a")
    folder.write("2", to: "b c")
    let runs = await shell(
      """
      raclette run -q cc a >out; raclette run -q cc 'b c' >out; raclette status cc 'b c'
      raclette status cc a ::: cc 'b c' && raclette status x x; raclette status cc x
      """, in: folder)
    #expect(
      runs.lines == [
        "cc file='b c': up to date", "cc file=a: up to date", "cc file='b c': up to date",
        "x: not up to date: it was not executed with this input yet",
        "x: not up to date: it was not executed with this input yet",
      ], "\(runs)")
    #expect(runs.errors.contains("parameter 'file' is required"))
  }

  @Test("of a command with several inputs, messages name the call")
  func calls() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "cc", params = {{name = "file", required = true}},
          sources = function(input) return input.file end, run = '[ "$file" != bad ]'}
        rac.command{name = "all", needs = {{"cc", file = "a"}, {"cc", file = "b c"}}, run = "true"}
        rac.command{name = "fails", needs = {{"cc", file = "a"}, {"cc", file = "bad"}}, run = "true"}
        """)
    for name in ["a", "b c", "bad"] { folder.write("1", to: name) }
    _ = await raclette("run", "all", in: folder)
    let second = await raclette("run", "-j", "1", "all", in: folder)
    #expect(
      second.errorLines == ["raclette: 2 are up to date: cc file=a, cc file='b c'"])
    let failed = await raclette("run", "-j", "1", "fails", in: folder)
    #expect(failed.errors.contains("error: cc file=bad: '"), "\(failed)")
  }

  @Test("explain without names lists what is not up to date")
  func explainAll() async {
    let folder = Folder(
      commands: """
        rac.command{name = "x", sources = "a", run = "true"}
        rac.command{name = "y", sources = "b", run = "true"}
        rac.command{name = "z", run = "true"}
        """)
    for name in ["a", "b"] { folder.write("1", to: name) }
    _ = await raclette("run", "x", "y", in: folder)
    let current = await raclette("explain", in: folder)
    #expect(current.output == "")
    #expect(current.errors == "raclette: all 2 commands are up to date\n", "\(current)")
    folder.write("2", to: "b")
    let stale = await raclette("explain", in: folder)
    #expect(stale.output == "y: not up to date\n  the source 'b' has changed\n", "\(stale)")
    #expect(stale.errors == "")
    #expect(stale.status == 0)
    let json = await raclette("explain", "--json", in: folder)
    #expect(json.output.contains(#"{"command":"x""#), "\(json)")
  }

  @Test("status asks for an input where all commands require one")
  func inputs() async {
    let folder = Folder(
      commands: """
        rac.command{name = "one", params = {{name = "n", required = true}}, sources = "a", run = "true"}
        """)
    let run = await raclette("status", in: folder)
    #expect(run.status == 2)
    #expect(
      run.errors
        == "raclette: error: 'one' can only be asked with an input: raclette :status COMMAND ARGS\n"
    )
  }
}
