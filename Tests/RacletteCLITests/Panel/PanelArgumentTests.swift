import Platform
import Testing

/// Input of presses as it was typed: the words of a command line, by their parameters.
@Suite("the arguments of a press", .timeLimit(.minutes(5)))
struct PanelArgumentTests {
  private static let commands = """
    rac.command{name = "build", params = {
      {name = "target", required = true, choices = {"debug", "release"}},
      {name = "jobs", type = "integer"}, {name = "ratio", type = "number"},
      {name = "fast", type = "boolean"}},
      run = function(input) return input end}
    rac.command{name = "pack", params = {{name = "target"}, {name = "files", rest = true}},
      run = function(input) return input end}
    rac.command{name = "open", params = "any", run = function(input) return input end}
    """

  @Test("are the same values as on the command line, and have the same messages")
  func equal() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for (name, value) in [
        ("jobs", "1e3"), ("jobs", "2.0"), ("jobs", "99999999999999999999"), ("jobs", ""),
        ("jobs", "9007199254740993"), ("jobs", " 1"), ("jobs", "0x10"), ("jobs", "-3"),
        ("ratio", "1e400"), ("ratio", "nan"), ("ratio", "1e3"), ("ratio", "0.1"),
        ("fast", "yes"), ("fast", "maybe"), ("target", "fast"), ("target", "--"),
        ("trget", "debug"),
        ("fast", "true"), ("input", "{\"jobs\": 1e400}"), ("input", "{\"jobs\": 2}"),
        ("input", "["),
      ] {
        let given = name == "target" ? [(name, value)] : [("target", "debug"), (name, value)]
        let body = given.map { "\"\($0)\": \"\($1.replacing("\"", with: "\\\""))\"" }
        let reply = panel.send(
          "POST", "commands/build/executions", "{\"arguments\": {\(body.joined(separator: ", "))}}")
        let run = Running(
          Launch(
            arguments: ["run", "build"] + given.map { "--\($0)=\($1)" }, folder: panel.folder.path)
        ).finish()
        if run.status == 0 {
          #expect(reply.status == 201, "\(name)=\(value): \(reply.body)")
          let id = reply.body.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) } ?? 0
          panel.wait(for: id, "\"state\":\"completed\"")
          let values = panel.send("GET", "executions/\(id)/values").body
          #expect(values.contains("\"value\":\(run.output.dropLast())}"), "\(values) \(run.output)")
        } else {
          let message = run.errors.dropFirst("raclette: error: ".count).prefix { $0 != "\n" }
            .replacing("\"", with: "\\\"")
          let field = name == "input" ? "" : ",\"field\":\"\(name)\""
          #expect(reply.status == 422, "\(name)=\(value)")
          #expect(
            reply.body == "{\"error\":{\"kind\":\"input\",\"message\":\"\(message)\"\(field)}}\n")
        }
      }
      _ = panel.end()
    }
  }

  @Test("a rest parameter takes a list, and a command without parameters what it is given")
  func lists() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for (command, arguments, value) in [
        (
          "pack", #"{"target": "debug", "files": ["-a", "b c"]}"#,
          #"{"files":["-a","b c"],"target":"debug"}"#
        ),
        ("pack", #"{"target": "debug", "files": []}"#, #"{"files":[],"target":"debug"}"#),
        ("pack", #"{"target": ["debug"], "files": "a"}"#, #"{"files":["a"],"target":"debug"}"#),
        ("open", #"{"jobs": "1e3"}"#, #"{"jobs":"1e3"}"#),
        ("open", #"{"input": "[1, 9007199254740993]"}"#, "[1,9007199254740993]"),
      ] {
        let id = panel.execute(command, "{\"arguments\": \(arguments)}")
        panel.wait(for: id, "\"state\":\"completed\"")
        let values = panel.send("GET", "executions/\(id)/values").body
        #expect(values.contains("\"value\":\(value)}"), "\(values)")
      }
      for (body, status, message) in [
        (
          #"{"arguments": {"jobs": 3}}"#, 400,
          "field 'arguments' must be an object of strings and lists of strings"
        ),
        (
          #"{"arguments": ["a"]}"#, 400,
          "field 'arguments' must be an object of strings and lists of strings"
        ),
        (
          #"{"arguments": {}, "input": {}}"#, 400,
          "the input is given by 'input' or by 'arguments', not by both"
        ),
        (#"{"arguments": {}}"#, 422, "build: parameter 'target' is required"),
        (
          #"{"arguments": {"target": ["debug", "release"]}}"#, 422,
          "build: parameter 'target' is given twice"
        ),
      ] {
        let reply = panel.send("POST", "commands/build/executions", body)
        #expect(reply.status == status)
        #expect(reply.body.contains("\"message\":\"\(message)\""), "\(reply.body)")
      }
      _ = panel.end()
    }
  }

  @Test("a refused input names its parameter, and does not show a secret")
  func field() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "login", secrets = {"pin"},
          params = {{name = "pin", type = "integer"}}, run = "true"}
        """)
      for body in [#"{"input": {"pin": "x7y"}}"#, #"{"arguments": {"pin": "x7y"}}"#] {
        let reply = panel.send("POST", "commands/login/executions", body)
        #expect(reply.status == 422)
        #expect(
          reply.body
            == "{\"error\":{\"kind\":\"input\",\"message\":\"login: parameter 'pin' takes an integer, "
            + "got '***'\",\"field\":\"pin\"}}\n")
      }
      _ = panel.end()
    }
  }

  @Test("a question comes with all that would be executed, and a command says what comes first")
  func steps() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "fetch", run = "true"}
        rac.command{name = "lint", run = "true"}
        rac.command{name = "build", needs = {"fetch"}, params = {{name = "target"}}, run = "true"}
        rac.command{name = "deploy", needs = {"lint", {"build", target = "release"}}, confirm = "Sure?",
          params = {{name = "region", default = "eu"}}, run = "true"}
        rac.command{name = "drop", confirm = function() return "All of it?" end, run = "true"}
        """)
      #expect(
        panel.send("POST", "commands/deploy/executions", "{}").body
          == "{\"error\":{\"kind\":\"confirm\",\"message\":\"it asks before it is executed; send it "
          + "again with \\\"confirmed\\\": true\",\"questions\":[{\"command\":\"deploy\",\"question\":"
          + "\"Sure?\"}],\"steps\":[{\"command\":\"lint\",\"input\":{}},{\"command\":\"fetch\","
          + "\"input\":{}},{\"command\":\"build\",\"input\":{\"target\":\"release\"}},{\"command\":"
          + "\"deploy\",\"input\":{\"region\":\"eu\"}}]}}\n")
      let list = panel.send("GET", "commands").body
      #expect(
        list.contains(
          "\"confirm\":\"Sure?\",\"asks\":true,\"needs\":[\"lint\",\"build target=release\"],"
            + "\"first\":[\"lint\",\"fetch\",\"build\"]"), "\(list)")
      #expect(list.contains("\"params\":[],\"asks\":true,\"steps\":[\"true\"]"), "\(list)")
      _ = panel.end()
    }
  }
}
