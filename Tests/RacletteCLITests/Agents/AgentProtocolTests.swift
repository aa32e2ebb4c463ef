import Platform
import Testing

/// The messages of the Model Context Protocol, in both of its present forms.
@Suite("raclette mcp: the protocol", .timeLimit(.minutes(5)))
struct AgentProtocolTests {
  private static let meta =
    #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

  /// Sends lines to a server and returns the lines that it answers with.
  private func answers(_ lines: String...) async -> Outcome {
    let folder = HubFolder(commands: "rac.command{name = 'a', run = 'echo a'}")
    var launch = folder.launch("mcp")
    launch.input = .text(lines.map { $0 + "\n" }.joined())
    return await onThread { [launch] in Running(launch).finish() }
  }

  @Test("initialize is answered with the revision that the client asks for, or with the latest")
  func initialize() async {
    let tasks = #","tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#
    for (asked, answered, more) in [
      ("2025-11-25", "2025-11-25", tasks), ("2025-06-18", "2025-06-18", ""),
      ("2024-11-05", "2025-11-25", tasks), ("2026-07-28", "2025-11-25", tasks),
    ] {
      let run = await answers(
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(asked)","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
      #expect(
        run.lines.first?.hasPrefix(
          #"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"\#(answered)","capabilities":{"tools":{"listChanged":true}\#(more)},"serverInfo":{"name":"raclette","version":"0.1.0"},"instructions":"The commands of this project. "#
        ) == true, "\(run)")
      #expect(run.lines.dropFirst() == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#])
      #expect(run.errors == "")
      #expect(run.status == 0)
    }
  }

