import Platform
import Testing

/// Executions that go on behind the runner.
@Suite("detached executions", .timeLimit(.minutes(5)))
struct DetachedExecutionTests {
  @Test("run -d prints the number, and attach shows everything and has the status")
  func attach() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "line", params = {{name = "word"}},
          run = "echo one; echo two >&2; cat go; echo $word; exit 3"}
        """#)
    let pipe = folder.folder.makePipe("go")
    let started = await folder.call("run", "-d", "line", "three")
    #expect(started.output == "1\n", "\(started)")
    #expect(started.errors == "", "\(started)")
    #expect(started.status == 0, "\(started)")
    let attached = await onThread {
      let running = Running(folder.launch("attach", "1"))
      running.waitForOutput("one\n")
      write("from the pipe\n", toPipe: pipe)
      return running.finish()
    }
    #expect(attached.output == "one\nfrom the pipe\nthree\n", "\(attached)")
    #expect(
      attached.errors == """
        two
        raclette: error: line: 'echo one; echo two >&2; cat go; echo $word; exit 3' exited with \
        status 3

        """, "\(attached)")
    #expect(attached.status == 3)
  }

  @Test(
    "run -d works from any folder",
    arguments: [("project/sub", []), (".", ["-f", "project/commands.lua"])])
  func otherFolder(_ place: String, _ options: [String]) async {
    let folder = HubFolder(
      commands: #"rac.command{name = "line", run = "pwd"}"#, below: "project")
    folder.folder.makeFolder("project/sub")
    let launch = Launch(
      arguments: ["run", "-d"] + options + ["line"], folder: folder.folder[place],
      environment: folder.environment)
    let started = await onThread { Running(launch).finish() }
    #expect(started.output == "1\n", "\(started)")
    #expect(started.errors == "", "\(started)")
    #expect(await folder.call("attach", "1").output == "\(folder.path)\n")
  }

  @Test("attach shows what the execution needs as a run does, in the order in which it came")
  func needs() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "prepare", run = "echo preparing; cat go; echo prepared >&2"}
        rac.command{name = "build", needs = "prepare", run = "echo building"}
        rac.command{name = "bad", run = "echo begun; exit 4"}
        rac.command{name = "fail", needs = "bad", run = "echo never"}
        """#)
    let pipe = folder.folder.makePipe("go")
    _ = await folder.call("run", "-d", "build")
    let attached = await onThread {
      let attached = Running(folder.launch("attach", "1"))
      attached.waitForOutput("preparing\n")
      write("from the pipe\n", toPipe: pipe)
      return attached.finish()
    }
    #expect(attached.output == "preparing\nfrom the pipe\nbuilding\n", "\(attached)")
    #expect(attached.errors == "prepared\n")
    #expect(attached.status == 0)
    let run = await folder.call("fail")
    _ = await folder.call("run", "-d", "fail")
    let failed = await folder.call("attach", "3")
    #expect(failed.description == run.description)
    #expect(
      failed.errors == """
        raclette: not executed: fail
        raclette: error: bad: 'echo begun; exit 4' exited with status 4

        """)
  }

  @Test(
    "have all devices in a hub that an execution with one of them has started",
    arguments: ["5,7", nil])
  func devices(visible: String?) async {
    let folder = HubFolder(
      commands: #"""
        rac.defaults{resources = {gpu = 2}}
        rac.command{name = "start", uses = {gpu = 1}, run = [["$RACLETTE_UNDER_TEST" -q run -d both]]}
        rac.command{name = "both", uses = {gpu = 2}, run = "echo $RACLETTE_GPU $CUDA_VISIBLE_DEVICES"}
        rac.command{name = "none", run = "echo ${RACLETTE_GPU-none} ${CUDA_VISIBLE_DEVICES-none}"}
        """#)
    var environment = folder.environment
    environment["RACLETTE_UNDER_TEST"] = Program.path
    environment["CUDA_VISIBLE_DEVICES"] = visible
    let launch = Launch(arguments: ["start"], folder: folder.path, environment: environment)
    let started = await onThread { Running(launch).finish() }
    #expect(started.status == 0, "\(started)")
    let both = await folder.call("attach", "1")
    #expect(both.output == "0,1 \(visible ?? "0,1")\n", "\(both)")
    let outside = Launch(
      arguments: ["run", "-d", "none"], folder: folder.path, environment: environment)
    _ = await onThread { Running(outside).finish() }
    let none = await folder.call("attach", "2")
    #expect(none.output == "none \(visible ?? "none")\n", "\(none)")
  }

  @Test("attach shows what has ended, and prints its events as JSON in their order")
  func ended() async {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "echo one"}"#)
    _ = await folder.call("run", "-d", "line")
    // Nobody looks at it, so that the hub stays.
    _ = await folder.call("run", "-d", "line")
    let first = await folder.call("attach", "#1")
    #expect(first.output == "one\n", "\(first)")
    #expect(first.errors == "")
    let second = await folder.call("attach", "--json", "1")
    let types = second.lines.compactMap { $0.firstMatch(of: /"type":"(\w+)"/).map { String($0.1) } }
    #expect(types == ["execution_started", "next", "completed"], "\(second)")
    #expect(second.status == 0)
  }

  @Test("what a function prints is output of its execution, with secrets masked")
  func printing() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "print", params = {{name = "key", default = "hidden"}}, secrets = {"key"},
          run = function(input)
            print("one", input.key)
            io.stderr:write("two\n")
            return 3
          end}
        """#)
    _ = await folder.call("run", "-d", "print")
    let attached = await folder.call("attach", "1")
    #expect(attached.output == "one\t***\n3\n", "\(attached)")
    #expect(attached.errors == "two\n")
  }

  @Test("ps lists them, cancel ends one, and attach then says so")
  func cancel() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "sleep", run = "echo up; exec sleep 1000"}
        rac.command{name = "other", run = "exec sleep 1000"}
        """#)
    let started = await folder.call("run", "--detach", "--json", "sleep")
    #expect(started.output == "{\"execution\":1,\"command\":\"sleep\"}\n", "\(started)")
    let listed = await folder.call("ps")
    #expect(
      listed.output.replacingDurations() == """
        NUMBER  COMMAND  STATE    SINCE  INPUT
        1       sleep    running  TIME

        """, "\(listed)")
    let json = await folder.call("ps", "--json")
    #expect(json.output.contains(#""executions":[{"id":1,"command":"sleep""#), "\(json)")
    await onThread {
      let attached = Running(folder.launch("attach", "1"))
      attached.waitForOutput("up\n")
      attached.get(signal: SIGINT)
      _ = attached.finish()
    }
    let cancelled = await folder.call("cancel", "1")
    #expect(cancelled.errors == "raclette: cancelling execution 1\n", "\(cancelled)")
    #expect(cancelled.status == 0)
    // It keeps the hub.
    _ = await folder.call("run", "-d", "other")
    let attached = await folder.call("attach", "1")
    #expect(attached.output == "up\n", "\(attached)")
    #expect(attached.errors == "raclette: sleep was cancelled\n", "\(attached)")
    #expect(attached.status == 1)
    let again = await folder.call("cancel", "1")
    #expect(again.errors == "raclette: error: execution 1 has ended\n", "\(again)")
    #expect(again.status == 1)
  }

  @Test("attach says why an execution did not begin")
  func unmet() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "never"}, run = "exit 3"}
        rac.command{name = "use", needs = "db", run = "true"}
        """#)
    _ = await folder.call("run", "-d", "use")
    let attached = await folder.call("attach", "1")
    #expect(
      attached.errors == """
        raclette: not executed: use
        raclette: error: db: the service has ended before it was ready: 'exit 3' exited with \
        status 3

        """, "\(attached)")
    #expect(attached.status == 3)
  }

  @Test("Ctrl-C leaves an execution, which goes on")
  func leaving() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "sleep", run = "echo up; exec sleep 1000"}"#)
    _ = await folder.call("run", "-d", "sleep")
    let attached = await onThread {
      let running = Running(folder.launch("attach", "1"))
      running.waitForOutput("up\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(
      attached.errors == """
        raclette: execution 1 continues; to end it: raclette :cancel 1
        raclette: interrupted

        """, "\(attached)")
    #expect(attached.status == 130)
    let listed = await folder.call("ps")
    #expect(listed.output.contains("1       sleep    running"), "\(listed)")
  }

  @Test("what cannot be detached is an error that says why")
  func refusals() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "ask", confirm = "Sure?", run = "echo yes"}
        rac.command{name = "off", enabled = function() return false, "it is off" end, run = "true"}
        rac.command{name = "sleep", run = "exec sleep 1000"}
        """#)
    let unanswered = await folder.call("run", "-d", "ask")
    #expect(
      unanswered.errors
        == "raclette: error: it asks \"Sure?\", which only --yes answers without a terminal\n")
    #expect(unanswered.status == 2)
    let answered = await folder.call("run", "-d", "--yes", "ask")
    #expect(answered.output == "1\n", "\(answered)")
    let disabled = await folder.call("run", "-d", "off")
    #expect(
      disabled.errors == "raclette: error: the command 'off' is not enabled: it is off\n",
      "\(disabled)")
    #expect(disabled.status == 75)
    let number = await folder.call("run", "-d", "sleep").output.dropLast()
    let busy = await folder.call("run", "-d", "sleep")
    #expect(
      busy.errors
        == "raclette: error: 'sleep' is not enabled: it is executing (number \(number))\n",
      "\(busy)")
    #expect(busy.status == 75)
    let two = await folder.call("run", "-d", "ask", "::", "off")
    #expect(
      two.errors
        == "raclette: error: -d accepts one command, because each detached execution has its own "
        + "number\n")
    #expect(two.status == 2)
    let watched = await folder.call("run", "-d", "--watch=.", "ask")
    #expect(
      watched.errors
        == "raclette: error: --detach and --watch exclude each other: the hub executes the command\n"
    )
    #expect(watched.status == 2)
    let unknown = await folder.call("attach", "9")
    #expect(
      unknown.errors
        == "raclette: error: there is no execution 9, or it is no longer kept\n", "\(unknown)")
    #expect(unknown.status == 2)
  }

  @Test("without a hub, ps says that nothing runs, and nothing is started or made")
  func nothing() async {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "true"}"#)
    let listed = await folder.call("ps")
    #expect(listed.errors == "raclette: nothing is running for \(folder.path)/commands.lua\n")
    #expect(listed.output == "")
    #expect(listed.status == 0)
    let json = await folder.call("ps", "--json")
    #expect(json.output == "{\"hub\":null,\"services\":[],\"executions\":[]}\n", "\(json)")
    for verb in ["attach", "cancel"] {
      let refused = await folder.call(verb, "1")
      #expect(
        refused.errors == """
          raclette: error: no hub is running for \(folder.path)/commands.lua; 'raclette up' and \
          'raclette run -d' start one

          """, "\(refused)")
      #expect(refused.status == 1)
    }
    #expect(!Folder.isThere(folder.path + "/.raclette"))
  }
}
