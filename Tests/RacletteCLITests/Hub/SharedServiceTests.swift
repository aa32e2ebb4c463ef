import Platform
import Testing

/// Services that the hub runs for all processes of a command file.
@Suite("services of many processes", .timeLimit(.minutes(5)))
struct SharedServiceTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "accepting"},
      run = "sleep 600 & trap 'echo ends >>log; exit' TERM; echo begins >>log; echo accepting; wait"}
    rac.command{name = "app", service = true, needs = "db", ready = {line = "hello"},
      run = "sleep 600 & trap 'echo app ends >>log; exit' TERM; echo app begins >>log; echo hello; wait"}
    rac.command{name = "test", needs = "db", run = "echo tested"}
    rac.command{name = "long", needs = "db", run = "echo longing; exec sleep 600"}
    """#

  @Test("a run starts what it needs, and ends it before it ends itself")
  func alone() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await folder.call("test")
    #expect(run.output == "tested\n")
    #expect(run.errors == "raclette: db is starting\nraclette: db is ready\n")
    #expect(run.status == 0)
    #expect(folder.log == "begins\nends\n")
  }

  @Test("processes share one, also killed ones: it goes with the last")
  func shared() async {
    let folder = HubFolder(commands: Self.commands)
    let outcome = await onThread {
      let first = Running(folder.launch("long"))
      first.waitForOutput("longing\n")
      let second = Running(folder.launch("long"))
      second.waitForOutput("longing\n")
      let begun = folder.log
      kill(first.pid, SIGKILL)
      _ = first.finish()
      let listed = Running(folder.launch("ps")).finish()
      let isUp = folder.log
      kill(second.pid, SIGKILL)
      _ = second.finish()
      eventually { folder.log == "begins\nends\n" }
      return (begun, second.errors, listed.lines, isUp)
    }
    #expect(outcome.0 == "begins\n")
    #expect(outcome.1 == "raclette: db is ready\n")
    #expect(outcome.2.count == 2)
    #expect(outcome.2.last?.hasPrefix("db       ready  ") == true, "\(outcome)")
    #expect(outcome.3 == "begins\n")
  }

  @Test("stays up for what needs what has used it")
  func keptUp() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "migrate", needs = "db", run = "echo migrates >>log"}
        rac.command{name = "seed", needs = "migrate", run = "sleep 0.5; echo seeds >>log"}
        rac.command{name = "all", needs = "seed", run = function() return rac.sh("echo all >>log") end}
        rac.command{name = "calls", run = function() return rac.commands.all:execute() end}
        """#)
    #expect(await folder.call("all").status == 0)
    #expect(folder.log == "begins\nmigrates\nseeds\nall\nends\n")
    #expect(await folder.call("calls").status == 0)
    #expect(
      folder.log == String(repeating: "begins\nmigrates\nseeds\nall\nends\n", count: 2))
  }

  @Test("what a service and a command beside it need is executed once")
  func sharedNeed() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "build", sources = "in", outputs = "out",
          run = "echo runs >>log; sleep 0.3; cp in out"}
        rac.command{name = "web", service = true, needs = "build", ready = {line = "up"},
          run = "echo up; exec sleep 600"}
        rac.command{name = "unit", needs = "build", run = "true"}
        rac.command{name = "e2e", needs = "web", run = "true"}
        rac.command{name = "ci", needs = {"unit", "e2e"}}
        """#)
    folder.folder.write("1", to: "in")
    #expect(await folder.call("ci").status == 0)
    #expect(folder.log == "runs\n")
    #expect(await folder.call("explain", "build").output == "build: up to date\n")
  }

  @Test("--watch starts a service again that others use, and not what that needs")
  func watched() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "web", service = true, needs = "db", watch = "page", ready = {line = "serves"},
          run = "echo serves $(cat page); exec sleep 600"}
        """#)
    folder.folder.write("one", to: "page")
    #expect(await folder.call("up", "-d", "web").status == 0)
    await onThread {
      let watching = Running(folder.launch("--watch", "web"))
      watching.waitForOutput("serves one\n")
      folder.folder.write("two", to: "page")
      watching.waitForOutput("serves two\n")
      watching.get(signal: SIGINT)
      _ = watching.finish()
    }
    #expect(await folder.call("logs", "web", "-n", "1").output == "serves two\n")
    #expect(folder.log == "begins\n")
    #expect(await folder.call("down").status == 0)
  }

  @Test("--watch starts a service again that only a service needs")
  func watchedBehind() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, watch = "schema", ready = {line = "has"},
          run = "echo db $(cat schema) >>log; echo has; exec sleep 600"}
        rac.command{name = "web", service = true, needs = "db", ready = {line = "serves"},
          run = "echo web >>log; echo serves; exec sleep 600"}
        rac.command{name = "test", needs = "web", watch = "code", run = "echo tests"}
        """#)
    folder.folder.write("one", to: "schema")
    folder.folder.write("", to: "code")
    #expect(await folder.call("up", "-d", "web").status == 0)
    let run = await onThread {
      let watching = Running(folder.launch("--watch", "test"))
      watching.waitForErrors("watching code, schema\n")
      folder.folder.write("two", to: "schema")
      watching.waitForOutput("tests\n", count: 2)
      eventually { folder.log == "db one\nweb\ndb two\n" }
      watching.get(signal: SIGINT)
      return watching.finish()
    }
    #expect(folder.log == "db one\nweb\ndb two\n", "\(run)")
    #expect(await folder.call("down").status == 0)
  }

  @Test("--watch starts a service again whose file changes together with the command file")
  func changedTogether() async {
    @Sendable func text(_ word: String) -> String {
      #"""
      rac.command{name = "web", service = true, watch = "page", ready = {line = "serves"},
        run = "echo web $(cat page) >>log; echo serves; exec sleep 600"}
      rac.command{name = "test", needs = "web", watch = "code", run = "echo tests \#(word)"}
      """#
    }
    let folder = HubFolder(commands: text("one"))
    for file in ["page", "code"] { folder.folder.write("one", to: file) }
    #expect(await folder.call("up", "-d", "web").status == 0)
    let run = await onThread {
      let watching = Running(folder.launch("--watch", "test"))
      watching.waitForErrors("watching code, page\n")
      folder.folder.write("two", to: "page")
      folder.folder.write(text("two"), to: "commands.lua")
      watching.waitForOutput("tests two\n")
      eventually { folder.log == "web one\nweb two\n" }
      watching.get(signal: SIGINT)
      return watching.finish()
    }
    #expect(folder.log == "web one\nweb two\n", "\(run)")
    #expect(await folder.call("down").status == 0)
  }

  @Test("the processes of a killed user are ended, also those that it has not started itself")
  func killedUser() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "family", needs = "db", run = "exec 3<>lives; sleep 600 & echo up; wait"}
        """#)
    let lives = Lives(folder.folder.makePipe("lives"))
    await onThread {
      let user = Running(folder.launch("family"))
      user.waitForOutput("up\n")
      kill(user.pid, SIGKILL)
      _ = user.finish()
      lives.waitForEnd()
      eventually { folder.log == "begins\nends\n" }
    }
  }

  @Test("the processes of a killed user are ended, also those from before it used a service")
  func earlierProcesses() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "family", run = "exec 3<>lives; sleep 600 & touch up; wait"}
        rac.command{name = "later", run = function()
          rac.exec{"sh", "-c", "until test -e up; do sleep 0.01; done"}:wait()
          return rac.commands.long:execute()
        end}
        """#)
    let lives = Lives(folder.folder.makePipe("lives"))
    await onThread {
      let user = Running(folder.launch("family", ":::", "later"))
      user.waitForOutput("longing\n")
      kill(user.pid, SIGKILL)
      _ = user.finish()
      lives.waitForEnd()
      eventually { folder.log == "begins\nends\n" }
    }
  }

  @Test("up holds services and shows what they print, and Ctrl-C lets go of them in order")
  func up() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await onThread {
      let running = Running(folder.launch("up"))
      running.waitForErrors("app is ready\n")
      running.waitForOutput("hello\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.lines.sorted() == ["app | hello", "db  | accepting"], "\(run)")
    // The hub may have started it for the other one before it is used here.
    let lines = run.errorLines.filter { $0 != "raclette: db is starting" }
    #expect(
      lines.sorted() == [
        "raclette: app is ready", "raclette: app is starting", "raclette: db is ready",
        "raclette: interrupted",
      ], "\(run)")
    #expect(run.status == 130)
    #expect(folder.log == "begins\napp begins\napp ends\nends\n")
  }

  @Test("up -d holds until down, restart and logs take a name, and users of what ends say why")
  func held() async {
    let folder = HubFolder(commands: Self.commands)
    let up = await folder.call("up", "-d", "db")
    #expect(
      up.errors == """
        raclette: db is starting
        raclette: db is ready
        raclette: db is held until 'raclette down'

        """, "\(up)")
    let used = await folder.call("test")
    #expect(used.output == "tested\n")
    #expect(folder.log == "begins\n")
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n", "\(restarted)")
    let ended = await onThread {
      let running = Running(folder.launch("long"))
      running.waitForOutput("longing\n")
      let down = Running(folder.launch("down")).finish()
      return (down, running.finish())
    }
    #expect(ended.0.errors == "raclette: db has ended\n", "\(ended)")
    #expect(
      ended.1.errorLines.last
        == "raclette: error: long: 'db' failed: the service has ended while it was used: "
        + "'raclette down' has ended it", "\(ended)")
    #expect(ended.1.status == 1)
    #expect(folder.log == "begins\nends\nbegins\nends\n")
    #expect(await folder.logs("db") == "accepting\n--- started TIME ---\naccepting\n")
    let last = await folder.call("logs", "-n", "1", "db")
    #expect(last.output == "accepting\n")
    // Something else keeps the hub.
    _ = await folder.call("up", "-d", "db")
    let again = await folder.call("down", "app")
    #expect(again.errors == "raclette: error: 'app' is not up\n", "\(again)")
    #expect(again.status == 2)
  }

  @Test("up says who has ended a service, and fails if one is not ready in time")
  func told() async {
    let folder = HubFolder(
      commands: Self.commands + """

        rac.command{name = "mute", service = true, ready = {line = "never"}, ready_timeout = 3,
          run = "exec sleep 600"}
        """)
    let run = await onThread {
      let running = Running(folder.launch("up", "db"))
      running.waitForErrors("db is ready\n")
      _ = Running(folder.launch("down", "db")).finish()
      return running.finish()
    }
    #expect(
      run.errors == """
        raclette: db is starting
        raclette: db is ready
        raclette: error: db: 'raclette down' has ended it

        """)
    #expect(run.status == 1)
    let mute = await folder.call("up", "mute")
    #expect(
      mute.errorLines.last
        == "raclette: error: mute: the service was not ready within 3 s: it has not printed 'never'"
    )
    #expect(mute.status == 124)
  }

  @Test("attach says why an execution has ended whose service was ended")
  func attached() async {
    let folder = HubFolder(commands: Self.commands)
    let attached = await onThread {
      _ = Running(folder.launch("run", "-d", "long")).finish()
      let attached = Running(folder.launch("attach", "1"))
      attached.waitForOutput("longing\n")
      _ = Running(folder.launch("down")).finish()
      return attached.finish()
    }
    #expect(
      attached.errors == """
        raclette: error: long: 'db' failed: the service has ended while it was used: \
        'raclette down' has ended it

        """)
    #expect(attached.status == 1)
  }

  @Test("up says that the hub has ended a service, and starts no other hub")
  func endOfHub() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await onThread {
      let running = Running(folder.launch("up", "db"))
      running.waitForErrors("db is ready\n")
      kill(folder.process, SIGTERM)
      return running.finish()
    }
    #expect(
      run.errors == """
        raclette: db is starting
        raclette: db is ready
        raclette: error: db: its hub has ended

        """)
    #expect(run.status == 1)
    #expect(folder.logOfHub.ranges(of: "started for").count == 1, "\(folder.logOfHub)")
  }

  @Test("what is not a service, and what is missing, is an error")
  func refusals() async {
    let folder = HubFolder(commands: Self.commands)
    let command = await folder.call("up", "test")
    #expect(
      command.errors == "raclette: error: 'test' is not a service; 'raclette test' executes it\n")
    let unknown = await folder.call("up", "dv")
    #expect(
      unknown.errors
        == "raclette: error: unknown service 'dv' in commands.lua; did you mean 'db'?\n")
    let logs = await folder.call("logs", "db")
    #expect(logs.errors == "raclette: error: 'db' has printed nothing: it was not started yet\n")
    for run in [command, unknown, logs] { #expect(run.status == 2) }
    #expect(!Folder.isThere(folder.path + "/.raclette"))
  }

  @Test("a user survives the kill of its hub, and what that has left is ended")
  func killedHub() async {
    let folder = HubFolder(commands: Self.commands)
    let outcome = await onThread {
      let running = Running(folder.launch("long"))
      running.waitForOutput("longing\n")
      kill(folder.process, SIGKILL)
      running.waitForErrors("raclette: db is ready\n", times: 2)
      let listed = Running(folder.launch("ps")).finish()
      running.get(signal: SIGINT)
      return (running.finish(), listed.lines.count)
    }
    #expect(outcome.1 == 2)
    #expect(outcome.0.output == "longing\n")
    #expect(outcome.0.status == 130)
    #expect(
      outcome.0.errors.contains("raclette: db is restarting: its hub was killed\n"),
      "\(outcome)")
    #expect(outcome.0.errors.contains("raclette: ended what a killed hub had left running: "))
  }

  @Test("a changed definition counts from a restart on, and users go on")
  func changed() async {
    let folder = HubFolder(commands: Self.commands)
    let outcome = await onThread {
      let running = Running(folder.launch("long"))
      running.waitForOutput("longing\n")
      folder.folder.write(
        Self.commands.replacing("echo begins >>log", with: "echo new begins >>log"),
        to: "commands.lua")
      let listed = Running(folder.launch("ps")).finish()
      let second = Running(folder.launch("test")).finish()
      let between = folder.log
      _ = Running(folder.launch("restart", "db")).finish()
      running.waitForErrors("raclette: db is ready\n", times: 2)
      let after = Running(folder.launch("ps")).finish()
      running.get(signal: SIGINT)
      return (listed.errors, second.output, between, after.errors, running.finish().status)
    }
    #expect(
      outcome.0 == """
        raclette: db runs with an earlier definition; to use the current one: raclette :restart db

        """)
    #expect(outcome.1 == "tested\n")
    #expect(outcome.2 == "begins\n")
    #expect(outcome.3 == "")
    #expect(outcome.4 == 130)
    #expect(folder.log == "begins\nends\nnew begins\nends\n")
  }
}
