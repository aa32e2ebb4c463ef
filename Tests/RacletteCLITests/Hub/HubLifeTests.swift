import Platform
import RunnerCore
import Testing

/// The start and the end of a hub, and the place of its socket.
@Suite("the life of a hub", .timeLimit(.minutes(5)))
struct HubLifeTests {
  private static let sleeping = #"""
    rac.command{name = "sleep", concurrency = "unlimited",
      run = "echo up; sleep 1000 3<>lives & exec 3<>lives; exec sleep 1000"}
    """#

  @Test("many calls at once start one hub")
  func race() async {
    let folder = HubFolder(commands: Self.sleeping)
    let outcomes = await onThread {
      let all = (0..<8).map { _ in Running(folder.launch("run", "-d", "sleep")) }
      return all.map { $0.finish() }
    }
    #expect(Set(outcomes.map(\.output)) == Set((1...8).map { "\($0)\n" }), "\(outcomes)")
    #expect(outcomes.allSatisfy { $0.errors == "" && $0.status == 0 }, "\(outcomes)")
  }

  @Test("answers although its command file writes a module that it requires")
  func unsteady() async {
    let folder = HubFolder(
      commands: """
        rac.command{name = "db", service = true, ready = {line = "up"}, run = "echo up; sleep 600"}
        require "seen"
        -- Whole at each moment: what is loaded meanwhile is what it was.
        assert(io.open("new", "w")):write("return 1"):close()
        assert(os.rename("new", "seen.lua"))
        """)
    folder.folder.write("return 0", to: "seen.lua")
    let up = await folder.call("up", "-d", "db")
    #expect(up.status == 0, "\(up)")
    // The clients load it, too, which is no reason to load it again each time. The change by the first one
    // may still be on its way.
    let loads = folder.logOfHub.ranges(of: "was reloaded").count
    for _ in 0..<3 {
      let listed = await folder.call("ps")
      #expect(listed.lines.count == 2 && listed.status == 0, "\(listed)")
      #expect(await folder.call("up", "-d", "db").status == 0)
    }
    #expect(folder.logOfHub.ranges(of: "was reloaded").count <= loads + 1, "\(folder.logOfHub)")
    let down = await folder.call("down")
    #expect(down.status == 0, "\(down)")
  }

  @Test("answers with the files that its command file finds now")
  func listedFiles() async {
    let folder = HubFolder(
      commands: """
        rac.command{name = "hold", service = true, ready = {line = "up"}, run = "echo up; sleep 600"}
        rac.command{name = "count", run = "echo " .. #rac.glob("src/*")}
        """)
    folder.folder.write("", to: "src/a")
    #expect(await folder.call("up", "-d", "hold").status == 0)
    for count in 1...3 {
      let number = await folder.call("run", "-d", "count").lines.first ?? ""
      #expect(await folder.call("attach", number).output == "\(count)\n")
      folder.folder.write("", to: "src/\(count)")
    }
  }

  @Test("it ends by itself when it holds nothing, and leaves no socket")
  func idle() async {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "echo one"}"#)
    _ = await folder.call("run", "-d", "line")
    #expect(!hasEnded(folder.process))
    #expect(Folder.isThere(folder.file("sock")))
    _ = await folder.call("attach", "1")
    await onThread { folder.waitForEndOfHub() }
    #expect(!Folder.isThere(folder.file("sock")))
    let next = await folder.call("run", "-d", "line")
    #expect(next.output == "2\n", "\(next)")
  }

  @Test("the socket is the user's alone, in a session of its own, without what its client had open")
  func isolation() async {
    let folder = HubFolder(commands: Self.sleeping)
    let outcome = await onThread {
      let (reading, writing) = makePipe()
      var launch = folder.launch("run", "-d", "sleep")
      launch.descriptors = [9: writing]
      let outcome = Running(launch).finish()
      close(writing)
      // The end of the pipe comes although the hub lives.
      var byte: UInt8 = 0
      let count = read(reading, &byte, 1)
      close(reading)
      return (outcome, count)
    }
    #expect(outcome.0.output == "1\n", "\(outcome)")
    #expect(outcome.1 == 0)
    var information = stat()
    #expect(lstat(folder.file("sock"), &information) == 0)
    #expect(information.st_mode & 0o777 == 0o600)
    #expect(getsid(folder.process) == folder.process)
  }

  @Test("a successor of a killed hub ends what that has left, and goes on with the numbers")
  func killed() async {
    let folder = HubFolder(commands: Self.sleeping)
    let lives = Lives(folder.folder.makePipe("lives"))
    _ = await folder.call("run", "-d", "sleep")
    _ = await onThread { eventually { !lives.areOver } }
    let killed = folder.process
    #expect(kill(killed, SIGKILL) == 0)
    await onThread { folder.waitForEndOfHub() }
    #expect(await onThread { eventually { !lives.areOver } })
    let next = await folder.call("run", "-d", "sleep")
    #expect(next.output == "2\n", "\(next)")
    #expect(
      next.errors.replacing(/\d+/, with: "N")
        == "raclette: ended what a killed hub had left running: process group N\n", "\(next)")
    #expect(folder.process != killed)
    _ = await folder.call("cancel", "2")
    await onThread { lives.waitForEnd() }
  }

  @Test("a signal ends it with all that it runs")
  func terminated() async {
    let folder = HubFolder(commands: Self.sleeping)
    let lives = Lives(folder.folder.makePipe("lives"))
    _ = await folder.call("run", "-d", "sleep")
    _ = await onThread { eventually { !lives.areOver } }
    let attached = await onThread {
      let running = Running(folder.launch("attach", "1"))
      running.waitForOutput("up\n")
      kill(folder.process, SIGTERM)
      return running.finish()
    }
    #expect(
      attached.errors == "raclette: sleep was cancelled: its hub has ended\n", "\(attached)")
    #expect(attached.status == 1)
    await onThread {
      folder.waitForEndOfHub()
      lives.waitForEnd()
    }
    #expect(!Folder.isThere(folder.file("sock")))
  }

  @Test("what a signal has ended with it is listed until somebody has read how it has ended")
  func unread() async {
    let folder = HubFolder(commands: Self.sleeping)
    let lives = Lives(folder.folder.makePipe("lives"))
    _ = await folder.call("run", "-d", "sleep")
    await onThread {
      eventually { !lives.areOver }
      kill(folder.process, SIGTERM)
      folder.waitForEndOfHub()
    }
    let listed = await folder.call("ps")
    #expect(
      listed.output.replacingDurations() == """
        NUMBER  COMMAND  STATE      SINCE  INPUT
        1       sleep    cancelled  TIME

        """, "\(listed)")
    let attached = await folder.call("attach", "1")
    #expect(attached.output == "up\n", "\(attached)")
    #expect(attached.errors == "raclette: sleep was cancelled: its hub has ended\n")
    #expect(attached.status == 1)
    let read = await folder.call("ps")
    #expect(read.output == "")
    #expect(read.errors == "raclette: nothing is running for \(folder.path)/commands.lua\n")
  }

  @Test("it ends with all that it runs when its folder is removed")
  func removed() async {
    let folder = HubFolder(commands: Self.sleeping, below: "project")
    let lives = Lives(folder.folder.makePipe("project/lives"))
    _ = await folder.call("run", "-d", "sleep")
    let hub = folder.process
    _ = await onThread { eventually { !lives.areOver } }
    spawnAndWait(["/bin/rm", "-r", folder.path])
    await onThread {
      lives.waitForEnd()
      eventually { hasEnded(hub) }
    }
  }

  @Test("it ends with all that it runs when its socket is removed, as by git clean -fdx")
  func socketRemoved() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"},
          run = "exec 3<>lives; echo up; exec sleep 600"}
        """#)
    let lives = Lives(folder.folder.makePipe("lives"))
    #expect(await folder.call("up", "-d").status == 0)
    let hub = folder.process
    folder.removePlace()
    await onThread {
      lives.waitForEnd()
      eventually { hasEnded(hub) }
    }
    #expect(await folder.call("up", "-d").status == 0)
    #expect(await folder.call("down").status == 0)
  }

