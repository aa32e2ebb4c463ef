import Platform
import Testing

/// `raclette up --ui` at a terminal with an emulator.
@Suite("the dashboard of services", .timeLimit(.minutes(5)))
struct DashboardTests {
  private let home = HubFolder(
    commands: """
      local function service(name, after)
        return {
          name = name, service = true, needs = after, ready = {line = "is up"},
          run = "exec 3<>" .. name .. ".pipe; echo " .. name .. " is up; "
            .. "while read n <&3; do echo line $n; done",
        }
      end
      rac.command(service("db"))
      rac.command(service("web", {"db"}))
      """)

  /// The pipe whose lines a service prints.
  private func pipe(_ name: String) -> String { home.folder.makePipe("\(name).pipe") }

  private func session(
    rows: Int = 24, columns: Int = 80, _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) -> TerminalSession {
    // The shell shows what the terminal is like when the program has left it.
    let session = TerminalSession(
      ["--norc", "--noprofile"], of: "/bin/bash", in: home.folder, rows: rows, columns: columns,
      environment: ["PS1": "$ "].merging(home.environment) { $1 }.merging(environment) { $1 })
    session.wait { $0.lines.last == "$" }
    session.type(
      "mode() { stty -g; grep flags /proc/$$/fdinfo/0; }; mode >mode; '\(Program.path)' up --ui "
        + "\(arguments.joined(separator: " ")); s=$?; mode | cmp - mode; echo status $s\r")
    return session
  }

  private func leave(_ session: TerminalSession, by keys: String, status: Int) {
    session.type(keys)
    session.wait { $0.lines.suffix(2) == ["status \(status)", "$"] }
    #expect(!session.screen.lines.contains { $0.contains("differ") || $0.contains("q leave") })
    session.type("exit\r")
    _ = session.finish()
  }

  /// The times and process ids vary.
  private func states(_ screen: [String]) -> [String] {
    screen.prefix(2).map { String($0.prefix(16)).trimmed }
  }

  @Test("shows the states and the record of one service, and restores the screen")
  func services() async {
    let (db, web) = (pipe("db"), pipe("web"))
    await onThread {
      let session = session()
      session.wait { states($0.lines) == ["> db   ready", "  web  ready"] }
      session.wait { $0.lines.count == 24 && $0.lines[3] == "db is up" }
      #expect(session.screen.lines[2].hasPrefix("── db ──────"))
      #expect(session.screen.color(of: "ready") == 2)
      #expect(
        session.screen.lines[23] == "q leave  Tab next  ↑↓ PgUp PgDn scroll  End follow  Home begin"
      )
      write("5\n", toPipe: db)
      session.wait { $0.lines[4] == "line 5" }
      session.type("\t")
      session.wait {
        states($0.lines) == ["  db   ready", "> web  ready"] && $0.lines[3] == "web is up"
      }
      write("6\n", toPipe: web)
      session.wait { $0.lines[4] == "line 6" }
      leave(session, by: "q", status: 0)
    }
  }

  @Test("leaves with the status of what has failed, and says it")
  func failed() async {
    let (db, _) = (pipe("db"), pipe("web"))
    home.folder.write(
      home.commands + #"rac.command{name = "bad", service = true, run = "exit 3"}"#,
      to: "commands.lua")
    await onThread {
      let session = session(["bad", "db"])
      session.wait { states($0.lines) == ["> bad  failed", "  db   ready"] }
      session.type("q")
      session.wait { $0.lines.suffix(2) == ["status 1", "$"] }
      #expect(
        session.screen.lines.contains("raclette: error: bad: 'exit 3' exited with status 3"),
        "\(session.screen.lines)")
      session.type("exit\r")
      _ = session.finish()
    }
    _ = db
  }

  @Test("follows the record until it is scrolled up, and again from its end")
  func following() async {
    let db = pipe("db")
    await onThread {
      let session = session(rows: 10, columns: 30, ["db"])
      session.wait { states($0.lines).first == "> db  ready" }
      for number in 1...9 {
        write("\(number)\n", toPipe: db)
        session.wait { $0.lines.contains("line \(number)") }
      }
      session.wait {
        $0.lines[2...8] == ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8", "line 9"]
      }
      #expect(session.screen.lines[9] == "q leave  Tab next")
      session.type("\u{1B}[A")
      session.wait { $0.lines[2] == "line 2" && $0.lines[1].hasSuffix("End follows") }
      write("10\n", toPipe: db)
      session.type("\u{1B}[A")
      session.wait { $0.lines[2] == "line 1" }
      session.type("\u{1B}[F")
      session.wait { $0.lines[8] == "line 10" && !$0.lines[1].contains("End") }
      session.resize(rows: 12, columns: 50)
      session.wait { $0.lines.count == 12 && $0.lines[10] == "line 10" }
      leave(session, by: "\u{3}", status: 130)
    }
  }

  @Test("a service that fails is told when the screen is restored")
  func failure() async {
    let home = HubFolder(
      commands: """
        rac.command{name = "db", service = true, restart = "never", run = "exit 3",
          ready = {line = "up"}}
        """)
    await onThread {
      let session = TerminalSession(
        ["--norc", "--noprofile"], of: "/bin/bash", in: home.folder,
        environment: ["PS1": "$ "].merging(home.environment) { $1 })
      session.wait { $0.lines.last == "$" }
      session.type("'\(Program.path)' up --ui; echo status $?\r")
      session.wait { $0.lines.last == "$" && $0.lines.contains { $0.hasPrefix("status ") } }
      #expect(
        session.screen.lines.contains("raclette: error: db: 'exit 3' exited with status 3"),
        "\(session.screen.text)")
      session.type("exit\r")
      _ = session.finish()
    }
  }

  @Test("restores the screen when it is terminated")
  func termination() async {
    _ = (pipe("db"), pipe("web"))
    await onThread {
      let session = TerminalSession(["up", "--ui"], in: home.folder, environment: home.environment)
      session.wait { states($0.lines) == ["> db   ready", "  web  ready"] }
      kill(session.pid, SIGTERM)
      #expect(session.finish() == 143)
      #expect(
        session.screen.lines.map(\.withoutSlowRemarks) == ["raclette: terminated"])
    }
  }

  @Test("has no colours with NO_COLOR")
  func colours() async {
    _ = (pipe("db"), pipe("web"))
    await onThread {
      let session = session(environment: ["NO_COLOR": "1"])
      session.wait { states($0.lines) == ["> db   ready", "  web  ready"] }
      #expect(session.screen.color(of: "ready") == nil)
      leave(session, by: "q", status: 0)
    }
  }

  @Test("needs a terminal, and takes no option for lines")
  func refusals() async {
    let pipe = await raclette("up", "--ui", in: home.folder, environment: home.environment)
    #expect(
      pipe.errors == """
        raclette: error: --ui needs a terminal; without it, 'raclette up' prints lines

        """)
    #expect(pipe.status == 2)
    for option in ["--json", "--detach", "--output=group"] {
      let run = await raclette("up", "--ui", option, in: home.folder)
      let name = option.split(separator: "=")[0]
      #expect(run.errors == "raclette: error: --ui and \(name) exclude each other\n")
      #expect(run.status == 2)
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
