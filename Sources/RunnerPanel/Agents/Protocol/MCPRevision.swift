import Scripting

/// A revision of the Model Context Protocol: what differs between them is in this table.
struct MCPRevision: Sendable {
  let name: String
  /// True if a session begins with `initialize`; else each request has the facts of its client in
  /// `_meta`.
  let hasHandshake: Bool
  /// True if a question is the result of the request, which the client repeats with the answer; else it
  /// is a request of the server's own.
  let asksByResult: Bool
  let tasks: MCPTasks
  let methods: [String: MCPMethod]

  /// The newest first.
  static let all = [
    MCPRevision(
      name: "2026-07-28", hasHandshake: false, asksByResult: true, tasks: .byClient,
      methods: [
        "server/discover": .discover, "tools/list": .listTools, "tools/call": .callTool,
        "subscriptions/listen": .listen,
      ]),
    handshake("2025-11-25", tasks: .byRequest),
    handshake("2025-06-18", tasks: .none),
  ]

  private init(
    name: String, hasHandshake: Bool, asksByResult: Bool, tasks: MCPTasks,
    methods: [String: MCPMethod]
  ) {
    self.name = name
    self.hasHandshake = hasHandshake
    self.asksByResult = asksByResult
    self.tasks = tasks
    self.methods = methods.merging(tasks.methods) { own, _ in own }
  }

  private static func handshake(_ name: String, tasks: MCPTasks) -> MCPRevision {
    MCPRevision(
      name: name, hasHandshake: true, asksByResult: false, tasks: tasks,
      methods: [
        "initialize": .initialize, "ping": .ping, "tools/list": .listTools,
        "tools/call": .callTool,
      ])
  }

  static func named(_ name: String) -> MCPRevision? { all.first { $0.name == name } }

  /// The one of a session that asks for another: the newest with a handshake.
  static var latestWithHandshake: MCPRevision { all.first { $0.hasHandshake } ?? all[0] }

  /// A result with what the revision wants in each.
  ///
  /// - Parameter isCacheable: true for lists, of which clients are told how long they may keep them.
  func result(
    _ fields: [(String, JSONValue)], _ type: String = "complete", isCacheable: Bool = false
  ) -> JSONValue {
    guard !hasHandshake else { return .object(fields) }
    // A list may be another one at any time.
    let caching: [(String, JSONValue)] =
      isCacheable ? [("ttlMs", .integer(0)), ("cacheScope", .string("private"))] : []
    return .object(
      fields + [("resultType", .string(type))] + caching
        + [("_meta", .object([(MCPKey.serverInfo, MCPFacts.server)]))])
  }
}

/// What a request of a client asks for.
enum MCPMethod {
  case initialize, ping, discover, listTools, callTool, listen
  case task(TaskRequest)
}

/// The names of what stands in `_meta`.
enum MCPKey {
  private static let prefix = "io.modelcontextprotocol/"
  static let version = prefix + "protocolVersion"
  static let capabilities = prefix + "clientCapabilities"
  static let serverInfo = prefix + "serverInfo"
  static let subscription = prefix + "subscriptionId"
  static let relatedTask = prefix + "related-task"
  /// The extension of tasks.
  static let tasks = prefix + "tasks"
}

/// What the server says about itself.
enum MCPFacts {
  static let server = JSONValue.object([
    ("name", .string("raclette")), ("version", .string(ScriptHost.version)),
  ])

  static let instructions = """
    The commands of this project. Call list to see them, and run to execute one: it responds after \
    wait seconds at the latest with a number, and the command continues. look shows more of its \
    output by that number, cancel ends it, and answer provides what it asks for.
    """
}
