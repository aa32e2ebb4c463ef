import Platform
import Testing

/// Services that are started again with a changed definition, and who is there meanwhile.
@Suite("services whose definition is changed", .timeLimit(.minutes(5)))
struct ChangedServiceTests {
  /// It ends once there is a file `go`. What the shell waits for is there before anybody is told, so that
  /// a signal to the group reaches it; one that comes before it is `sleep` is lost, unless it is KILL. The
  /// shell does not end with that, as its own signal may come later.
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "accepting"},
      run = function() return rac.exec{"sh", "-c", "trap 'echo ends >>log; \
        while ! test -e go; do sleep 0.01; done; kill -9 $!; exit' TERM; \
        sleep 600 & echo begins >>log; echo accepting; while :; do wait; done", grace = 300} end}
    rac.command{name = "test", needs = "db", run = "echo tested"}
    """#
  private static let changed = commands.replacing("echo begins", with: "echo new begins")

  /// Holds a service, and begins to start it again with a changed definition.
  private static func restart(in folder: HubFolder) -> Running {
    _ = Running(folder.launch("up", "-d", "db")).finish()
    folder.folder.write(changed, to: "commands.lua")
    let restart = Running(folder.launch("restart", "db"))
    eventually { folder.log == "begins\nends\n" }
    return restart
  }

  @Test("who comes while it ends waits for the new one")
  func coming() async {
    let folder = HubFolder(commands: Self.commands)
    let (restarted, tested) = await onThread {
      let restart = Self.restart(in: folder)
      let test = Running(folder.launch("test"))
      test.waitForErrors("raclette: db is restarting\n")
      folder.folder.write("", to: "go")
      return (restart.finish(), test.finish())
    }
    #expect(restarted.errors == "raclette: db has restarted\n")
    #expect(tested.output == "tested\n", "\(tested)")
    #expect(folder.log == "begins\nends\nnew begins\n")
  }

  @Test("who needs it while it ends because nobody does takes the new one")
  func needingEnding() async {
    let folder = HubFolder(commands: Self.commands)
    let (first, second) = await onThread {
      let first = Running(folder.launch("test"))
      eventually { folder.log == "begins\nends\n" }
      folder.folder.write(Self.changed, to: "commands.lua")
      let second = Running(folder.launch("test"))
      eventually { folder.users == 1 }
      folder.folder.write("", to: "go")
      return (first.finish(), second.finish())
    }
    #expect(first.output == "tested\n")
    #expect(second.output == "tested\n", "\(second)")
    #expect(folder.log == "begins\nends\nnew begins\nends\n")
  }

  @Test(
    "who begins to use one with an earlier definition is told, and who uses it, without its input")
  func outdated() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "use", needs = "db", params = {{name = "password"}}, secrets = {"password"},
          run = "exec sleep 600"}
        """#)
    let (pid, tested, watched) = await onThread {
      let user = Running(folder.launch("use", "hunter2"))
      user.waitForErrors("raclette: db is ready\n")
      let watch = Running(folder.launch("run", "--watch", "test"))
      watch.waitForOutput("tested\n")
      folder.folder.write(
        folder.commands.replacing("echo begins", with: "echo new begins"), to: "commands.lua")
      watch.waitForOutput("tested\n", count: 2)
      watch.get(signal: SIGINT)
      let watched = watch.finish()
      let tested = Running(folder.launch("test")).finish()
      folder.folder.write("", to: "go")
      user.get(signal: SIGINT)
      _ = user.finish()
      return (user.pid, tested, watched)
    }
    let remark = """
      raclette: db runs with an earlier definition, because 'raclette use' (pid \(pid)) uses it; \
      to use the current one: raclette :restart db

      """
    #expect(tested.errors == remark + "raclette: db is ready\n")
    #expect(watched.errors.contains(remark), "\(watched)")
  }

  @Test("who follows it follows the new one")
  func following() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "follow", run = function() return rac.commands.db.ready end}
        """#)
    folder.folder.write("", to: "go")
    let (followed, shown) = await onThread {
      _ = Running(folder.launch("up", "-d", "db")).finish()
      let follow = Running(folder.launch("follow"))
      follow.waitForOutput("true\n")
      let show = Running(folder.launch("db"))
      show.waitForOutput("accepting\n")
      folder.folder.write(
        folder.commands.replacing("echo begins", with: "echo new begins"), to: "commands.lua")
      _ = Running(folder.launch("restart", "db")).finish()
      follow.waitForOutput("true\n", count: 2)
      show.waitForOutput("accepting\n", count: 2)
      for client in [follow, show] { client.get(signal: SIGINT) }
      return (follow.finish(), show.finish())
    }
    #expect(followed.output == "true\nfalse\ntrue\n", "\(followed)")
    #expect(shown.output == "accepting\naccepting\n", "\(shown)")
  }

  @Test("--watch takes the new one, however late the hub hears that the earlier run has ended")
  func watching() async {
    let use = #"""
      rac.command{name = "use", needs = "db", watch = "src", run = "echo uses; exec sleep 600"}
      """#
    let folder = HubFolder(commands: Self.commands + use)
    folder.folder.makeFolder("src")
    folder.folder.write("", to: "go")
    let run = await onThread {
      let run = Running(folder.launch("--watch", "use"))
      run.waitForOutput("uses\n")
      let hub = folder.process
      kill(hub, SIGSTOP)
      folder.folder.write(Self.changed + use, to: "commands.lua")
      run.waitForErrors("commands.lua has changed\n")
      run.waitUntilItIsIdle()
      kill(hub, SIGCONT)
      run.waitForOutput("uses\n", count: 2)
      run.get(signal: SIGINT)
      return run.finish()
    }
    #expect(run.status == 130, "\(run)")
    #expect(folder.log == "begins\nends\nnew begins\nends\n")
  }

  @Test("who needs it while 'down' ends it has it started again")
  func needingEnded() async {
    let folder = HubFolder(commands: Self.commands)
    let (ended, tested) = await onThread {
      _ = Running(folder.launch("up", "-d", "db")).finish()
      let down = Running(folder.launch("down"))
      eventually { folder.log == "begins\nends\n" }
      let test = Running(folder.launch("test"))
      eventually { folder.users == 1 }
      folder.folder.write("", to: "go")
      return (down.finish(), test.finish())
    }
    #expect(ended.errors == "raclette: db has ended\n")
    #expect(tested.errors == "raclette: db is starting\nraclette: db is ready\n")
    #expect(tested.output == "tested\n")
    #expect(folder.log == "begins\nends\nbegins\nends\n")
  }

  @Test("'ps' knows the definitions that the command file and its modules have at that moment")
  func present() async {
    let folder = HubFolder(commands: #"require "services""#)
    let outdated =
      "raclette: db runs with an earlier definition; to use the current one: raclette :restart db\n"
    folder.folder.write("", to: "go")
    folder.folder.write(Self.commands, to: "services.lua")
    _ = await folder.call("up", "-d", "db")
    folder.folder.write(Self.changed, to: "services.lua")
    #expect(await folder.call("ps").errors == outdated)
    folder.folder.write(Self.commands, to: "commands.lua")
    #expect(await folder.call("ps").errors == "")
    folder.folder.write(Self.changed, to: "commands.lua")
    #expect(await folder.call("ps").errors == outdated)
  }

  @Test("'down' while it ends is the end of it")
  func down() async {
    let folder = HubFolder(commands: Self.commands)
    let (restarted, ended) = await onThread {
      let restart = Self.restart(in: folder)
      let down = Running(folder.launch("down"))
      eventually { folder.logOfHub.contains(" down\n") }
      folder.folder.write("", to: "go")
      return (restart.finish(), down.finish())
    }
    #expect(ended.errors == "raclette: db has ended\n")
    #expect(
      restarted.errors == """
        raclette: error: 'db' failed: 'raclette down' has ended it; raclette :logs db shows what it \
        has printed

        """)
    #expect(restarted.status == 1)
    #expect(folder.log == "begins\nends\n")
  }

  @Test("a restart while 'down' ends it is the later order, and both are answered")
  func restartOfEnding() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "web", service = true, needs = "db", ready = {line = "serves"},
          run = function() return rac.exec{"sh", "-c",
            "trap 'while ! test -e go; do sleep 0.01; done; kill -9 $!; exit' TERM; sleep 600 & echo serves; wait",
            grace = 300} end}
        """#)
    let (user, ended, restarted) = await onThread {
      let user = Running(folder.launch("up", "web"))
      user.waitForErrors("web is ready\n")
      let down = Running(folder.launch("down"))
      eventually { folder.logOfHub.contains("web: ending") }
      let restart = Running(folder.launch("restart", "web"))
      user.waitForErrors("web is restarting\n")
      folder.folder.write("", to: "go")
      let outcomes = (down.finish(), restart.finish())
      user.get(signal: SIGINT)
      return (user.finish(), outcomes.0, outcomes.1)
    }
    #expect(restarted.errors == "raclette: web has restarted\n")
    #expect(ended.status == 0 && !ended.errors.contains("has ended"), "\(ended)")
    #expect(user.status == 130)
    #expect(folder.log == "begins\nends\n")
  }

  @Test("a restart while 'down' ends it holds it if it has no users")
  func restartOfHeld() async {
    let folder = HubFolder(commands: Self.commands)
    let (ended, restarted) = await onThread {
      _ = Running(folder.launch("up", "-d", "db")).finish()
      let down = Running(folder.launch("down"))
      eventually { folder.log == "begins\nends\n" }
      let restart = Running(folder.launch("restart", "db"))
      eventually { folder.logOfHub.contains(" restart db\n") }
      folder.folder.write("", to: "go")
      return (down.finish(), restart.finish())
    }
    #expect(restarted.errors.hasPrefix("raclette: db has restarted"), "\(restarted)")
    #expect(ended.status == 0 && !ended.errors.contains("has ended"), "\(ended)")
    let shown = await folder.call("ps")
    #expect(shown.output.contains("ready"), "\(shown)")
    #expect(folder.log == "begins\nends\nbegins\n")
    #expect(await folder.call("down").status == 0)
  }

  @Test("a hub that is ended meanwhile ends its users, too, and none follows it")
  func endOfHub() async {
    let folder = HubFolder(
      commands: Self.commands
        + #"rac.command{name = "use", needs = "db", run = "echo used; sleep 600"}"#)
    let (user, restarted) = await onThread {
      let user = Running(folder.launch("use"))
      user.waitForOutput("used\n")
      folder.folder.write(Self.changed, to: "commands.lua")
      let restart = Running(folder.launch("restart", "db"))
      eventually { folder.log == "begins\nends\n" }
      kill(folder.process, SIGTERM)
      folder.folder.write("", to: "go")
      return (user.finish(), restart.finish())
    }
    #expect(user.status != 0 && restarted.status != 0, "\(user) \(restarted)")
    #expect(folder.log == "begins\nends\n")
  }

  @Test("a definition of the same size and time is the changed one, too")
  func keptTime() async {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.write("", to: "go")
    folder.folder.write(Self.commands.replacing("echo begins", with: "echo BEGINS"), to: "next.lua")
    _ = await shell("touch -d 2026-01-01 commands.lua next.lua", in: folder.folder)
    #expect(await folder.call("up", "-d", "db").status == 0)
    _ = await shell("cp -p next.lua commands.lua", in: folder.folder)
    #expect(await folder.call("restart", "db").status == 0)
    #expect(await folder.call("down").status == 0)
    #expect(folder.log == "begins\nends\nBEGINS\nends\n")
  }

  @Test("who has waited in vain for it goes on with the new one")
  func waiting() async {
    let folder = HubFolder(
      commands: Self.commands.replacing(#"{line = "accepting"}"#, with: #"{line = "nothing"}"#))
    folder.folder.write("", to: "go")
    let (restarted, tested) = await onThread {
      let test = Running(folder.launch("test"))
      test.waitForErrors("db is starting\n")
      eventually { folder.log == "begins\n" }
      folder.folder.write(Self.changed, to: "commands.lua")
      return (Running(folder.launch("restart", "db")).finish(), test.finish())
    }
    #expect(restarted.errors == "raclette: db has restarted\n")
    #expect(tested.output == "tested\n", "\(tested)")
    #expect(await onThread { eventually { folder.log == "begins\nends\nnew begins\nends\n" } })
  }
}
