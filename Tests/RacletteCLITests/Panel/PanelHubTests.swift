import Platform
import Testing

/// What the hub of a command file executes as a panel shows it.
@Suite("executions of the hub in a panel", .timeLimit(.minutes(5)))
struct PanelHubTests {
  private static let commands = #"""
    rac.command{name = "line", params = {{name = "word", default = "two"}},
      run = "echo one; until [ -e go ]; do sleep 0.01; done; echo $word; echo bad >&2; exit 3"}
    rac.command{name = "quick", run = "echo done"}
    rac.command{name = "long", run = "echo up; exec sleep 600"}
    rac.command{name = "log", run = function() for i = 1, 20000 do rac.log.info("line " .. i) end end}
    rac.command{name = "prepare", private = true, run = "until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "build", needs = "prepare", run = "echo built"}
    """#

  private static func panel(_ hub: HubFolder) -> PanelProgram {
    PanelProgram(hub.folder, environment: hub.environment)
  }

  /// A panel with a stream of its events, which has begun.
  private static func followedPanel(_ hub: HubFolder) -> (PanelProgram, EventStreamReader) {
    let panel = panel(hub)
    let stream = panel.stream()
    stream.wait(for: "\"type\":\"stream\"")
    return (panel, stream)
  }

  private static func call(_ hub: HubFolder, _ arguments: String...) -> Outcome {
    Running(
      Launch(arguments: arguments, folder: hub.path, environment: hub.environment)
    ).finish()
  }

  /// Waits for an execution of the hub on the stream of a panel.
  ///
  /// - Returns: its number in the panel.
  private static func wait(
    for number: Int, of command: String, on stream: EventStreamReader,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    let identity = "\"hub\":\(number),"
    guard stream.wait(for: identity, sourceLocation: sourceLocation) else { return -1 }
    let line = stream.text.split(separator: "\n").first { $0.contains(identity) } ?? ""
    let id = line.firstMatch(of: /"command":"(\w+)","execution":(\d+)/)
    #expect(id?.1 == command[...], "\(line)", sourceLocation: sourceLocation)
    return id.flatMap { Int($0.2) } ?? -1
  }

  @Test("are shown once with their output, beside those of the panel")
  func live() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      let (panel, stream) = Self.followedPanel(hub)
      #expect(access(hub.file("lock"), F_OK) != 0, "a hub was started")
      #expect(Self.call(hub, "run", "-d", "line", "three").output == "1\n")
      let shown = Self.wait(for: 1, of: "line", on: stream)
      let running = panel.wait(for: shown, "\"outputs\":1").body
      #expect(
        running.contains(
          #""command":"line","input":{"word":"three"},"state":"running","requested":true,"by":"command line","hub":1,"#
        ), "\(running)")
      // It runs in another process, so that the panel's own is not kept from running.
      let own = panel.execute("line")
      #expect(own != shown)
      let lines = panel.send("POST", "executions/\(shown)/input", #"{"text": "a"}"#)
      #expect(lines.status == 409)
      #expect(
        lines.body.contains(
          "execution \(shown) runs in the hub; to send it a line: raclette :input 1 TEXT"),
        "\(lines)")
      hub.folder.write("", to: "go")
      let end = panel.wait(for: shown, "\"state\":\"failed\"").body
      #expect(end.contains("exited with status 3\""), "\(end)")
      #expect(end.contains("\"outputs\":3,"), "\(end)")
      let values = panel.send("GET", "executions/\(shown)/values").body
      let texts = values.matches(of: /"type":"(\w+)",[^}]*"value":"(\w+)"/).map {
        "\($0.1) \($0.2)"
      }
      #expect(texts == ["next one", "next three", "stderr bad"], "\(values)")
      panel.wait(for: own, "\"state\":\"failed\"")
      let all = panel.send("GET", "executions").body
      #expect(all.matches(of: /"id":/).count == 2, "\(all)")
      #expect(all.matches(of: /"hub":/).count == 1, "\(all)")
      stream.wait(for: "\"type\":\"error\"", count: 2)
      #expect(
        stream.text.matches(of: /"type":"execution_started","command":"line"/).count == 2,
        "\(stream.text)")
      _ = panel.end()
      // The panel keeps its own.
      let next = Self.panel(hub)
      let kept = next.send("GET", "executions").body
      #expect(kept.matches(of: /"id":(\d+)/).map { String($0.1) } == ["\(own)"], "\(kept)")
      _ = next.end()
    }
  }

  @Test("that ran before the panel began are shown, and cancelled from the page")
  func cancelled() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      _ = Self.call(hub, "run", "-d", "quick")
      #expect(Self.call(hub, "attach", "1").output == "done\n")
      #expect(Self.call(hub, "run", "-d", "long").output == "2\n")
      let panel = Self.panel(hub)
      var all = ""
      eventually {
        all = panel.send("GET", "executions").body
        return all.contains("\"hub\":2")
      }
      #expect(!all.contains("\"hub\":1"), "\(all)")
      let shown = all.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) } ?? -1
      panel.wait(for: shown, "\"outputs\":1")
      let reply = panel.send(
        "DELETE", "executions/\(shown)", headers: ["Sec-Fetch-Site": "same-origin"])
      #expect(reply.status == 202, "\(reply)")
      let end = panel.wait(for: shown, "\"state\":\"cancelled\"").body
      #expect(end.contains("\"cancelled_by\":\"page\""), "\(end)")
      let listed = Self.call(hub, "ps", "--json").output
      #expect(listed.contains("\"cancelled_by\":\"page\""), "\(listed)")
      _ = panel.end()
    }
  }

  @Test("are shown with what they need, also if that is private")
  func needs() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      let (panel, stream) = Self.followedPanel(hub)
      _ = Self.call(hub, "run", "-d", "build")
      let build = Self.wait(for: 1, of: "build", on: stream)
      let prepare = Self.wait(for: 2, of: "prepare", on: stream)
      let need = panel.send("GET", "executions/\(prepare)").body
      #expect(need.contains("\"for\":\(build),"), "\(need)")
      hub.folder.write("", to: "go")
      panel.wait(for: build, "\"state\":\"completed\"")
      panel.wait(for: prepare, "\"state\":\"completed\"")
      _ = panel.end()
    }
  }

  @Test("are shown by a panel that has missed their events")
  func missed() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      _ = Self.call(hub, "run", "-d", "long")
      let panel = Self.panel(hub)
      var all = ""
      eventually {
        all = panel.send("GET", "executions").body
        return all.contains("\"outputs\":1")
      }
      let long = all.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) } ?? -1
      panel.running.get(signal: SIGSTOP)
      // More events than the connection takes, and then more than a hub keeps.
      _ = Self.call(hub, "run", "-d", "log")
      #expect(Self.call(hub, "attach", "2").status == 0)
      #expect(Self.call(hub, "run", "-d", "quick").output == "3\n")
      #expect(Self.call(hub, "attach", "3").output == "done\n")
      #expect(Self.call(hub, "cancel", "1").status == 0)
      #expect(Self.call(hub, "attach", "1").output == "up\n")
      _ = Self.call(hub, "run", "-d", "log")
      #expect(Self.call(hub, "attach", "4").status == 0)
      panel.running.get(signal: SIGCONT)
      let end = panel.wait(for: long, "\"state\":\"cancelled\"").body
      #expect(end.contains("\"cancelled_by\":\"command line\""), "\(end)")
      #expect(end.contains("\"outputs\":1,"), "\(end)")
      eventually {
        all = panel.send("GET", "executions").body
        return all.matches(of: /"state":"completed"/).count == 3
      }
      #expect(
        all.contains(
          /"command":"quick","input":\{\},"state":"completed",[^{]*"hub":3,[^{]*"outputs":1,/),
        "\(all)")
      #expect(all.matches(of: /"id":/).count == 4, "\(all)")
      _ = panel.end()
    }
  }

  @Test("are lost with a hub that is killed, and those of its successor are shown")
  func killed() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      let (panel, stream) = Self.followedPanel(hub)
      _ = Self.call(hub, "run", "-d", "long")
      let shown = Self.wait(for: 1, of: "long", on: stream)
      panel.wait(for: shown, "\"outputs\":1")
      kill(hub.process, SIGKILL)
      let end = panel.wait(for: shown, "\"state\":\"failed\"").body
      #expect(
        end.contains(
          #""error":{"kind":"lost","message":"it was lost with the hub that was killed""#),
        "\(end)")
      #expect(Self.call(hub, "run", "-d", "quick").output == "2\n")
      let next = Self.wait(for: 2, of: "quick", on: stream)
      panel.wait(for: next, "\"state\":\"completed\"")
      _ = panel.end()
    }
  }

  @Test("end with a hub that is ended, and all that the next one executes is shown")
  func ended() async {
    let hub = HubFolder(commands: Self.commands)
    await onThread {
      let (panel, stream) = Self.followedPanel(hub)
      _ = Self.call(hub, "run", "-d", "long")
      let shown = Self.wait(for: 1, of: "long", on: stream)
      panel.wait(for: shown, "\"outputs\":1")
      let process = hub.process
      kill(process, SIGTERM)
      let end = panel.wait(for: shown, "\"state\":\"cancelled\"").body
      #expect(end.contains("\"cancelled_by\":\"hub\""), "\(end)")
      eventually { hasEnded(process) }
      // A result that nobody has read would keep the next hub. It is not shown again.
      #expect(Self.call(hub, "attach", "1").output == "up\n")
      for number in 2...3 {
        #expect(Self.call(hub, "run", "-d", "quick").output == "\(number)\n")
        let next = Self.wait(for: number, of: "quick", on: stream)
        let reply = panel.wait(for: next, "\"state\":\"completed\"").body
        #expect(reply.contains("\"outputs\":1,"), "\(reply)")
        #expect(Self.call(hub, "attach", "\(number)").output == "done\n")
        // It holds nothing now, and the panel does not keep it.
        hub.waitForEndOfHub()
      }
      _ = panel.end()
    }
  }
}
