import Platform
import RunnerCore
import Testing

/// Hubs that still live although their files were removed, and those that come after them.
@Suite("predecessors of hubs", .timeLimit(.minutes(5)))
struct HubPredecessorTests {
  /// A service that ends once the file `go` is there.
  private static let slow = #"""
    rac.command{name = "db", service = true, ready = {line = "up"}, run = function()
      return rac.exec{"sh", "-c", [[
        echo begins >>log
        sleep 600 & trap 'touch asked; while [ ! -e go ]; do sleep 0.01; done; echo ends >>log; exit' TERM
        echo up; wait
      ]], grace = 600}
    end}
    rac.command{name = "test", needs = "db", run = "echo tested"}
    """#

  /// The hubs of a folder, those included that wait.
  private static func hubs(of folder: HubFolder) -> [pid_t] {
    Folder.names(in: "/proc").compactMap { pid_t($0) }.filter { process in
      let words = (fileContent("/proc/\(process)/cmdline") ?? []).split(separator: 0)
        .map { String(decoding: $0, as: UTF8.self) }
      return words.contains(":hub") && words.contains("\(folder.path)/commands.lua")
    }
  }

  @Test("are waited for: no service is there twice")
  func waits() async {
    let folder = HubFolder(commands: Self.slow)
    #expect(await folder.call("up", "-d").status == 0)
    folder.removePlace()
    let next = await onThread {
      let next = Running(folder.launch("up", "-d"))
      eventually { Folder.isThere(folder.folder["asked"]) }
      folder.folder.write("", to: "go")
      return next.finish()
    }
    #expect(next.status == 0, "\(next)")
    #expect(folder.log == "begins\nends\nbegins\n")
    #expect(await folder.call("down").status == 0)
  }

  @Test(
    "are named to those who wait for them, whom the first signal ends, with the hub that waits",
    arguments: [["up", "-d"], ["test"]])
  func interrupted(words: [String]) async {
    let folder = HubFolder(commands: Self.slow)
    #expect(await folder.call("up", "-d").status == 0)
    let hub = folder.process
    folder.removePlace()
    let wait =
      "raclette: waiting for the hub of \(folder.path)/commands.lua (pid \(hub)), whose files were "
      + "removed, to end\n"
    let next = await onThread {
      let launch = Launch(arguments: words, folder: folder.path, environment: folder.environment)
      let next = Running(launch)
      next.waitForErrors(wait)
      eventually { Folder.isThere(folder.folder["asked"]) }
      next.get(signal: SIGINT)
      let outcome = next.finish()
      eventually { Self.hubs(of: folder) == [hub] }
      folder.folder.write("", to: "go")
      eventually { hasEnded(hub) }
      return outcome
    }
    #expect(next.allErrors.contains(wait), "\(next)")
    #expect(next.status == 130, "\(next)")
    #expect(folder.log == "begins\nends\n")
  }

  @Test("are no longer waited for if they do not begin to end")
  func stopped() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "line", run = "exec sleep 600"}"#)
    #expect(await folder.call("run", "-d", "line").status == 0)
    let hub = folder.process
    kill(hub, SIGSTOP)
    folder.removePlace()
    let next = await folder.call("run", "-d", "line")
    #expect(
      next.errorLines.last == """
        raclette: error: the hub of \(folder.path)/commands.lua does not start: the one before it \
        (pid \(hub)), whose files were removed, has not begun to end for ten seconds; \
        'kill -CONT \(hub)' continues it if it is stopped, 'kill -9 \(hub)' ends it
        """, "\(next)")
    #expect(next.status == 1)
    kill(hub, SIGCONT)
    _ = await onThread { eventually { hasEnded(hub) } }
  }

  @Test("have a file for their lives, which they make again if somebody removes it")
  func life() async throws {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "exec sleep 600"}"#)
    #expect(await folder.call("run", "-d", "line").status == 0)
    let place = try HubPlace("\(folder.path)/commands.lua")
    let life = try #require(place.lifeLock)
    let content = "\(folder.process)\n"
    #expect(fileContent(life).map { String(decoding: $0, as: UTF8.self) } == content)
    unlink(life)
    _ = await onThread { eventually { Folder.isThere(life) } }
    await onThread {
      kill(folder.process, SIGTERM)
      folder.waitForEndOfHub()
    }
    #expect(!Folder.isThere(life))
  }

  @Test("do not concern a folder that has come in the place of theirs, as in another container")
  func otherFolder() throws {
    let folder = Folder()
    folder.write("", to: "a/commands.lua")
    folder.write("", to: "b/commands.lua")
    let first = try HubPlace(folder["a/commands.lua"])
    let life = first.lifeLock
    #expect(rename(folder["a"], folder["c"]) == 0)
    #expect(rename(folder["b"], folder["a"]) == 0)
    let second = try HubPlace(folder["a/commands.lua"])
    #expect(second.socket == first.socket)
    #expect(life != nil && second.lifeLock != life)
  }
}
