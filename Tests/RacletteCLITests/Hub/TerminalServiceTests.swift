import Platform
import Testing

/// Services that terminals hold.
@Suite("services held by terminals", .timeLimit(.minutes(5)))
struct TerminalServiceTests {
  private let home = HubFolder(
    commands: #"""
      rac.command{name = "db", service = true, ready = {line = "accepting"},
        run = "sleep 600 & trap 'echo ends >>log; exit' TERM HUP; echo begins >>log; echo accepting; wait"}
      rac.command{name = "long", needs = "db", run = "echo longing; exec sleep 600"}
      """#)

  @Test("end when the terminal is closed", arguments: [["up"], ["up", "--ui"], ["long"]])
  func closed(_ arguments: [String]) async {
    await onThread {
      let session = TerminalSession(arguments, in: home.folder, environment: home.environment)
      session.wait(for: arguments.last == "long" ? "longing" : "db")
      eventually { home.log == "begins\n" }
      session.hangUp()
      _ = session.finish()
      eventually { home.log == "begins\nends\n" }
    }
  }

  @Test("are held by each 'up', and the first to leave ends none")
  func second() async {
    let outcomes = await onThread {
      let first = Running(home.launch("up"))
      first.waitForErrors("db is ready\n")
      let second = Running(home.launch("up"))
      second.waitForErrors("db is ready\n")
      second.waitForOutput("accepting\n")
      first.get(signal: SIGINT)
      let left = first.finish()
      let between = home.log
      second.get(signal: SIGINT)
      return (left.status, between, second.finish())
    }
    #expect(outcomes.0 == 130)
    #expect(outcomes.1 == "begins\n")
    #expect(outcomes.2.errorLines.first == "raclette: db is ready")
    #expect(home.log == "begins\nends\n")
  }
}
