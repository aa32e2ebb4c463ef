import Testing

/// What no byte of the panel may hold.
@Suite("the panel's secrets", .timeLimit(.minutes(5)))
struct PanelSecretTests {
  /// A secret in every text of a definition that pages show.
  private static let commands = """
    rac.env.KEY = "sesame-17"
    local key = rac.env.KEY
    local live = rac.behavior_subject(rac.tuple(false, "live " .. key))
    rac.command{name = "all", secrets = {"KEY", "pass"},
      summary = "summary " .. key, description = "description " .. key,
      params = {{name = "pass", default = "default-23", help = "help " .. key},
        {name = "n", choices = {"a " .. key, "b"}}},
      panel = {pin = true, refresh = true, input = {pass = "pinned-31", n = "b"}},
      confirm = "Really with " .. key .. "?", run = function(input, emit) emit(input) end}
    rac.command{name = "predicate", enabled = function() return false, "asked " .. key end, run = "true"}
    rac.command{name = "pre", precondition = function() return false, "before " .. key end, run = "true"}
    rac.command{name = "live", enabled = live, run = "true"}
    rac.command{name = "fails", enabled = rac.error("broken " .. key), run = "true"}
    rac.command{name = "logs", run = function(_, emit)
      rac.log.info("log " .. key) emit({[key] = key}) emit("a " .. key .. "\\n" .. key)
      rac.sh("echo out; echo " .. key .. " >&2"):wait()
      rac.sh("printf " .. key, {output = "bytes"}):subscribe(emit)
      error({message = key, kind = "user"}) end}
    """

  @Test("no byte of any route holds one, wherever a definition has it")
  func everywhere() async {
    await onThread {
      let panel = PanelProgram(Self.commands, "--json")
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\nid: ")
      var bytes: [UInt8] = []
      let send = { (method: String, path: String, body: String?) in
        let reply = panel.send(method, path, body)
        bytes += reply.bytes
        return reply
      }
      #expect(send("GET", "commands", nil).status == 200)
      #expect(send("POST", "commands/all/executions", "{}").body.contains("\"kind\":\"confirm\""))
      #expect(send("POST", "commands/all/executions", #"{"pinned": true}"#).status == 409)
      for body in [
        #"{"pinned": true, "confirmed": true}"#,
        #"{"confirmed": true, "input": {"pass": "typed-47"}}"#,
      ] {
        let reply = send("POST", "commands/all/executions", body)
        let id = reply.body.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) } ?? -1
        bytes += panel.wait(for: id, "\"state\":\"completed\"").bytes
        _ = send("GET", "executions/\(id)/values", nil)
      }
      #expect(
        send("POST", "pages/P/refreshes", #"{"command": "all", "confirmed": true}"#).status == 202)
      #expect(stream.wait(for: "\"type\":\"refreshed\""))
      for (name, text) in [
        ("predicate", "asked ***"), ("pre", "before ***"), ("live", "live ***"),
        ("fails", "broken ***"),
      ] {
        let reply = send("POST", "commands/\(name)/executions", "{}")
        #expect(reply.status == 409 && reply.body.contains(text), "\(reply)")
      }
      let logs = panel.execute("logs")
      bytes += panel.wait(for: logs, "\"state\":\"failed\"").bytes
      for path in ["executions", "executions/\(logs)/values", "commands", "timeline.svg"] {
        #expect(send("GET", path, nil).status == 200)
      }
      _ = send("POST", "commands/all/executions", #"{"input": {"n": "typed-47"}}"#)
      _ = send("POST", "commands/all/executions", #"{"input": {"sesame-17": 1}}"#)
      _ = send("GET", "commands/sesame-17", nil)
      let followed = panel.stream("events?look=\(logs)")
      followed.wait(for: "\"n\":2,")
      panel.folder.write("error('changed ' .. rac.env.KEY)", to: "commands.lua")
      #expect(stream.wait(for: "\"type\":\"reloaded\",\"error\":"))
      _ = send("GET", "commands", nil)
      let end = panel.end()
      bytes += stream.readToEnd().utf8
      bytes += followed.readToEnd().utf8
      bytes += Array((end.output + end.errors).utf8)
      let text = String(decoding: bytes, as: UTF8.self)
      for secret in ["sesame-17", "default-23", "pinned-31", "typed-47"] {
        #expect(!text.contains(secret), "\(secret): \(text)")
      }
      #expect(!text.contains("c2VzYW1lLTE3"), "nor in Base64")
    }
  }

  @Test("one that looks like a number leaves the documents what they are")
  func short() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "a1", secrets = {"n"}, params = {{name = "n", default = "1"}}, run = "true"}
        """)
      let execution = panel.execute("a1")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let commands = panel.send("GET", "commands").body
      #expect(commands.contains("\"name\":\"a1\""))
      #expect(commands.contains("\"running\":0,\"limit\":1,\"queued\":0"))
      #expect(panel.send("GET", "executions/1").body.contains("\"id\":1,\"command\":\"a1\""))
      _ = panel.end()
    }
  }
}
