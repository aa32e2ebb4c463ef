import Platform
import Testing
import TextFiles

@Suite("a limit over the machine", .timeLimit(.minutes(5)))
struct MachineLimitTests {
  /// Two folders whose command has a name of its own, and ends when a line comes in its folder.
  private struct Pair {
    let one: Folder
    let two: Folder
    let name: String
    let text: String

    init(_ policy: String) {
      one = Folder()
      name = "deploy-\(one.name)"
      text = """
        rac.command{name = "\(name)", across = "machine", \(policy),
          run = {"sh", "-c", "echo begun; read line <go; echo $line"}}
        """
      one.write(text, to: "commands.lua")
      _ = one.makePipe("go")
      two = Folder(commands: text)
      _ = two.makePipe("go")
    }

    func start(in folder: Folder) -> Running {
      Running(Launch(arguments: [name], folder: folder.path))
    }

    func end(_ folder: Folder) { write("over\n", toPipe: folder["go"]) }

    /// Who executes it, with the time left out.
    func holder(_ running: Running, _ folder: Folder) -> String {
      "process \(running.pid) in \(folder.path) has been executing it since TIME"
    }
  }

  @Test("refuses an execution while another process executes the command, and names it")
  func refusal() async {
    let pair = Pair("concurrency = 1")
    let (first, second, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let second = pair.start(in: pair.two).finish()
      pair.end(pair.one)
      return (running.finish(), second, pair.holder(running, pair.one))
    }
    #expect(first.status == 0 && first.output == "begun\nover\n", "\(first)")
    #expect(second.status == 75 && second.output.isEmpty, "\(second)")
    #expect(
      withoutTime(second.errors)
        == "raclette: error: the command '\(pair.name)' is not enabled: \(holder)\n")
  }

  @Test("refuses a detached execution, too, as long as another process executes the command")
  func detached() async {
    let pair = Pair("concurrency = 1")
    let hub = HubFolder(commands: pair.text)
    _ = hub.folder.makePipe("go")
    let (refused, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let refused = Running(hub.launch("run", "-d", pair.name)).finish()
      pair.end(pair.one)
      _ = running.finish()
      return (refused, pair.holder(running, pair.one))
    }
    #expect(refused.status == 75 && refused.output.isEmpty, "\(refused)")
    #expect(
      withoutTime(refused.errors)
        == "raclette: error: '\(pair.name)' is not enabled: \(holder)\n")
    let accepted = await hub.call("run", "-d", pair.name)
    #expect(accepted.status == 0 && accepted.errors == "", "\(accepted)")
    await onThread { pair.end(hub.folder) }
    let attached = await hub.call("attach", String(accepted.output.dropLast()))
    #expect(attached.output == "begun\nover\n", "\(attached)")
  }

  @Test("names who executes the command, too, behind one that waits for fewer places")
  func unequal() async {
    let pair = Pair("when_busy = \"queue\"")
    let (last, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let waiting = pair.start(in: pair.two)
      waiting.waitForErrors("waits: process")
      let third = Folder(commands: pair.text.replacing("across", with: "concurrency = 2, across"))
      _ = third.makePipe("go")
      let last = pair.start(in: third)
      last.waitForErrors("waits: ")
      for folder in [pair.one, pair.two, third] { pair.end(folder) }
      _ = (running.finish(), waiting.finish())
      return (last.finish(), pair.holder(running, pair.one))
    }
    #expect(withoutTime(last.errors) == "raclette: '\(pair.name)' waits: \(holder)\n")
    #expect(last.status == 0)
  }

  @Test("makes the second of two terminals find up to date what the first has built")
  func upToDate() async {
    let pair = Pair(#"when_busy = "queue", sources = "commands.lua", outputs = "out""#)
    let (first, second, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      pair.one.write("", to: "out")
      let second = pair.start(in: pair.one)
      second.waitForErrors("waits: process")
      pair.end(pair.one)
      return (running.finish(), second.finish(), pair.holder(running, pair.one))
    }
    #expect(first.status == 0 && first.output == "begun\nover\n", "\(first)")
    #expect(second.status == 0 && second.output == "begun\nover\n", "\(second)")
    #expect(
      withoutTime(second.errors)
        == """
        raclette: '\(pair.name)' waits: \(holder)
        raclette: \(pair.name) is up to date

        """)
  }

  @Test("is shown with who executes the command, before anything is executed")
  func shown() async {
    let pair = Pair("concurrency = 1")
    let calls = [["list"], ["list", "--json"], ["show", pair.name], ["-n", pair.name]]
    let (during, after, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let outputs = {
        calls.map { call in
          let outcome = Running(Launch(arguments: call, folder: pair.two.path)).finish()
          return withoutTime(outcome.output)
        }
      }
      let during = outputs()
      running.get(signal: SIGKILL)
      _ = running.finish()
      return (during, outputs(), pair.holder(running, pair.one))
    }
    #expect(during[0] == "  \(pair.name)  (busy: \(holder))\n")
    #expect(during[1].contains(#""enabled":true,"busy":"\#(holder)","params":[]"#), "\(during[1])")
    #expect(during[2].contains("\nBusy:    \(holder)\n"), "\(during[2])")
    #expect(
      during[3].hasPrefix(
        "  1. \(pair.name)  limit applies across this machine; busy: \(holder)\n"),
      "\(during[3])")
    for output in after { #expect(!output.contains("has been executing it"), "\(output)") }
  }

  @Test("is free the moment its holder is killed, for the one that waits")
  func killed() async {
    let pair = Pair("when_busy = \"queue\", timeout = 1000")
    let (second, holder) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let second = pair.start(in: pair.two)
      second.waitForErrors("has been executing it")
      running.get(signal: SIGKILL)
      second.waitForOutput("begun")
      pair.end(pair.two)
      return (second.finish(), pair.holder(running, pair.one))
    }
    #expect(second.status == 0 && second.output == "begun\nover\n", "\(second)")
    #expect(
      withoutTime(second.errorLines.first ?? "") == "raclette: '\(pair.name)' waits: \(holder)")
  }

  @Test("ends what a killed holder has left running before the next one begins")
  func survivors() async {
    let one = Folder()
    let name = "flash-\(one.name)"
    let text = """
      rac.command{name = "\(name)", across = "machine",
        run = "echo begun; sh -c 'echo $$ >inner; exec sleep 1000'; echo over"}
      """
    one.write(text, to: "commands.lua")
    let two = Folder(
      commands: text.replacing("sleep 1000", with: "true").replacing(">inner", with: ">/dev/null"))
    let (second, inner) = await onThread {
      let running = Running(Launch(arguments: [name], folder: one.path))
      eventually { number(in: one["inner"]) != nil }
      let inner = number(in: one["inner"])
      // By then it has recorded what it has started.
      running.waitUntilItIsIdle()
      let group = inner.map { getpgid($0) }
      running.get(signal: SIGKILL)
      _ = running.finish()
      let second = Running(Launch(arguments: [name], folder: two.path)).finish()
      return (second, (inner, group))
    }
    #expect(second.status == 0 && second.output == "begun\nover\n", "\(second)")
    guard let process = inner.0, let group = inner.1 else {
      Issue.record("no process has begun")
      return
    }
    #expect(
      second.errors == """
        raclette: '\(name)': ended processes that a killed execution had left running: process group \(group)

        """)
    // Nobody may have taken its status.
    let state = (try? TextFile("/proc/\(process)/stat").lines.first) ?? ") Z"
    #expect(state.contains(") Z"), "\(state)")
  }

  @Test(
    "fails an execution that would wait for the one that has started it",
    arguments: ["queue", "restart"])
  func withinItself(policy: String) async {
    let folder = Folder()
    let name = "inside-\(folder.name)"
    folder.write(
      """
      rac.command{name = "\(name)", across = "machine", when_busy = "\(policy)",
        run = [["$RACLETTE_UNDER_TEST" "\(name)"]]}
      """, to: "commands.lua")
    let launch = Launch(
      arguments: [name], folder: folder.path,
      environment: ["RACLETTE_UNDER_TEST": Program.path])
    let (run, process) = await onThread {
      let running = Running(launch)
      return (running.finish(), running.pid)
    }
    let holder = "process \(process) in \(folder.path) has been executing it since TIME"
    // The inner one may be so early that the outer one has not recorded it yet.
    let errors = withoutTime(run.errors)
      .replacing("raclette: '\(name)' waits: \(holder)\n", with: "")
    #expect(
      errors.hasPrefix(
        "raclette: error: \(name): '\(name)' is executed within itself and would wait for ever: "
          + "\(holder), and has started this process\n"), "\(run)")
    #expect(run.status == 1)
  }

  @Test("refuses what cannot be written down, as on a full disk")
  func full() async {
    let pair = Pair("concurrency = 1")
    let run = await onThread {
      Running(
        Launch(
          program: "sh", arguments: ["-c", "ulimit -f 0; exec '\(Program.path)' \(pair.name)"],
          folder: pair.one.path)
      ).finish()
    }
    #expect(
      run.errors == """
        raclette: error: \(pair.name): the limit of '\(pair.name)' over this machine cannot be kept: \
        cannot lock files in /tmp/raclette-\(getuid()): file too large

        """, "\(run)")
    #expect(run.status == 1)
  }

  @Test("counts as many as 'concurrency' allows")
  func several() async {
    let pair = Pair("concurrency = 2, when_busy = \"queue\"")
    let third = await onThread {
      let other = Folder(["commands.lua": pair.text])
      _ = other.makePipe("go")
      let running = [pair.one, other].map { pair.start(in: $0) }
      for process in running { process.waitForOutput("begun") }
      let third = pair.start(in: pair.two)
      third.waitForErrors(", and 1 more")
      pair.end(pair.one)
      third.waitForOutput("begun")
      pair.end(pair.two)
      pair.end(other)
      for process in running { #expect(process.finish().status == 0) }
      return third.finish()
    }
    #expect(third.status == 0 && third.output == "begun\nover\n", "\(third)")
  }

  @Test("lets an execution take the place of one in another process")
  func restart() async {
    let pair = Pair("when_busy = \"restart\"")
    let (first, second) = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let second = pair.start(in: pair.two)
      second.waitForOutput("begun")
      pair.end(pair.two)
      return (running.finish(), second.finish())
    }
    #expect(second.status == 0 && second.output == "begun\nover\n", "\(second)")
    #expect(first.status == 1 && first.output == "begun\n", "\(first)")
    #expect(
      first.errors == """
        raclette: '\(pair.name)' makes room for another execution of it
        raclette: \(pair.name) was cancelled

        """)
  }

  @Test("gives the place to the last of several executions that take it from others")
  func restarts() async {
    let pair = Pair("when_busy = \"restart\"")
    let outcomes = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let others = (0..<3).map { _ in pair.start(in: pair.two) }
      // All but one end, whichever comes last.
      #expect(running.finish().status == 1)
      eventually { others.count { isOver($0.pid) } == 2 }
      pair.end(pair.two)
      return others.map { $0.finish() }
    }
    #expect(outcomes.map(\.status).sorted() == [0, 1, 1], "\(outcomes)")
  }

  @Test("lets other entries of a batch use the job meanwhile")
  func jobs() async {
    let pair = Pair("concurrency = 1")
    pair.two.write(
      pair.text + "\nrac.command{name = \"other\", run = \"echo other\"}", to: "commands.lua")
    let plan = [pair.name, "other"].map { "{\"command\": \"\($0)\"}\n" }.joined()
    let batch = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let batch = Running(
        Launch(arguments: [":batch", "-j", "1", "-"], folder: pair.two.path, input: .text(plan)))
      batch.waitForOutput("other")
      pair.end(pair.one)
      batch.waitForOutput("begun")
      pair.end(pair.two)
      #expect(running.finish().status == 0)
      return batch.finish()
    }
    #expect(batch.status == 0 && batch.output == "other\nbegun\nover\n", "\(batch)")
  }

  @Test("is not held by what waits for a resource, or for a job")
  func idle() async {
    let folder = Folder()
    let one = "one-\(folder.name)"
    let two = "two-\(folder.name)"
    folder.write(
      """
      rac.defaults{resources = {gpu = 1}}
      local one = rac.command{name = "\(one)", across = "machine", when_busy = "queue",
        uses = {gpu = 1}, run = "true"}
      rac.command{name = "function", uses = {gpu = 1}, run = function()
        rac.exec{"sh", "-c", "echo begun; read line <go"}:wait()
        one:execute():wait()
      end}
      rac.command{name = "\(two)", across = "machine", when_busy = "queue",
        run = "echo begun; read line <go"}
      rac.command{name = "process", run = "echo inside; \(Program.path) -q \(two)"}
      """, to: "commands.lua")
    _ = folder.makePipe("go")
    let (waiting, nested) = await onThread {
      let running = Running(
        Launch(arguments: ["function", ":::", one], folder: folder.path))
      running.waitForErrors("'\(one)' waits for gpu = 1: 'function' has gpu = 1")
      write("\n", toPipe: folder["go"])
      let holder = Running(Launch(arguments: [two], folder: folder.path))
      holder.waitForOutput("begun")
      let batch = Running(
        Launch(
          arguments: ["batch", "-j", "1", "-o", "interleave", "-"], folder: folder.path,
          input: .text([two, "process"].map { "{\"command\": \"\($0)\"}\n" }.joined())))
      for output in ["inside\n", "inside\nbegun\n", "inside\nbegun\nbegun\n"] {
        batch.waitForOutput(output)
        write("\n", toPipe: folder["go"])
      }
      #expect(holder.finish().status == 0)
      return (running.finish(), batch.finish())
    }
    #expect(waiting.status == 0 && waiting.output == "begun\n", "\(waiting)")
    #expect(nested.status == 0 && nested.output == "inside\nbegun\nbegun\n", "\(nested)")
  }

  @Test("keeps no resources from others while its place is another process's")
  func resources() async {
    let (folder, checkout) = (Folder(), Folder())
    let name = "train-\(folder.name)"
    let go = folder.makePipe("go")
    // Each command file has resources of its own.
    for folder in [folder, checkout] {
      folder.write(
        """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "\(name)", across = "machine", when_busy = "queue", uses = {gpu = 1},
          run = "echo begun; read line <\(go)"}
        rac.command{name = "other", uses = {gpu = 1}, run = "echo other"}
        """, to: "commands.lua")
    }
    let batch = await onThread {
      let holder = Running(Launch(arguments: [name], folder: checkout.path))
      holder.waitForOutput("begun")
      let batch = Running(
        Launch(
          arguments: ["batch", "-o", "interleave", "-"], folder: folder.path,
          input: .text([name, "other"].map { "{\"command\": \"\($0)\"}\n" }.joined())))
      batch.waitForOutput("other\n")
      write("\n", toPipe: go)
      batch.waitForOutput("begun\n")
      write("\n", toPipe: go)
      #expect(holder.finish().status == 0)
      return batch.finish()
    }
    #expect(batch.status == 0 && batch.output == "other\nbegun\n", "\(batch)")
  }

  @Test("refuses an execution once, although it may be tried again")
  func refusedOnce() async {
    let pair = Pair("retry = {times = 3}")
    let second = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let second = pair.start(in: pair.two).finish()
      pair.end(pair.one)
      #expect(running.finish().status == 0)
      return second
    }
    #expect(second.status == 75 && second.errorLines.count == 1, "\(second)")
  }

  @Test("makes the entries of a batch wait, and the waiting does not count as their time")
  func batch() async {
    let pair = Pair("timeout = 1000")
    let second = await onThread {
      let running = pair.start(in: pair.one)
      running.waitForOutput("begun")
      let batch = Running(
        Launch(
          arguments: [":batch", "-"], folder: pair.two.path,
          input: .text("{\"command\": \"\(pair.name)\"}\n")))
      batch.waitForErrors("has been executing it")
      pair.end(pair.one)
      batch.waitForOutput("begun")
      pair.end(pair.two)
      #expect(running.finish().status == 0)
      return batch.finish()
    }
    #expect(second.status == 0, "\(second)")
  }

  @Test("cannot join executions of other processes")
  func join() async {
    let folder = Folder(
      commands: #"rac.command{name = "x", across = "machine", when_busy = "join", run = "true"}"#)
    let run = await raclette("x", in: folder)
    #expect(run.status == 3)
    #expect(
      run.errors == """
        raclette: error: commands.lua:1: bad argument #1 to 'command' (when_busy = "join" joins \
        executions of one process, so it cannot be used with across = "machine"; to share work \
        between processes, define a service)

        """)
  }

  /// The number that a file has on its first line, once that is complete.
  private func number(in path: String) -> pid_t? {
    (try? TextFile(path).lines.first).flatMap { pid_t($0) }
  }

  /// True if a child has ended, whose status is still to be taken.
  private func isOver(_ pid: pid_t) -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  /// Replaces times by a word.
  private func withoutTime(_ text: String) -> String {
    text.replacing(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, with: "since TIME")
  }
}