  @Test("server/discover is answered at once, and a client that ignores it may still initialize")
  func discover() async {
    let run = await answers(
      #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.meta)}}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#
    )
    #expect(run.lines.count == 2, "\(run)")
    #expect(
      run.lines.first?.hasPrefix(
        #"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18"],"capabilities":{"tools":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{}}},"instructions":"#
      ) == true, "\(run)")
    #expect(
      run.lines.first?.hasSuffix(
        #""resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}}}"#
      ) == true, "\(run)")
  }

  /// Messages and the errors that answer them; nil where there is none.
  private static let malformed: [(String, String?)] = [
    ("{", #"null,"error":{"code":-32700,"message":"the message is not JSON: "#),
    ("nonsense", #"null,"error":{"code":-32700,"message":"the message is not JSON: "#),
    (
      #"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
      #"null,"error":{"code":-32700,"message":"the message is not JSON: "#
    ),
    ("[]", #"null,"error":{"code":-32600,"message":"a message must be one object"}}"#),
    ("7", #"null,"error":{"code":-32600,"message":"a message must be one object"}}"#),
    (
      #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
      #"null,"error":{"code":-32600,"message":"a message must be one object"}}"#
    ),
    (
      #"{"id":1,"method":"ping"}"#,
      #"1,"error":{"code":-32600,"message":"field 'jsonrpc' must be \"2.0\""}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1}"#,
      #"1,"error":{"code":-32600,"message":"field 'method' is missing"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":7}"#,
      #"1,"error":{"code":-32600,"message":"field 'method' must be a string"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
      #"null,"error":{"code":-32600,"message":"field 'id' must be a string or an integer"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
      #"null,"error":{"code":-32600,"message":"field 'id' must be a string or an integer"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}"#,
      #""a","error":{"code":-32602,"message":"field 'params' must be an object"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}"#,
      #"1,"error":{"code":-32601,"message":"unknown method 'tools/destroy'"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
      #"1,"error":{"code":-32602,"message":"params._meta lacks 'io.modelcontextprotocol/protocolVersion' and 'io.modelcontextprotocol/clientCapabilities'; a client of an earlier revision sends 'initialize' first"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
      #"1,"error":{"code":-32602,"message":"params._meta lacks the object 'io.modelcontextprotocol/clientCapabilities'"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}"#,
      #"1,"error":{"code":-32602,"message":"'io.modelcontextprotocol/protocolVersion' in params._meta must be a string"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
      #"1,"error":{"code":-32022,"message":"unsupported protocol version '2031-01-01'","data":{"supported":["2026-07-28","2025-11-25","2025-06-18"],"requested":"2031-01-01"}}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{\#(meta)}}"#,
      #"1,"error":{"code":-32601,"message":"unknown method 'initialize'"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
      #"1,"error":{"code":-32602,"message":"field 'protocolVersion' must be a string"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
      #"1,"error":{"code":-32602,"message":"field 'capabilities' must be an object"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2",\#(meta)}}"#,
      #"1,"error":{"code":-32602,"message":"the list has one page: there is no such cursor"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{},\#(meta)}}"#,
      #"1,"error":{"code":-32602,"message":"field 'name' must be a string"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":[],\#(meta)}}"#,
      #"1,"error":{"code":-32602,"message":"field 'arguments' must be an object"}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{\#(meta)}}"#,
      #"1,"error":{"code":-32602,"message":"field 'notifications' must be an object"}}"#
    ),
    (#"{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}"#, nil),
    (#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, nil),
    (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#, nil),
    (#"{"jsonrpc":"2.0","id":99,"result":{}}"#, nil),
    (#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}"#, nil),
    (#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#, nil),
    (#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#, nil),
    (#"{"id":99,"result":{}}"#, nil),
    ("", nil), ("  ", nil),
  ]

  @Test("malformed messages are answered by the errors of the specification, and end nothing")
  func malformed() async {
    let folder = HubFolder(commands: "")
    await onThread {
      let session = AgentSession(folder, .current)
      for (index, (message, error)) in Self.malformed.enumerated() {
        let before = session.lines.count
        session.send(message)
        let ping = #"{"jsonrpc":"2.0","id":"p\#(index)","method":"ping"}"#
        session.send(ping)
        _ = session.answer(to: "\"p\(index)\"")
        let new = session.lines[before...].dropLast()
        if let error {
          #expect(new.count == 1, "\(message): \(new)")
          #expect(
            new.first?.hasPrefix(#"{"jsonrpc":"2.0","id":"# + error) == true, "\(message): \(new)")
        } else {
          #expect(new.isEmpty, "\(message): \(new)")
        }
      }
      let outcome = session.leave()
      #expect(outcome.errors == "")
      #expect(outcome.status == 0)
    }
  }

  @Test("what cannot be read is answered without an id where null is none")
  func withoutID() async {
    let run = await answers(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
      "[]", #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)
    #expect(
      run.lines.dropFirst() == [
        #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message must be one object"}}"#,
        #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"field 'id' must be a string or an integer"}}"#,
      ], "\(run)")
  }

  @Test("a message that is too long is refused, and the next one is read")
  func tooLong() async {
    let run = await answers(
      #"{"jsonrpc":"2.0","id":1,"method":""# + String(repeating: "x", count: 5 << 20) + #""}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
    #expect(
      run.lines == [
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message has at most 4 MiB"}}"#,
        #"{"jsonrpc":"2.0","id":2,"result":{}}"#,
      ])
  }

  @Test("ten thousand damaged messages end nothing")
  func damaged() async {
    let message = Array(
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{"number":1},\#(Self.meta)}}"#
        .utf8)
    var random = SystemRandomNumberGenerator()
    var text: [UInt8] = []
    for _ in 0..<10_000 {
      var damaged = message
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[place] = UInt8.random(in: 32...255, using: &random)
        case 1: damaged.remove(at: place)
        default: damaged.insert(UInt8.random(in: 32...126, using: &random), at: place)
        }
      }
      text += damaged + [10]
    }
    let folder = HubFolder(commands: "")
    folder.folder.write(text, to: "messages")
    let run = await shell(
      #"{ cat messages; echo '{"jsonrpc":"2.0","id":"last","method":"ping"}'; } | XDG_RUNTIME_DIR='\#(folder.runtime.path)' raclette mcp"#,
      in: folder.folder)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.lines.contains(#"{"jsonrpc":"2.0","id":"last","result":{}}"#))
    #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"jsonrpc":"2.0","#) && $0.hasSuffix("}") })
  }

  @Test("a folder without a command file is an error at the start")
  func noCommandFile() async {
    let run = await raclette("mcp", in: Folder())
    #expect(run.output == "")
    #expect(
      run.errorLines == [
        "raclette: error: no commands.lua here or in a folder above; 'raclette init' writes one, "
          + "-f FILE names another"
      ])
    #expect(run.status == 3)
  }

  @Test("a client that reads late loses no answer")
  func late() async {
    let folder = HubFolder(commands: "rac.command{name = 'a', run = 'echo a'}")
    // More than a pipe holds, so that the server waits for its reader.
    let lines = (1...2_000).map {
      #"{"jsonrpc":"2.0","id":\#($0),"method":"nothing","params":{\#(Self.meta)}}"# + "\n"
    }
    folder.folder.write(lines.joined(), to: "calls")
    let run = await shell(
      #"""
      mkfifo answers; raclette mcp <calls >answers & exec 3<answers
      grep -c '"code":-32601' <&3; wait
      """#, in: folder.folder)
    #expect(run.output == "2000\n", "\(run)")
  }
}
