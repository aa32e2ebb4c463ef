import Platform
import Testing

/// Services that do not end when they are asked to.
@Suite("stubborn services", .timeLimit(.minutes(5)))
struct KilledServiceTests {
  private let home = HubFolder(
    commands: #"""
      local function stubborn(name, needs)
        rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
          run = function() return rac.exec{"sh", "-c",
            "trap '' TERM; exec 3<>lives; echo up; while :; do sleep 600; done", grace = 600} end}
      end
      stubborn("db")
      stubborn("web", "db")
      rac.command{name = "use", needs = "web", run = function() print "uses" rac.sleep(600) end}
      """#)

  @Test("are killed by a second Ctrl-C, with what they need", arguments: ["up web", "use"])
  func second(_ way: String) async {
    let lives = Lives(home.folder.makePipe("lives"))
    let words = way.split(separator: " ").map(String.init)
    let launch = Launch(arguments: words, folder: home.path, environment: home.environment)
    let outcome = await onThread {
      let user = Running(launch)
      if words.count > 1 {
        user.waitForErrors("raclette: web is ready\n")
      } else {
        user.waitForOutput("uses\n")
      }
      user.get(signal: SIGINT)
      user.waitForErrors("press Ctrl-C again to kill\n")
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(
      outcome.allErrors == """
        raclette: web is starting
        raclette: web is ready
        raclette: interrupted, waiting for web to end; press Ctrl-C again to kill

        """)
    #expect(outcome.status == 130)
    #expect(lives.areOver)
  }

  @Test("are killed by the second Ctrl-C of down, which waits after the first")
  func down() async {
    let lives = Lives(home.folder.makePipe("lives"))
    let outcome = await onThread {
      _ = Running(home.launch("up", "-d", "web")).finish()
      let down = Running(home.launch("down"))
      down.waitForErrors(" to end\n")
      down.get(signal: SIGINT)
      down.waitForErrors("press Ctrl-C again to kill\n")
      down.get(signal: SIGINT)
      return down.finish()
    }
    let lines = outcome.allErrors.replacing(/pid \d+/, with: "pid N").replacing(
      /killed, [\d.]+ s/, with: "killed, TIME")
    #expect(
      lines == """
        raclette: waiting for web (pid N) to end
        raclette: interrupted, waiting for the services to end; press Ctrl-C again to kill
        raclette: web has ended: its processes were killed, TIME after they were asked to end
        raclette: db has ended: its processes were killed, TIME after they were asked to end

        """)
    #expect(outcome.status == 130)
    #expect(lives.areOver)
  }

  @Test("go on for others if one of their users kills")
  func others() async {
    let lives = Lives(home.folder.makePipe("lives"))
    await onThread {
      let user = Running(home.launch("use"))
      user.waitForOutput("uses\n")
      let second = Running(home.launch("up", "db"))
      second.waitForErrors("raclette: db is ready\n")
      user.get(signal: SIGINT)
      user.waitForErrors("press Ctrl-C again to kill\n")
      user.get(signal: SIGINT)
      _ = user.finish()
      #expect(!lives.areOver)
      let listed = Running(home.launch("ps")).finish()
      #expect(listed.lines.count == 2)
      #expect(listed.lines.last?.hasPrefix("db       ready  ") == true, "\(listed)")
      second.get(signal: SIGINT)
      second.waitForErrors("press Ctrl-C again to kill\n")
      second.get(signal: SIGINT)
      _ = second.finish()
      #expect(lives.areOver)
    }
  }
}
