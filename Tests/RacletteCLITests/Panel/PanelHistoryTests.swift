import Platform
import Testing

/// What the panel tells of executions that have ended, by their commands.
@Suite("the panel's history of a command", .timeLimit(.minutes(5)))
struct PanelHistoryTests {
  private static let commands = """
    rac.command{name = "build", aliases = {"b"}, params = {{name = "n", type = "integer"}},
      run = function(input)
        if input.n == 3 then return rac.exec{"sh", "-c", "exit 7"} end
      end}
    rac.command{name = "new", run = "true"}
    rac.command{name = "ask", enabled = function() rac.sleep(0.01) return false end, run = "true"}
    """

  @Test("lists the ended executions, the latest first, and says if there are more")
  func list() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for n in 1...3 {
        panel.wait(for: panel.execute("build", "{\"input\": {\"n\": \(n)}}"), "\"ended\":")
      }
      let all = panel.send("GET", "commands/b/history").body
      #expect(
        all.hasPrefix(#"{"command":"build","executions":[{"id":3,"state":"failed","#), "\(all)")
      let ids = all.matches(of: /"id":(\d+)/).map { String($0.1) }
      #expect(ids == ["3", "2", "1"])
      #expect(all.contains("\"input\":{\"n\":3}"))
      #expect(all.contains("\"code\":7,\"error\":{\"kind\":\"exit\",\"message\":\""), "\(all)")
      #expect(all.hasSuffix("],\"more\":false}\n"))
      #expect(
        all.firstMatch(
          of:
            /"id":1,"state":"completed","duration":[\d.e-]+,"input":{"n":1},"by":"client","created":[\d.]+,"started":[\d.]+,"ended":[\d.]+}/
        ) != nil, "\(all)")
      let two = panel.send("GET", "commands/build/history?limit=2&days=1").body
      #expect(two.matches(of: /"id":(\d+)/).map { String($0.1) } == ["3", "2"])
      #expect(two.hasSuffix("],\"more\":true}\n"))
      #expect(
        panel.send("GET", "commands/new/history").body
          == "{\"command\":\"new\",\"executions\":[],\"more\":false}\n")
      for (path, status) in [
        ("commands/none/history", 404), ("commands/new/history?limit=0", 400),
        ("commands/new/history?days=x", 400),
      ] {
        #expect(panel.send("GET", path).status == status)
      }
      _ = panel.end()
    }
  }

  @Test("the list of commands has the last result and those before it")
  func results() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for n in [1, 3] {
        panel.wait(for: panel.execute("build", "{\"input\": {\"n\": \(n)}}"), "\"ended\":")
      }
      #expect(panel.send("POST", "commands/ask/executions", "{}").status == 409)
      let list = panel.send("GET", "commands").body
      #expect(
        list.firstMatch(
          of:
            /"last":{"id":2,"state":"failed","duration":[\d.e-]+,"ended":[\d.]+},"recent":\[{"id":2,"state":"failed","duration":[\d.e-]+},{"id":1,"state":"completed","duration":[\d.e-]+}\]}/
        ) != nil, "\(list)")
      #expect(list.matches(of: /"last":/).count == 1, "\(list)")
      _ = panel.end()
    }
  }
}
