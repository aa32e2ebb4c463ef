import Platform
import Testing

/// Services that end while others use them.
@Suite("services that are lost", .timeLimit(.minutes(5)))
struct LostServiceTests {
  private static let commands = #"""
    local function service(name, more)
      local definition = {name = name, service = true, ready = {"test", "-e", name .. ".up"},
        run = "echo $$ >" .. name .. ".pid; touch " .. name .. ".up; exec sleep 600"}
      for key, value in pairs(more) do definition[key] = value end
      rac.command(definition)
      rac.command{name = "use-" .. name, needs = name, run = "echo uses; exec sleep 600"}
    end
    service("db", {})
    service("store", {on_lost = "wait"})
    service("queue", {restart = {policy = "on-failure", delay = 0.01}})
    """#

  /// Kills the process of a service once a command uses it, and gives the service and its user to `body`.
  private static func lose(
    _ name: String, _ body: @Sendable @escaping (HubFolder, Running) -> Void
  ) async -> Outcome {
    let folder = HubFolder(commands: commands)
    return await onThread {
      let user = Running(folder.launch("use-\(name)"))
      user.waitForOutput("uses\n")
      kill(HubFolder.process(in: folder.folder["\(name).pid"]) ?? .max, SIGKILL)
      body(folder, user)
      return user.finish()
    }
  }

  @Test("end those who use them, with an error that leads to it")
  func cancelled() async {
    let user = await Self.lose("db") { _, _ in }
    #expect(
      user.errorLines.last == """
        raclette: error: use-db: 'db' failed: the service has ended while it was used: \
        'echo $$ >db.pid; touch db.up; exec sleep 600' was ended by SIGKILL
        """, "\(user)")
    #expect(user.status == 137)
  }

  @Test("are waited for where 'on_lost' says so, and are used again once somebody starts them")
  func waiting() async {
    let user = await Self.lose("store") { folder, user in
      user.waitForErrors("raclette: store has failed: ")
      let restart = Running(folder.launch("restart", "store")).finish()
      #expect(restart.errors == "raclette: store has restarted\n", "\(restart)")
      user.waitForErrors("raclette: store is ready\n", times: 2)
      user.get(signal: SIGINT)
    }
    #expect(user.status == 130, "\(user)")
  }

  @Test("end those who use what uses them, and the reason says so once")
  func nested() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        service("web", {needs = "db"})
        """#)
    let user = await onThread {
      let user = Running(folder.launch("use-web"))
      user.waitForOutput("uses\n")
      _ = Running(folder.launch("down", "db")).finish()
      return user.finish()
    }
    #expect(
      user.errorLines.last == """
        raclette: error: use-web: 'web' failed: the service has ended while it was used: \
        'db' failed: 'raclette down' has ended it
        """, "\(user)")
  }

  @Test("are not started by another hub if theirs was ended by a signal")
  func endOfHub() async {
    let folder = HubFolder(commands: Self.commands)
    let user = await onThread {
      let user = Running(folder.launch("use-store"))
      user.waitForOutput("uses\n")
      kill(folder.process, SIGTERM)
      user.waitForErrors("raclette: store has ended: its hub has ended\n")
      folder.waitForEndOfHub()
      user.waitUntilItIsIdle()
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(
      user.errors == """
        raclette: store is starting
        raclette: store is ready
        raclette: store has ended: its hub has ended
        raclette: interrupted

        """)
    #expect(user.status == 130)
    #expect(folder.logOfHub.ranges(of: "started for").count == 1, "\(folder.logOfHub)")
  }

  @Test("are used again once somebody starts another hub")
  func nextHub() async {
    let folder = HubFolder(commands: Self.commands)
    let user = await onThread {
      let user = Running(folder.launch("use-store"))
      user.waitForOutput("uses\n")
      kill(folder.process, SIGTERM)
      user.waitForErrors("raclette: store has ended: its hub has ended\n")
      folder.waitForEndOfHub()
      user.waitUntilItIsIdle()
      _ = Running(folder.launch("up", "-d", "db")).finish()
      user.waitForErrors("raclette: store is ready\n", times: 2)
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(
      user.errors == """
        raclette: store is starting
        raclette: store is ready
        raclette: store has ended: its hub has ended
        raclette: store is starting
        raclette: store is ready
        raclette: interrupted

        """)
  }

  @Test("are used again if another hub has come before their user knows of it")
  func missedEndOfHub() async {
    let folder = HubFolder(commands: Self.commands)
    let user = await onThread {
      let user = Running(folder.launch("use-store"))
      user.waitForOutput("uses\n")
      user.get(signal: SIGSTOP)
      kill(folder.process, SIGTERM)
      folder.waitForEndOfHub()
      _ = Running(folder.launch("up", "-d", "db")).finish()
      user.get(signal: SIGCONT)
      user.waitForErrors("raclette: store is ready\n", times: 2)
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(
      user.errors == """
        raclette: store is starting
        raclette: store is ready
        raclette: store has ended: its hub has ended
        raclette: store is starting
        raclette: store is ready
        raclette: interrupted

        """)
  }

  @Test("keep their users while their rules start them again")
  func restarted() async {
    let user = await Self.lose("queue") { _, user in
      user.waitForErrors("raclette: queue is restarting: ")
      user.waitForErrors("raclette: queue is ready\n", times: 2)
      user.get(signal: SIGINT)
    }
    #expect(user.status == 130, "\(user)")
  }
}