  @Test("a path that is too long for a socket has its hub in the folder of the user")
  func longPath() async {
    let name = String(repeating: "a-long-name-", count: 10)
    let folder = HubFolder(
      commands: #"rac.command{name = "line", run = "pwd"}"#, below: name)
    let started = await folder.call("run", "-d", "line")
    #expect(started.output == "1\n", "\(started)")
    let attached = await folder.call("attach", "1")
    #expect(attached.output == "\(folder.path)\n", "\(attached)")
    #expect(!Folder.isThere(folder.path + "/.raclette"))
    var information = stat()
    #expect(lstat(folder.runtime["raclette"], &information) == 0)
    #expect(information.st_mode & 0o777 == 0o700)
  }

  @Test(
    "without XDG_RUNTIME_DIR, or one that is there, it has a folder of the user in /tmp then",
    arguments: ["", "/nowhere"])
  func noRuntimeFolder(named runtime: String) async {
    let name = String(repeating: "a-long-name-", count: 10)
    let folder = HubFolder(
      commands: #"rac.command{name = "line", run = "pwd"}"#, below: name)
    let call = { (arguments: [String]) in
      let launch = Launch(
        arguments: arguments, folder: folder.path, environment: ["XDG_RUNTIME_DIR": runtime])
      return await onThread { Running(launch).finish() }
    }
    #expect(await call(["run", "-d", "line"]).output == "1\n")
    #expect(await call(["attach", "1"]).output == "\(folder.path)\n")
    for place in [folder.path + "/.raclette", folder.runtime["raclette"]] {
      #expect(!Folder.isThere(place))
    }
  }

  @Test("a folder that others may enter is not used")
  func openFolder() async {
    let name = String(repeating: "a-long-name-", count: 10)
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "pwd"}"#, below: name)
    folder.runtime.makeFolder("raclette")
    let refused = await folder.call("run", "-d", "line")
    #expect(
      refused.errors == """
        raclette: error: the hub cannot use '\(folder.runtime["raclette"])': other users may enter \
        it; chmod 700 fixes that

        """, "\(refused)")
    #expect(refused.status == 1)
  }

