import Platform
import Testing

/// The services of a command file as a panel shows them.
@Suite("services of a panel", .timeLimit(.minutes(5)))
struct PanelServiceTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "accepting"},
      run = "echo accepting; exec sleep 600"}
    rac.command{name = "test", needs = "db", run = "echo tested"}
    """#

  private static func raclette(_ arguments: String..., in folder: Folder) -> Outcome {
    Running(Launch(arguments: arguments, folder: folder.path)).finish()
  }

  @Test("their states come from the hub that another process starts; restart and log")
  func states() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let stream = panel.stream()
      stream.wait(for: "\"type\":\"stream\"")
      #expect(panel.send("GET", "commands").body.contains(#""service":{"state":"down","#))
      let down = panel.send("POST", "commands/db/restarts", "{}")
      #expect(down.status == 409)
      #expect(down.body.contains(#""message":"'db' is not up""#), "\(down)")
      _ = Self.raclette("up", "-d", in: panel.folder)
      #expect(stream.wait(for: #""service":{"state":"ready","#))
      #expect(stream.wait(for: #""probe":"it has printed 'accepting'""#))
      let restarted = panel.send("POST", "commands/db/restarts", "{}")
      #expect(restarted.status == 200)
      #expect(
        restarted.body.contains(/^{"state":"ready","duration":[\d.e-]+}\n$/), "\(restarted.body)")
      // The order was a user itself.
      #expect(stream.wait(for: #""restarts":1,"users":1,"#))
      let commands = panel.send("GET", "commands").body
      #expect(commands.contains(#""restarts":1,"users":1,"#), "\(commands)")
      let log = panel.send("GET", "commands/db/log").body
      #expect(
        log.withoutTimesOfRuns
          == "{\"log\":\"accepting\\n--- started TIME ---\\naccepting\\n\"}\n")
      for route in ["restarts", "log"] {
        let reply = panel.send(
          route == "log" ? "GET" : "POST", "commands/test/\(route)", route == "log" ? nil : "{}")
        #expect(reply.status == 400)
        #expect(reply.body.contains("'test' is not a service"), "\(reply)")
      }
      _ = Self.raclette("down", in: panel.folder)
      #expect(stream.wait(for: #""service":{"state":"down","#))
      _ = panel.end()
    }
  }

  @Test("a hub that hangs is named by the answer to a restart")
  func hangingHub() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let stream = panel.stream()
      stream.wait(for: "\"type\":\"stream\"")
      _ = Self.raclette("up", "-d", in: panel.folder)
      #expect(stream.wait(for: #""service":{"state":"ready","#))
      let hub =
        HubFolder.process(in: panel.folder[".raclette/hub-\(getuid()).lock"]) ?? .max
      kill(hub, SIGSTOP)
      let reply = panel.send("POST", "commands/db/restarts", "{}")
      kill(hub, SIGCONT)
      #expect(reply.status == 503)
      #expect(
        reply.body.contains(
          #""message":"the hub of \#(panel.folder.path)/commands.lua has not answered for 10 s"}"#),
        "\(reply.body)")
      _ = Self.raclette("down", in: panel.folder)
      _ = panel.end()
    }
  }

  @Test("a panel that only shows refuses to start one again")
  func readOnly() async {
    await onThread {
      let panel = PanelProgram(Self.commands, "--read-only")
      let reply = panel.send("POST", "commands/db/restarts", "{}")
      #expect(reply.status == 403, "\(reply)")
      _ = panel.end()
    }
  }
}
