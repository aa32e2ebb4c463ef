import Platform
import Testing

/// The services that the rounds of `--watch` need.
@Suite("services of a watch", .timeLimit(.minutes(5)))
struct WatchedNeedTests {
  private static let commands = #"""
    rac.env.WORDS = "first " .. (rac.env.WORDS or "")
    rac.command{name = "db", service = true, ready = {line = "up"}, env_file = {{"db.env", optional = true}},
      run = "echo \"$WORDS$NAME\" >>log; echo up; exec sleep 600"}
    rac.command{name = "test", needs = "db", run = "echo tested", watch = "src"}
    """#

  private static func watch(_ folder: HubFolder) -> Running {
    folder.folder.makeFolder("src")
    let watch = Running(folder.launch("--watch", "test"))
    watch.waitForErrors("done; watching src")
    return watch
  }

  /// Changes a file, and waits for the end of the round after it.
  private static func change(
    _ path: String, to text: String, in folder: HubFolder, _ watch: Running, round: Int
  ) {
    folder.folder.write(text, to: path)
    watch.waitForErrors("done; watching src", times: round)
  }

  @Test("they stay up between rounds, also when something else of the command file changes")
  func staying() async {
    let folder = HubFolder(commands: Self.commands)
    let (users, run) = await onThread {
      let watch = Self.watch(folder)
      let users = folder.users
      Self.change("src/a", to: "1", in: folder, watch, round: 2)
      Self.change(
        "commands.lua", to: folder.commands.replacing("echo tested", with: "echo again"),
        in: folder, watch, round: 3)
      Self.change("src/a", to: "2", in: folder, watch, round: 4)
      watch.get(signal: SIGINT)
      return (users, watch.finish())
    }
    #expect(run.output == "tested\ntested\nagain\nagain\n", "\(run)")
    #expect(run.status == 130)
    #expect(users == 1)
    #expect(folder.log == "first \n")
    await onThread { folder.waitForEndOfHub() }
  }

  @Test("one that watches a folder which git ignores is started again only for what changes there")
  func ignoredFolder() async {
    let folder = HubFolder(
      commands: Self.commands.replacing(#", watch = "src""#, with: "")
        .replacing("service = true", with: #"service = true, watch = "gen/**""#))
    for (path, text) in [(".gitignore", "gen/\nlog\n"), ("gen/old", ""), ("in", "")] {
      folder.folder.write(text, to: path)
    }
    let run = await onThread {
      let watch = Running(folder.launch("--watch", "test"))
      watch.waitForErrors("done; watching ")
      folder.folder.write("1", to: "in")
      watch.waitForErrors("done; watching ", times: 2)
      folder.folder.write("1", to: "gen/new")
      watch.waitForErrors("done; watching ", times: 3)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    let changes = run.notes.filter { $0.hasSuffix(" changed") || $0.hasSuffix(" created") }
    #expect(changes == ["in has changed", "gen/new was created"], "\(run)")
    #expect(run.output == "tested\ntested\ntested\n")
    #expect(folder.log == "first \nfirst \n")
    await onThread { folder.waitForEndOfHub() }
  }

  @Test("one whose definition or file of variables has changed is started again")
  func changed() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await onThread {
      let watch = Self.watch(folder)
      Self.change(
        "commands.lua", to: folder.commands.replacing("exec sleep 600", with: "exec sleep 601"),
        in: folder, watch, round: 2)
      Self.change("db.env", to: "NAME=ann\n", in: folder, watch, round: 3)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.output == "tested\ntested\ntested\n", "\(run)")
    #expect(folder.log == "first \nfirst \nfirst ann\n")
  }

  @Test("a signal ends a watch that waits for its hub while it loads the command file again")
  func interrupted() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await onThread {
      let watch = Self.watch(folder)
      let hub = folder.process
      kill(hub, SIGSTOP)
      folder.folder.write(
        folder.commands.replacing("echo tested", with: "echo again"), to: "commands.lua")
      watch.waitForErrors("commands.lua has changed\n")
      watch.waitUntilItIsIdle()
      watch.get(signal: SIGINT)
      watch.waitForErrors("interrupted")
      kill(hub, SIGCONT)
      return watch.finish()
    }
    #expect(run.output == "tested\n", "\(run)")
    #expect(run.status == 130)
    await onThread { folder.waitForEndOfHub() }
  }

  @Test(
    "one that is watched itself is started again once for a change of its file of variables",
    arguments: ["", #"watch = "src","#])
  func watchedItself(watch: String) async {
    let folder = HubFolder(
      commands: Self.commands.replacing("service = true", with: "\(watch) service = true"))
    folder.folder.makeFolder("src")
    folder.folder.write("/log\n/db.env\n", to: ".gitignore")
    await onThread {
      let watch = Running(folder.launch("--watch", "db"))
      for round in 1...2 {
        eventually { folder.log.filter { $0 == "\n" }.count == round }
        watch.waitUntilItIsIdle()
        folder.folder.write("NAME=\(round)\n", to: "db.env")
      }
      eventually { folder.log.hasSuffix("2\n") }
      watch.get(signal: SIGINT)
      _ = watch.finish()
    }
    #expect(folder.log == "first \nfirst 1\nfirst 2\n")
  }

  @Test("one whose file of variables changes during a round is started again before the next")
  func changedMeanwhile() async {
    let folder = HubFolder(
      commands: Self.commands.replacing(
        "echo tested", with: "echo NAME=$(ls src | wc -l) >db.env; echo tested"))
    let run = await onThread {
      folder.folder.makeFolder("src")
      // The file of variables, which the command writes, is not watched itself.
      let watch = Running(folder.launch("--watch=src", "test"))
      watch.waitForErrors("done; watching src")
      Self.change("src/a", to: "1", in: folder, watch, round: 2)
      Self.change("src/b", to: "1", in: folder, watch, round: 3)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.output == "tested\ntested\ntested\n", "\(run)")
    #expect(folder.log == "first \nfirst 0\nfirst 1\n")
  }

  @Test("the processes of a round go on, however late the hub hears of the end of an earlier use")
  func processes() async {
    let folder = HubFolder(
      commands: Self.commands.replacing("echo tested", with: "echo tested; touch go") + #"""
        rac.command{name = "build",
          run = "echo builds; until test -e go; do sleep 0.01; done; echo built"}
        """#)
    folder.folder.makeFolder("src")
    let run = await onThread {
      let watch = Running(folder.launch("--watch=src", "build", ":::", "test"))
      watch.waitForErrors("done; watching src")
      let hub = folder.process
      kill(hub, SIGSTOP)
      folder.folder.remove("go")
      folder.folder.write("NAME=ann\n", to: "db.env")
      folder.folder.write("1", to: "src/a")
      watch.waitForOutput("builds\n", count: 2)
      kill(hub, SIGCONT)
      watch.waitForErrors("; watching src", times: 2)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.output.ranges(of: "built\n").count == 2, "\(run)")
    #expect(!folder.logOfHub.contains("killed run"), "\(folder.logOfHub)")
  }

  @Test("one that no command of the plan needs any more ends with the change of the command file")
  func unneeded() async {
    let folder = HubFolder(commands: Self.commands)
    let (users, run) = await onThread {
      let watch = Self.watch(folder)
      Self.change(
        "commands.lua", to: folder.commands.replacing(#"needs = "db","#, with: ""), in: folder,
        watch, round: 2)
      eventually { folder.users == nil }
      let users = folder.users
      watch.get(signal: SIGINT)
      return (users, watch.finish())
    }
    #expect(run.output == "tested\ntested\n", "\(run)")
    #expect(users == nil)
    #expect(folder.log == "first \n")
  }

  @Test("the files that one watches start it again, and are not all that its users watch")
  func ownFiles() async {
    let folder = HubFolder(
      commands: Self.commands.replacing(#", watch = "src""#, with: "")
        .replacing("service = true", with: #"service = true, watch = "conf""#))
    folder.folder.write("/log\n", to: ".gitignore")
    folder.folder.makeFolder("src")
    let run = await onThread {
      let watch = Running(folder.launch("--watch", "test"))
      watch.waitForErrors("done; watching ., conf")
      folder.folder.write("1", to: "src/a")
      watch.waitForErrors("done; watching ., conf", times: 2)
      folder.folder.write("1", to: "conf")
      watch.waitForErrors("done; watching ., conf", times: 3)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.output == "tested\ntested\ntested\n", "\(run)")
    #expect(folder.log == "first \nfirst \n")
  }

  @Test("they stay up while the command file does not load")
  func broken() async {
    let folder = HubFolder(commands: Self.commands)
    let run = await onThread {
      let watch = Self.watch(folder)
      let commands = folder.commands
      folder.folder.write(commands + "(", to: "commands.lua")
      watch.waitForErrors("watching commands.lua\n")
      Self.change("commands.lua", to: commands, in: folder, watch, round: 2)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.output == "tested\ntested\n", "\(run)")
    #expect(folder.log == "first \n")
  }

  @Test("those of a watch of services stay up, too, while the command file does not load")
  func brokenWithServicesAlone() async {
    let folder = HubFolder(
      commands: Self.commands.replacing("service = true", with: #"service = true, watch = "src""#))
    folder.folder.makeFolder("src")
    let (users, run) = await onThread {
      let watch = Running(folder.launch("--watch", "db"))
      watch.waitForOutput("up\n")
      let commands = folder.commands
      folder.folder.write(commands + "(", to: "commands.lua")
      watch.waitForErrors("watching commands.lua\n")
      let users = folder.users
      folder.folder.write(
        commands.replacing("echo tested", with: "echo again"), to: "commands.lua")
      watch.waitForOutput("up\n", count: 2)
      eventually { folder.users == 1 }
      watch.get(signal: SIGINT)
      return (users, watch.finish())
    }
    #expect(users == 1)
    #expect(folder.log == "first \n", "\(run)")
    #expect(run.status == 130)
  }

  @Test("a watched service starts again with what it needs if the definition of that has changed")
  func changedNeed() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"},
          run = "echo one >>log; echo up; exec sleep 600"}
        rac.command{name = "web", service = true, needs = "db", ready = {line = "up"},
          run = "echo up; exec sleep 600"}
        """#)
    folder.folder.makeFolder("src")
    let run = await onThread {
      let watch = Running(folder.launch("--watch=src", "web"))
      watch.waitForOutput("up\n")
      folder.folder.write(
        folder.commands.replacing("echo one", with: "echo two"), to: "commands.lua")
      watch.waitForErrors("raclette: web is ready\n", times: 2)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(folder.log == "one\ntwo\n", "\(run)")
  }