  @Test("a command file that does not load in the hub is told with its reason")
  func broken() async {
    // It loads where its input is a terminal's or a pipe, but not behind them.
    let folder = HubFolder(
      commands: #"""
        local name = io.open("/proc/self/cmdline"):read("a")
        if name:find(":hub", 1, true) then error("not in a hub") end
        rac.command{name = "line", run = "true"}
        """#)
    let refused = await folder.call("run", "-d", "line")
    #expect(
      refused.errors == """
        raclette: error: the hub of \(folder.path)/commands.lua does not start: \
        \(folder.path)/commands.lua:2: not in a hub

        """, "\(refused)")
    #expect(refused.status == 1)
    await onThread { folder.waitForEndOfHub() }
  }

  @Test("checkouts and command files have hubs of their own")
  func checkouts() async {
    let one = HubFolder(commands: Self.sleeping)
    let other = HubFolder(commands: Self.sleeping)
    one.folder.write(Self.sleeping, to: "second.lua")
    for outcome in [
      await one.call("run", "-d", "sleep"), await other.call("run", "-d", "sleep"),
      await one.call("run", "-d", "-f", "second.lua", "sleep"),
    ] { #expect(outcome.output == "1\n", "\(outcome)") }
    #expect(one.process != other.process)
    let listed = await one.call("ps", "-f", "second.lua")
    #expect(listed.lines.count == 2, "\(listed)")
  }

  @Test("a changed command file is loaded beside, and what runs goes on")
  func reload() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "sleep", run = "echo old; exec sleep 1000"}"#)
    _ = await folder.call("run", "-d", "sleep")
    folder.folder.write(
      #"""
      rac.command{name = "sleep", concurrency = 2, run = "echo new; exec sleep 1000"}
      """#, to: "commands.lua")
    // What is started right after the change has the new definition.
    let next = await folder.call("run", "-d", "sleep")
    #expect(next.output == "2\n", "\(next)")
    let attached = await onThread {
      let running = Running(folder.launch("attach", "2"))
      running.waitForOutput("new\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(attached.output == "new\n")
    let listed = await folder.call("ps")
    #expect(listed.lines.count == 3, "\(listed)")
  }

  @Test("a client of another version replaces a hub that holds nothing")
  func versions() async {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "echo one"}"#)
    _ = await folder.call("run", "-d", "line")
    let socket = folder.file("sock")
    let held = await onThread { Self.ask(socket) }
    #expect(held.hasPrefix("HTTP/1.1 200 "), "\(held)")
    #expect(held.contains("X-Raclette-Version: "))
    let refused = await onThread {
      // A hub with a client stays.
      let client = TestConnection(path: socket)
      return withExtendedLifetime(client) {
        _ = Running(folder.launch("attach", "1")).finish()
        return Self.ask(socket)
      }
    }
    #expect(refused.hasPrefix("HTTP/1.1 409 "), "\(refused)")
    #expect(refused.contains(#""kind":"replaced""#), "\(refused)")
    await onThread { folder.waitForEndOfHub() }
  }

  private static func ask(_ socket: String) -> String {
    let connection = TestConnection(path: socket)
    connection.write(
      Array("GET \(HubProtocol.path)/hub HTTP/1.0\r\nX-Raclette-Version: 0.0.1\r\n\r\n".utf8))
    return String(decoding: connection.readToEnd(), as: UTF8.self)
  }
}
