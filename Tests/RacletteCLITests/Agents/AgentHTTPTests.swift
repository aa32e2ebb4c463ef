import Platform
import Testing

/// The Model Context Protocol at the panel's `/mcp`.
@Suite("the panel's /mcp", .timeLimit(.minutes(5)))
struct AgentHTTPTests {
  private static let commands = #"""
    rac.command{name = "hello", params = {{name = "who", default = "you"}}, run = "echo hello $who"}
    rac.command{name = "deploy", confirm = "Really?", run = "echo deployed"}
    rac.command{name = "wait", run = "cat go >/dev/null; exec sleep 1000"}
    """#
  private static func meta(_ capabilities: String = "{}") -> String {
    #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":\#(capabilities)}"#
  }

  private static func call(
    _ arguments: String, more: String = "", _ meta: String = meta()
  ) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":\#(arguments)\#(more),\#(meta)}}"#
  }

  private static let headers: [String: String?] = [
    "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run",
  ]

  /// Sends a message whose answer is read later.
  private static func begin(
    _ body: String, _ headers: [String: String?] = headers, on panel: PanelProgram
  ) -> TestConnection {
    let connection = panel.connect()
    let lines = panel.headers(headers, hasBody: true).map { "\($0.key): \($0.value)\r\n" }
    connection.write(
      Array(
        ("POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
          + lines.joined() + "\r\n" + body).utf8))
    return connection
  }

  @Test("has the panel's gate")
  func gate() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
      for (method, body, headers, status) in [
        ("POST", body, ["Host": "evil.example"], 421),
        ("POST", body, ["Origin": "http://evil.example"], 403),
        ("POST", body, ["Sec-Fetch-Site": "cross-site"], 403),
        ("POST", body, ["Authorization": "Bearer x"], 401),
        ("POST", body, ["Content-Type": "text/plain"], 415), ("GET", nil, [:], 405),
        ("PUT", body, [:], 405), ("DELETE", nil, [:], 400),
      ] as [(String, String?, [String: String?], Int)] {
        let reply = panel.send(method, "/mcp", body, headers: headers)
        #expect(reply.status == status, "\(method) \(headers) \(reply)")
      }
      #expect(
        panel.send("POST", "/mcp", body).body == #"{"jsonrpc":"2.0","id":1,"result":{}}"# + "\n")
      _ = panel.end()
    }
  }

  @Test("answers requests of the current revision, whose headers have to repeat them")
  func current() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let hello = Self.call(#"{"command":"hello"}"#)
      let reply = panel.send("POST", "/mcp", hello, headers: Self.headers)
      #expect(reply.status == 200)
      #expect(
        reply.body.replacingDurations().contains(
          #"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"completed: hello {\"who\":\"you\"} (TIME, #1)\n  hello you\n"}],"structuredContent":{"number":1,"command":"hello","state":"completed","outputs":1},"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}}}"#
            + "\n"), "\(reply)")
      for (header, value) in [
        ("MCP-Protocol-Version", "2025-11-25"), ("MCP-Protocol-Version", nil),
        ("Mcp-Method", "tools/list"), ("Mcp-Name", "look"), ("Mcp-Name", nil),
      ] as [(String, String?)] {
        let refused = panel.send(
          "POST", "/mcp", hello, headers: Self.headers.merging([header: value]) { $1 })
        #expect(refused.status == 400)
        #expect(
          refused.body
            == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"the header '\#(header)' is missing or differs from the body"}}"#
            + "\n")
      }
      let encoded = panel.send(
        "POST", "/mcp", hello, headers: Self.headers.merging(["Mcp-Name": "=?base64?cnVu?="]) { $1 }
      )
      #expect(encoded.status == 200)
      for (body, headers, status, error) in [
        ("{", [:], 400, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
        ("[]", [:], 400, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
        (
          #"{"jsonrpc":"2.0","id":1,"method":"nothing","params":{\#(Self.meta())}}"#,
          ["MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "nothing"], 404,
          #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"#
        ),
        (
          #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",\#(Self.meta())}}"#,
          [
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "x",
          ], 400, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool 'x'"}}"#
        ),
        (
          #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, ["MCP-Protocol-Version": "1999"], 400,
          #"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"#
        ),
        (
          #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
          ["MCP-Protocol-Version": "2026-07-28"],
          400, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#
        ),
      ] as [(String, [String: String?], Int, String)] {
        let refused = panel.send("POST", "/mcp", body, headers: headers)
        #expect(refused.status == status, "\(body) \(refused)")
        #expect(refused.body.hasPrefix(error), "\(body) \(refused)")
      }
      let note = panel.send(
        "POST", "/mcp", #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
      #expect(note.status == 202)
      #expect(note.body == "")
      _ = panel.end()
    }
  }

  @Test("asks by a result")
  func question() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let meta = Self.meta(#"{"elicitation":{}}"#)
      let first = panel.send(
        "POST", "/mcp", Self.call(#"{"command":"deploy"}"#, meta), headers: Self.headers)
      #expect(first.body.contains(#""requestState":"1","resultType":"input_required""#), "\(first)")
      let second = panel.send(
        "POST", "/mcp",
        Self.call(
          #"{"command":"deploy"}"#,
          more: #","inputResponses":{"confirm":{"action":"accept"}},"requestState":"1""#, meta),
        headers: Self.headers)
      #expect(second.body.contains(#"#1)\n  deployed\n"}]"#), "\(second)")
      _ = panel.end()
    }
  }

  @Test("a client that leaves before the answer ends what it has started")
  func departure() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let panel = PanelProgram(folder, [])
      let pipe = folder.makePipe("go")
      let body = Self.call(#"{"command":"wait","wait":300}"#)
      var connections = [Self.begin(body, on: panel)]
      write("x", toPipe: pipe)
      panel.wait(for: 1, #""state":"running""#)
      connections.removeAll()
      panel.wait(for: 1, #""state":"cancelled","requested":true,"by":"agent","#)
      #expect(panel.send("GET", "executions/1").body.contains(#""cancelled_by":"agent""#))
      _ = panel.end()
    }
  }

  @Test("calls under way at the same time have nothing to do with each other")
  func parallelCalls() async {
    await onThread {
      let names = ["one", "two", "three"]
      let folder = Folder(
        commands: names.map {
          "rac.command{name = '\($0)', run = 'cat \($0)-go; echo \($0)'}\n"
        }.joined())
      let pipes = names.map { folder.makePipe("\($0)-go") }
      let panel = PanelProgram(folder, [])
      var connections: [TestConnection?] = []
      for (index, name) in names.enumerated() {
        connections.append(
          Self.begin(Self.call("{\"command\":\"\(name)\",\"wait\":300}"), on: panel))
        panel.wait(for: index + 1, #""state":"running""#)
      }
      connections[1] = nil
      panel.wait(for: 2, #""state":"cancelled""#)
      for index in [2, 0] {
        panel.wait(for: index + 1, #""state":"running""#)
        write("x\n", toPipe: pipes[index])
        let reply = HTTPReply(connections[index]?.readToEnd() ?? [])
        #expect(
          reply.body.replacingDurations().contains(
            #"[{"type":"text","text":"completed: \#(names[index]) (TIME, #\#(index + 1))\n  x\n  \#(names[index])\n"}]"#
          ), "\(reply)")
      }
      _ = panel.end()
    }
  }

  @Test("a call that its session cancels ends its execution and its response")
  func cancelledCall() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let panel = PanelProgram(folder, [])
      let pipe = folder.makePipe("go")
      let headers: [String: String?] = [
        "Mcp-Session-Id": "a", "MCP-Protocol-Version": "2025-11-25",
      ]
      let call =
        #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run","arguments":{"command":"wait","wait":300}}}"#
      let connection = Self.begin(call, headers, on: panel)
      write("x", toPipe: pipe)
      panel.wait(for: 1, #""state":"running""#)
      #expect(
        panel.send("POST", "/mcp", call, headers: headers).body
          == #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"a request with this id is under way"}}"#
          + "\n")
      let note = panel.send(
        "POST", "/mcp",
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        headers: headers)
      #expect(note.status == 202)
      let reply = HTTPReply(connection.readToEnd())
      #expect(reply.status == 200)
      #expect(!reply.body.contains("jsonrpc"), "\(reply)")
      panel.wait(for: 1, #""state":"cancelled""#)
      _ = panel.end()
    }
  }

  @Test("a session of the previous revision is a name, with which its executions end")
  func session() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let panel = PanelProgram(folder, [])
      let pipe = folder.makePipe("go")
      let greeting = panel.send(
        "POST", "/mcp",
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}"#
      )
      let name = greeting.headers["mcp-session-id"] ?? ""
      #expect(name.count >= 16, "\(greeting)")
      // There is no way back by which a change could be reported.
      #expect(greeting.body.contains(#""capabilities":{"tools":{"listChanged":false},"tasks":"#))
      let headers: [String: String?] = [
        "Mcp-Session-Id": name, "MCP-Protocol-Version": "2025-11-25",
      ]
      let call = { (arguments: String) in
        panel.send(
          "POST", "/mcp",
          #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":\#(arguments)}}"#,
          headers: headers)
      }
      #expect(
        panel.send("POST", "/mcp", "[]", headers: headers).body
          == #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message must be one object"}}"#
          + "\n")
      // There is no way back by which it could be asked.
      #expect(call(#"{"command":"deploy"}"#).body.contains(#"answer {\"question\": 1, "#))
      #expect(call(#"{"command":"wait","wait":0}"#).body.contains(#""number":1,"#))
      write("x", toPipe: pipe)
      #expect(panel.send("DELETE", "/mcp", headers: headers).status == 204)
      panel.wait(for: 1, #""state":"cancelled""#)
      _ = panel.end()
    }
  }

  @Test("a panel that is read only shows, and executes nothing")
  func readOnly() async {
    await onThread {
      let panel = PanelProgram(Folder(commands: Self.commands), ["--read-only"])
      let refused = panel.send(
        "POST", "/mcp", Self.call(#"{"command":"hello"}"#), headers: Self.headers)
      #expect(refused.body.contains(#""structuredContent":{"error":"read_only"},"isError":true"#))
      let list = panel.send(
        "POST", "/mcp",
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list",\#(Self.meta())}}"#,
        headers: Self.headers.merging(["Mcp-Name": "list"]) { $1 })
      #expect(list.body.contains(#"hello [who]\ndeploy\nwait\n"#), "\(list)")
      _ = panel.end()
    }
  }

  @Test("a request that stands alone belongs to no session that anybody could end")
  func alone() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let pipe = folder.makePipe("go")
      let panel = PanelProgram(folder, [])
      let begun = panel.send(
        "POST", "/mcp", Self.call(#"{"command":"wait","wait":0}"#), headers: Self.headers)
      #expect(begun.body.contains(#""state":"running""#), "\(begun)")
      for (name, status) in [("http", 204), ("request", 204), ("", 400)] {
        #expect(
          panel.send("DELETE", "/mcp", headers: ["Mcp-Session-Id": name]).status == status,
          "\(name)")
      }
      write("x", toPipe: pipe)
      #expect(panel.send("GET", "executions/1").body.contains(#""state":"running""#))
      _ = panel.end()
    }
  }

  @Test("has tasks, whose names a header repeats")
  func tasks() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let meta = Self.meta(#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#)
      let created = panel.send(
        "POST", "/mcp", Self.call(#"{"command":"hello"}"#, meta), headers: Self.headers)
      let id =
        created.body.firstMatch(of: /"taskId":"([^"]*)"/).map { String($0.output.1) } ?? ""
      #expect(id.hasPrefix("1-"), "\(created)")
      let get =
        #"{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"\#(id)",\#(meta)}}"#
      let headers: [String: String?] = [
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tasks/get", "Mcp-Name": id,
      ]
      eventually {
        panel.send("POST", "/mcp", get, headers: headers).body.contains(#"\n  hello you\n"#)
      }
      let other = panel.send(
        "POST", "/mcp", get, headers: headers.merging(["Mcp-Name": "1-x"]) { $1 })
      #expect(other.status == 400)
      #expect(other.body.contains("the header 'Mcp-Name' is missing or differs from the body"))
      let lacks = panel.send(
        "POST", "/mcp", get.replacing(meta, with: Self.meta()), headers: headers)
      #expect(lacks.status == 400)
      #expect(lacks.body.contains(#""code":-32021"#), "\(lacks)")
      _ = panel.end()
    }
  }
}
