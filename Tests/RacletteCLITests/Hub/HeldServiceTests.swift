import Platform
import Testing

/// Services that are held behind the terminal, and started again.
@Suite("held services", .timeLimit(.minutes(5)))
struct HeldServiceTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "accepting"},
      run = "echo begins >>log; echo accepting; exec sleep 600"}
    rac.command{name = "bad", service = true, ready = {line = "hello"},
      run = "echo oops; test -e good || exit 3; echo hello; sleep 600"}
    rac.command{name = "plain", service = true, run = "exec sleep 600"}
    """#

  private static let reason =
    "'echo oops; test -e good || exit 3; echo hello; sleep 600' exited with status 3"

  @Test("up -d says what it waits for, and does not hold what fails; ps says why")
  func up() async {
    let folder = HubFolder(commands: Self.commands)
    let up = await folder.call("up", "-d")
    // They start at the same time.
    let news = [
      "raclette: bad is starting", "raclette: db is ready", "raclette: db is starting",
      "raclette: plain is starting; without 'ready', Raclette cannot detect when it is ready",
    ]
    #expect(up.errorLines.filter(news.contains).sorted() == news, "\(up)")
    #expect(
      up.errorLines.filter { !news.contains($0) } == [
        "raclette: error: bad: the service has ended before it was ready: \(Self.reason)",
        "  oops",
        "raclette: db is held until 'raclette down'",
        "raclette: plain is held until 'raclette down'",
      ], "\(up)")
    #expect(up.status == 1)
    let listed = await folder.call("ps")
    let states = listed.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(states.sorted() == ["SERVICE STATE", "bad failed", "db ready", "plain starting"])
    #expect(listed.output.contains(Self.reason + "\n"), "\(listed)")
    let down = await folder.call("down")
    #expect(
      down.errorLines.sorted() == [
        "raclette: bad had already failed", "raclette: db has ended", "raclette: plain has ended",
      ], "\(down)")
    let empty = await folder.call("ps")
    #expect(empty.errors == "raclette: nothing is running for \(folder.path)/commands.lua\n")
  }

  @Test("up -d does not hold what is ended while it waits for others")
  func endedMeanwhile() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "slow", service = true, ready = {line = "never"}, run = "exec sleep 600"}
        rac.command{name = "quick", service = true, ready = {line = "up"},
          run = "echo up; exec sleep 600"}
        """#)
    let (up, down) = await onThread {
      let up = Running(folder.launch("up", "-d", "slow", "quick"))
      eventually { Running(folder.launch("ps")).finish().output.contains(" ready ") }
      let down = Running(folder.launch("down")).finish()
      return (up.finish(), down)
    }
    #expect(
      down.errorLines.sorted() == ["raclette: quick has ended", "raclette: slow has ended"],
      "\(down)")
    #expect(
      up.errorLines.suffix(2) == [
        "raclette: error: slow: the service has ended before it was ready: 'raclette down' has "
          + "ended it",
        "raclette: error: 'quick' is not held: 'raclette down' has ended it",
      ], "\(up)")
    #expect(up.status == 1)
    #expect(
      await folder.call("ps").errors
        == "raclette: nothing is running for \(folder.path)/commands.lua\n")
  }

  @Test("up -d does not hold what fails while it waits for others")
  func failedMeanwhile() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "quick", service = true, ready = {line = "up"},
          run = "echo up; until test -e go; do sleep 0.01; done; exit 7"}
        rac.command{name = "slow", service = true, ready = {line = "up"},
          run = "until test -e ready; do sleep 0.01; done; echo up; exec sleep 600"}
        """#)
    let up = await onThread {
      let up = Running(folder.launch("up", "-d"))
      up.waitForErrors("raclette: quick is ready\n")
      folder.folder.write("", to: "go")
      eventually { folder.logOfHub.contains(" quick: failed: ") }
      folder.folder.write("", to: "ready")
      return up.finish()
    }
    #expect(
      up.errorLines.suffix(3) == [
        "raclette: slow is ready",
        "raclette: error: 'quick' is not held: 'echo up; until test -e go; do sleep 0.01; done; exit "
          + "7' exited with status 7",
        "raclette: slow is held until 'raclette down'",
      ], "\(up)")
    #expect(up.status == 1)
    let listed = await folder.call("ps", "--json").output
    #expect(listed.ranges(of: "\"held\":true").count == 1, "\(listed)")
  }

  @Test("a service without ready fails if it ends at once")
  func dead() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "dead", service = true, run = "exit 3"}"#)
    let up = await folder.call("up", "-d")
    #expect(
      up.errors == """
        raclette: dead is starting; without 'ready', Raclette cannot detect when it is ready
        raclette: error: dead: the service has ended before it had run for a second: 'exit 3' \
        exited with status 3

        """, "\(up)")
    #expect(up.status == 3)
    let restarted = await folder.call("restart", "dead")
    #expect(
      restarted.errors == """
        raclette: error: 'dead' failed: 'exit 3' exited with status 3; raclette :logs dead shows \
        what it has printed

        """, "\(restarted)")
    #expect(restarted.status == 3)
  }

  @Test("a service without ready is said to have none")
  func unprobed() async {
    let folder = HubFolder(commands: Self.commands)
    let (up, listed) = await onThread {
      let up = Running(folder.launch("up", "plain"))
      up.waitForErrors("\n")
      eventually { Running(folder.launch("ps")).finish().output.contains(" starting ") }
      let listed = Running(folder.launch("ps")).finish()
      up.get(signal: SIGINT)
      return (up.finish(), listed)
    }
    #expect(
      up.errorLines.first
        == "raclette: plain is starting; without 'ready', Raclette cannot detect when it is ready",
      "\(up)")
    #expect(listed.lines.last?.hasSuffix("  none: it has no 'ready'") == true, "\(listed)")
  }

  @Test("restart goes by the ready of the present definition")
  func changedReady() async {
    let definition = { (ready: String) in
      #"rac.command{name = "db", service = true, \#(ready) run = "echo up; exec sleep 600"}"#
    }
    let folder = HubFolder(commands: definition("ready = {line = 'up'},"))
    _ = await folder.call("up", "-d")
    folder.folder.write(definition(""), to: "commands.lua")
    let unprobed = await folder.call("restart", "db")
    #expect(unprobed.errors == "raclette: db has restarted\n", "\(unprobed)")
    #expect(unprobed.status == 0)
    folder.folder.write(
      definition("ready = {line = 'never'}, ready_timeout = 0.1,"), to: "commands.lua")
    let late = await folder.call("restart", "db")
    #expect(
      late.errors == """
        raclette: error: 'db' failed: the service was not ready within 0.1 s: it has not printed \
        'never'; raclette :logs db shows what it has printed

        """, "\(late)")
    #expect(late.status == 124)
  }

  @Test("restart and logs take several services")
  func several() async {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.write("", to: "good")
    _ = await folder.call("up", "-d", "db", "bad")
    let restarted = await folder.call("restart", "bad", "db", "bad")
    #expect(
      restarted.errors == """
        raclette: bad has restarted
        raclette: db has restarted

        """, "\(restarted)")
    #expect(restarted.status == 0)
    let logs = await folder.call("logs", "-n", "1", "db", "bad")
    #expect(logs.output == "db  | accepting\nbad | hello\n", "\(logs)")
    let all = await folder.call("logs", "-n", "1")
    #expect(all.output == "bad | hello\ndb  | accepting\n", "\(all)")
    let file = await folder.call("logs", "-f", "other.lua")
    #expect(
      file.errors
        == "raclette: error: 'other.lua' is not a service; -f is --follow here, and --file=other.lua names a command file\n"
    )
    #expect(file.status == 2)
    let refused = await folder.call("logs", "db", "plain")
    #expect(refused.output == "")
    #expect(
      refused.errors
        == "raclette: error: 'plain' has printed nothing: it was not started yet\n", "\(refused)")
    #expect(refused.status == 2)
  }

  @Test("restart starts what has failed, holds it, and waits until it is ready")
  func failed() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "bad")
    let again = await folder.call("restart", "bad")
    #expect(
      again.errors == """
        raclette: error: 'bad' failed: \(Self.reason); raclette :logs bad shows what it has printed

        """, "\(again)")
    #expect(again.status == 3)
    folder.folder.write("", to: "good")
    let held = await folder.call("restart", "bad")
    #expect(held.errors == "raclette: bad has restarted, and is held until 'raclette down'\n")
    #expect(held.status == 0)
    let listed = await folder.call("ps")
    #expect(listed.lines.last?.hasPrefix("bad      ready  ") == true, "\(listed)")
    let second = await folder.call("restart", "bad")
    #expect(second.errors == "raclette: bad has restarted\n", "\(second)")
    let other = await folder.call("restart", "db")
    #expect(other.errors == "raclette: error: 'db' is not up\n")
    #expect(other.status == 2)
    let start = "--- started TIME ---\n"
    #expect(
      await folder.logs("bad")
        == "oops\n\(start)oops\n\(start)oops\nhello\n\(start)oops\nhello\n")
  }

  @Test("restart of a service with an earlier definition lists it once")
  func changed() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "db")
    folder.folder.write(
      Self.commands.replacing("echo begins", with: "echo new begins"), to: "commands.lua")
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n", "\(restarted)")
    #expect(folder.log == "begins\nnew begins\n")
    let listed = await folder.call("ps")
    #expect(listed.lines.count == 2, "\(listed)")
    #expect(listed.lines.last?.hasPrefix("db       ready  ") == true, "\(listed)")
    #expect(listed.errors == "")
  }

  @Test("restart to a definition that fails lists the failure alone")
  func changedToFailing() async {
    let folder = HubFolder(commands: Self.commands)
    // The other service keeps the earlier definitions.
    _ = await folder.call("up", "-d", "db", "plain")
    folder.folder.write(
      Self.commands.replacing("echo accepting; exec sleep 600", with: "exit 3"), to: "commands.lua")
    let restarted = await folder.call("restart", "db")
    #expect(
      restarted.errors == """
        raclette: error: 'db' failed: 'echo begins >>log; exit 3' exited with status 3; \
        raclette :logs db shows what it has printed

        """, "\(restarted)")
    let listed = await folder.call("ps")
    let states = listed.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(states.sorted() == ["SERVICE STATE", "db failed", "plain starting"], "\(listed)")
    #expect(listed.errors == "")
  }

  @Test("ps advises nothing that is refused")
  func advice() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "db")
    folder.folder.write(
      Self.commands.replacing("name = \"db\"", with: "name = \"store\""), to: "commands.lua")
    #expect(
      await folder.call("ps").errors == """
        raclette: db runs with an earlier definition: the command file no longer defines it; \
        to end it: raclette :down db

        """)
    folder.folder.write("rac.command{name = ", to: "commands.lua")
    let broken = await folder.call("ps")
    #expect(
      broken.errors.hasPrefix(
        "raclette: the hub keeps the previous definitions: \(folder.path)/commands.lua:1: "),
      "\(broken)")
    #expect(broken.errorLines.count == 1)
    #expect(await folder.call("down", "db").errors == "raclette: db has ended\n")
  }

  @Test("only a service whose own definition was changed is outdated")
  func outdated() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "db", "plain")
    folder.folder.write(
      "-- a comment\n" + Self.commands.replacing("echo begins", with: "echo new begins"),
      to: "commands.lua")
    let listed = await folder.call("ps")
    #expect(
      listed.errors == """
        raclette: db runs with an earlier definition; to use the current one: raclette :restart db

        """)
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n")
    #expect(await folder.call("ps").errors == "")
  }

  @Test("a service goes on as it is where a restart finds no present definition")
  func unfound() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "db")
    folder.folder.write("rac.command{name = ", to: "commands.lua")
    let broken = await folder.call("restart", "db")
    #expect(
      broken.errors.hasPrefix("raclette: error: 'db' keeps running unchanged: ")
        && broken.errors.contains("commands.lua:1: "), "\(broken)")
    #expect(broken.status == 3)
    folder.folder.write("", to: "commands.lua")
    let gone = await folder.call("restart", "db")
    #expect(
      gone.errors == """
        raclette: error: 'db' keeps running unchanged: the command file no longer defines it; \
        to end it: raclette :down db

        """)
    #expect(gone.status == 2)
    #expect(folder.log == "begins\n")
    #expect(await folder.call("down", "db").errors == "raclette: db has ended\n")
  }

  @Test("up -d of one service fails with the status of its process")
  func status() async {
    let folder = HubFolder(commands: Self.commands)
    #expect(await folder.call("up", "-d", "bad").status == 3)
  }

  @Test("services end before what they need", arguments: ["down", "down db web", "TERM"])
  func order(way: String) async {
    let folder = HubFolder(
      commands: #"""
        local service = function(name, needs)
          rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
            run = "sleep 1000 & trap 'echo " .. name .. " >>ends; exit 0' TERM; echo up; wait"}
        end
        service("db")
        rac.command{name = "schema", needs = {"db"}, run = "true"}
        rac.command{name = "import", run = "sleep 600"}
        service("api", {"schema", "db"})
        service("web", {"api"})
        """#)
    let up = await folder.call("up", "-d", "web")
    #expect(up.status == 0, "\(up)")
    if way == "down" {
      // It keeps the hub, whose services are over when they are to end once more.
      #expect(await folder.call("run", "-d", "import").status == 0)
      let down = await folder.call("down")
      #expect(
        down.errorLines == ["web", "api", "db"].map { "raclette: \($0) has ended" }, "\(down)")
      #expect(await folder.call("down").status == 0)
    } else if way == "down db web" {
      let down = await folder.call("down", "db", "web", "api")
      #expect(
        down.errorLines == ["web", "api", "db"].map { "raclette: \($0) has ended" }, "\(down)")
      #expect(down.status == 0)
    } else {
      await onThread {
        kill(folder.process, SIGTERM)
        folder.waitForEndOfHub()
      }
    }
    #expect(
      String(decoding: fileContent(folder.folder["ends"]) ?? [], as: UTF8.self)
        == "web\napi\ndb\n")
  }

  @Test("the hub's log has what happened")
  func log() async {
    let folder = HubFolder(commands: Self.commands + #"rac.command{name = "one", run = "true"}"#)
    _ = await folder.call("up", "-d", "db")
    _ = await folder.call("run", "-d", "one")
    _ = await folder.call("attach", "1")
    _ = await folder.call("down")
    await onThread { folder.waitForEndOfHub() }
    let log = String(decoding: fileContent(folder.file("log")) ?? [], as: UTF8.self)
    let lines = log.split(separator: "\n").map {
      $0.dropFirst("2026-03-01 09:30:00 ".count).replacing(/\(pid .*\)/, with: "(PID)")
    }
    #expect(
      lines == [
        "started for \(folder.path)/commands.lua (PID)", "db: starting",
        "db: ready: it has printed 'accepting'", "execution 1 of one: running",
        "execution 1 of one: completed", "db: ending: 'raclette down' has ended it", "down",
        "db: down", "ends: it holds nothing",
      ], "\(log)")
  }

  @Test("a service that must be killed is told, and logged")
  func killed() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "accepting"},
          run = function() return rac.exec{"sh", "-c",
            "trap '' TERM; echo accepting; while :; do sleep 600; done", grace = 0.1} end}
        """#)
    _ = await folder.call("up", "-d", "db")
    let restart = await folder.call("restart", "db")
    let down = await folder.call("down")
    let how = "its processes were killed, 0.1 s after they were asked to end"
    #expect(restart.errors == "raclette: db has restarted; \(how)\n")
    #expect(down.errors == "raclette: db has ended: \(how)\n")
    #expect(folder.logOfHub.contains(" db: down: \(how)\n"), "\(folder.logOfHub)")
  }

  @Test("so is one that ends with a run that has used it, and one that it needs")
  func killedAtTheEndOfARun() async {
    let folder = HubFolder(
      commands: #"""
        local function service(name, needs)
          rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
            run = function() return rac.exec{"sh", "-c",
              "trap '' TERM; echo up; while :; do sleep 600; done", grace = 0.1} end}
        end
        service("db")
        service("web", "db")
        rac.command{name = "test", needs = {"web", "db"}, run = "true"}
        """#)
    let how = "has ended: its processes were killed, 0.1 s after they were asked to end"
    for _ in 1...2 {
      let run = await folder.call("test")
      #expect(
        run.errorLines.suffix(2).sorted() == ["raclette: db \(how)", "raclette: web \(how)"],
        "\(run)")
      #expect(run.status == 0)
    }
  }

  @Test("what the hub runs cannot be confined by up -d")
  func sandbox() async {
    let folder = HubFolder(commands: Self.commands)
    let up = await folder.call("up", "-d", "--sandbox")
    #expect(
      up.errors
        == "raclette: error: --detach and --sandbox exclude each other: the hub runs the services\n",
      "\(up)")
    #expect(up.status == 2)
  }

  @Test("ps lists the ports that a service listens at, and how long it is up")
  func ports() async throws {
    let folder = HubFolder(
      commands: #"""
        local port = rac.port "web"
        rac.command{name = "web", service = true, ready = {port = port},
          run = {"python3", "-m", "http.server", "--bind", "127.0.0.1", tostring(port)}}
        rac.command{name = "port", run = function() return port end}
        """#)
    let up = await folder.call("up", "-d", "web")
    #expect(up.status == 0, "\(up)")
    let port = await folder.call("port").output.dropLast()
    let listed = await folder.call("ps")
    let heading = listed.lines[0].split(separator: " ").joined(separator: " ")
    #expect(heading == "SERVICE STATE UPTIME PID PORTS USERS RESTARTS LAST PROBE")
    let row = try #require(listed.lines.last)
    #expect(row.contains("  \(port)  "), "\(listed)")
    #expect(row.hasSuffix("it listens on port \(port)"), "\(listed)")
    let json = await folder.call("ps", "--json")
    #expect(json.output.contains(#""ports":[\#(port)],"uptime":"#), "\(json)")
  }

  @Test("a service that does not end is said to be waited for")
  func waiting() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "accepting"},
          run = function() return rac.exec{"sh", "-c",
            "sleep 600 & trap 'while ! test -e go; do sleep 0.01; done; exit' TERM; "
              .. "echo accepting; wait", grace = 600} end}
        """#)
    let ways: [[String]] = [["restart", "db"], ["down"]]
    for way in ways {
      _ = await folder.call("up", "-d", "db")
      let outcome = await onThread {
        let order = Running(
          Launch(arguments: way, folder: folder.path, environment: folder.environment))
        order.waitForErrors(" to end\n")
        folder.folder.write("", to: "go")
        return order.finish()
      }
      unlink(folder.folder["go"])
      #expect(
        outcome.allErrors.replacing(/pid \d+/, with: "pid N") == """
          raclette: waiting for db (pid N) to end
          raclette: db \(way == ["down"] ? "has ended" : "has restarted")

          """)
    }
  }

  @Test("a name that is none of a service is an error that says which is meant")
  func unknown() async {
    let folder = HubFolder(
      commands: Self.commands + #"rac.command{name = "test", run = "true"}"#)
    for order in ["down", "restart", "logs"] {
      let unknown = await folder.call(order, "dv")
      #expect(
        unknown.errors
          == "raclette: error: unknown service 'dv' in commands.lua; did you mean 'db'?\n",
        "\(order)")
      #expect(unknown.status == 2)
      let other = await folder.call(order, "test")
      #expect(
        other.errors == "raclette: error: 'test' is not a service; 'raclette test' executes it\n",
        "\(order)")
      #expect(other.status == 2)
    }
    folder.folder.write("rac.command{name = ", to: "commands.lua")
    #expect(await folder.call("down", "dv").errors == "raclette: error: 'dv' is not up\n")
  }

  @Test("logs -f waits for the first start")
  func first() async {
    let folder = HubFolder(commands: Self.commands)
    let followed = await onThread {
      let following = Running(folder.launch("logs", "-f", "db"))
      following.waitForErrors("waiting for it\n")
      _ = Running(folder.launch("up", "-d", "db")).finish()
      following.waitForOutput("accepting\n")
      following.get(signal: SIGINT)
      return following.finish()
    }
    #expect(followed.output == "accepting\n")
    #expect(
      followed.errors == """
        raclette: db is not up; waiting for it
        raclette: interrupted

        """)
  }

  @Test("a hub that does not answer is named, and Ctrl-C ends the wait", arguments: ["ps", "test"])
  func stopped(_ way: String) async {
    let folder = HubFolder(
      commands: Self.commands + #"rac.command{name = "test", needs = "db", run = "true"}"#)
    _ = await folder.call("up", "-d", "db")
    let outcome = await onThread {
      kill(folder.process, SIGSTOP)
      let client = Running(folder.launch(way))
      client.waitForErrors("which has not answered for a second\n")
      client.get(signal: SIGINT)
      let outcome = client.finish()
      kill(folder.process, SIGCONT)
      return outcome
    }
    #expect(
      outcome.allErrors == """
        raclette: waiting for the hub of \(folder.path)/commands.lua (pid \(folder.process)), which \
        has not answered for a second
        raclette: interrupted

        """)
    #expect(outcome.status == 130)
  }

  @Test("logs without names has the lines of all services behind their names, also as they come")
  func all() async {
    let folder = HubFolder(commands: Self.commands)
    let none = await folder.call("logs")
    #expect(
      none.errors
        == "raclette: no service of \(folder.path)/commands.lua has printed anything\n", "\(none)")
    #expect(none.status == 0)
    folder.folder.write("", to: "good")
    let followed = await onThread {
      _ = Running(folder.launch("up", "-d", "db")).finish()
      let following = Running(folder.launch("logs", "-f"))
      following.waitForOutput("db | accepting\n")
      _ = Running(folder.launch("up", "-d", "bad")).finish()
      following.waitForOutput("bad | hello\n")
      following.get(signal: SIGINT)
      return following.finish()
    }
    #expect(followed.output == "db | accepting\nbad | oops\nbad | hello\n")
    #expect(followed.errors == "raclette: interrupted\n")
  }

  @Test("logs -f goes on over a restart, and says if the service is not up")
  func follow() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await folder.call("up", "-d", "db")
    let followed = await onThread {
      let following = Running(folder.launch("logs", "-f", "db"))
      following.waitForOutput("accepting\n")
      _ = Running(folder.launch("restart", "db")).finish()
      following.waitForOutput("accepting\n", count: 2)
      following.get(signal: SIGINT)
      return following.finish()
    }
    #expect(
      followed.output.withoutTimesOfRuns == "accepting\n--- started TIME ---\naccepting\n")
    #expect(followed.errors == "raclette: interrupted\n")
    #expect(followed.status == 130)
    _ = await folder.call("down")
    let waiting = await onThread {
      let following = Running(folder.launch("logs", "-f", "-n", "0", "db"))
      following.waitForErrors("waiting for it\n")
      _ = Running(folder.launch("up", "-d", "db")).finish()
      following.waitForOutput("accepting\n")
      following.get(signal: SIGINT)
      return following.finish()
    }
    #expect(waiting.output.withoutTimesOfRuns == "--- started TIME ---\naccepting\n")
    #expect(
      waiting.errors == """
        raclette: db is not up; waiting for it
        raclette: interrupted

        """)
  }
}