  @Test("a watched service that fails while the command file does not load is reported")
  func failedMeanwhile() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "web", service = true, watch = "src", ready = {line = "up"},
          run = "echo up; until [ -e die ]; do sleep 0.01; done; rm die; exit 3"}
        """#)
    folder.folder.makeFolder("src")
    let run = await onThread {
      let watch = Running(folder.launch("--watch", "web"))
      watch.waitForErrors("raclette: web is ready\n")
      let commands = folder.commands
      folder.folder.write(commands + "(", to: "commands.lua")
      watch.waitForErrors("watching commands.lua\n")
      folder.folder.write("", to: "die")
      watch.waitForErrors(" exited with status 3\n")
      folder.folder.write(commands, to: "commands.lua")
      watch.waitForErrors("raclette: web is ready\n", times: 2)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(
      run.errors == """
        raclette: web is starting
        raclette: web is ready
        raclette: commands.lua has changed
        raclette: error: commands.lua:2: unexpected symbol near <eof>
        raclette: watching commands.lua
        raclette: error: web: 'echo up; until [ -e die ]; do sleep 0.01; done; rm die; exit…' exited with \
        status 3
        raclette: commands.lua has changed
        raclette: web is starting
        raclette: web is ready
        raclette: interrupted

        """)
  }
}
