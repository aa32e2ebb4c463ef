import LuaRuntime
import Platform

extension ServiceRules {
  /// The keys that only a service has.
  private static let keys = ["ready", "ready_timeout", "restart", "linger", "on_lost"]
  /// The keys of other commands that a service cannot have.
  private static let refused = [
    "across", "cache", "concurrency", "depfile", "fingerprint", "interactive", "outputs",
    "pass_env", "retry",
    "scope",
    "sources", "timeout", "when_busy",
  ]

  /// Reads the keys of a service; nil if the definition is none.
  init?(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    let isService = try problems.part(false) { try fields.bool("service", problems) }
    guard isService else {
      for key in Self.keys where fields.type(key) != .nil {
        try problems.part(()) {
          throw problems.bad("field '\(key)' is for services: service = true")
        }
      }
      return nil
    }
    readiness = try problems.part(nil) { try Self.readiness(fields, problems) }
    readyTimeout = try problems.part(readyTimeout) {
      try Self.duration(fields, "ready_timeout", "ready_timeout", problems) ?? readyTimeout
    }
    linger = try problems.part(linger) {
      try Self.duration(fields, "linger", "linger", problems) ?? linger
    }
    waitsWhenLost = try problems.part(false) {
      switch fields["on_lost"] {
      case .nil, .string("cancel"): return false
      case .string("wait"): return true
      default: throw problems.bad("field 'on_lost' must be \"cancel\" or \"wait\"")
      }
    }
    try problems.part(()) { try readRestart(fields, problems) }
  }

  /// Refuses keys that have no meaning in a service; before the file's defaults are applied, which may
  /// have them for other commands.
  static func refuseOthers(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    guard fields["service"] == .bool(true) else { return }
    for key in refused where fields.type(key) != .nil && fields[key] != .bool(false) {
      try problems.part(()) {
        throw problems.bad("field '\(key)' cannot be used with 'service'")
      }
    }
  }

  private static func duration(
    _ fields: TableFields, _ name: String, _ path: String, _ problems: DefinitionProblems
  ) throws -> Duration? {
    let value = fields[name]
    if value.isNil { return nil }
    guard let duration = value.duration else {
      throw problems.bad(
        "field '\(path)' must be a number of seconds from 0 up, or a text such as \"30s\"")
    }
    return duration
  }

  private mutating func readRestart(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws {
    guard fields.type("restart") == .table else {
      restart = try Self.policy(fields["restart"], "restart", problems)
      return
    }
    fields.stack.rawGet("restart", at: fields.index)
    defer { fields.stack.pop() }
    let table = TableFields(fields.stack, at: -1)
    try problems.lookForUnknownKeys(in: table, of: Library.restart, "field 'restart' has an ")
    restart =
      table.type("policy") == .nil
      ? .onFailure : try Self.policy(table["policy"], "restart.policy", problems)
    restartDelay =
      try Self.duration(table, "delay", "restart.delay", problems) ?? restartDelay
    if !table["backoff"].isNil {
      restartBackoff = table["backoff"].numberValue ?? -1
      guard (1...1e6).contains(restartBackoff) else {
        throw problems.bad("field 'restart.backoff' must be a number from 1 to a million")
      }
    }
    if !table["times"].isNil {
      guard let times = table.integer("times"), times >= 0 else {
        throw problems.bad("field 'restart.times' must be a number from 0 up")
      }
      restartTimes = Int(clamping: times)
    }
  }

  private static func policy(
    _ value: LuaValue, _ path: String, _ problems: DefinitionProblems
  ) throws -> Restart {
    if value.isNil { return .never }
    if let policy = value.stringValue.flatMap({ Restart(rawValue: $0.exactText) }) { return policy }
    throw problems.bad("field '\(path)' must be \"never\", \"on-failure\" or \"always\"")
  }

  private static func readiness(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws -> Readiness? {
    let stack = fields.stack
    let type = stack.rawGet("ready", at: fields.index)
    defer { stack.pop() }
    switch type {
    case .nil: return nil
    case .function: return .function
    case .userdata where stack.object(at: -1, Userdata.signal) != nil: return .signal
    case .string:
      let line = stack.value(at: -1).stringValue?.exactText ?? ""
      guard line.contains(where: { !$0.isWhitespace }), !line.utf8.contains(0) else {
        throw problems.bad("field 'ready' must not be an empty line")
      }
      return .work(.line(line.exactBytes))
    case .table: return try readiness(TableFields(stack, at: -1), problems, at: stack.top)
    default:
      throw problems.bad(
        "field 'ready' must be a table such as {port = 5432}, a line or a list of words for a "
          + "program that exits with 0, a signal or a function, got \(type.name)")
    }
  }

  private static func readiness(
    _ table: TableFields, _ problems: DefinitionProblems, at index: Int
  ) throws -> Readiness? {
    let bad = problems.bad
    let names = table.names
    if names.isEmpty {
      let words = try table.elements.map { value in
        guard let word = value.argumentBytes, !word.contains(0) else {
          throw bad("field 'ready' must be a list of words, got \(value.type.name) in it")
        }
        return word
      }
      guard !words.isEmpty else { throw bad("field 'ready' must not be empty") }
      return .work(.program(words))
    }
    try problems.lookForUnknownKeys(in: table, of: Library.ready, "field 'ready' has an ")
    let given = ["port", "http", "line", "path"].filter { table.type($0) != .nil }
    // What was meant is told already.
    if given.isEmpty, !names.allSatisfy(Library.ready.keys.contains) { return nil }
    guard given.count == 1, let key = given.first, table.elements.isEmpty else {
      throw bad("field 'ready' has one of 'port', 'http', 'line' and 'path'")
    }
    if key != "http", table.type("status") != .nil {
      throw bad("field 'ready.status' belongs to 'http'")
    }
    if key == "port" {
      guard let port = table.integer("port").flatMap({ UInt16(exactly: $0) }), port > 0 else {
        throw bad("field 'ready.port' must be a number from 1 to 65535")
      }
      return .port(port)
    }
    guard let text = table.text(key), !text.isEmpty, !text.utf8.contains(0) else {
      throw bad("field 'ready.\(key)' must be a string, got \(table.type(key).name)")
    }
    switch key {
    case "line": return .line(text.exactBytes)
    case "path": return .path(text)
    default:
      let statuses = try table.statuses { bad("field 'ready': \($0)") }
      do throws(ProbeError) { return .page(try ServerProbe(url: text, statuses: statuses)) } catch {
        throw bad("field 'ready.http': \(error)")
      }
    }
  }
}

extension Library {
  /// The keys of a service, among those of a command.
  static let serviceFields: [APIRecord.Field] = [
    .init(
      "service", needs: [], "boolean?",
      "whether it is a long-running service: commands that need it wait until it is ready, and share it"
    ),
    .init(
      "ready", needs: [],
      "rac.Ready|string|(string|number)[]|rac.Signal<boolean>|(fun(): boolean, string?)|nil",
      "the probe that decides when the service is ready: `{port =}`, `{http =}`, `{line =}`, `{path =}`, a line or a program that exits with 0, a signal of booleans, or a function"
    ),
    .init(
      "ready_timeout", needs: [], "(number|string)?",
      "how long commands wait for the service to become ready (default: 60 seconds)"),
    .init(
      "restart", needs: [], "\"never\"|\"on-failure\"|\"always\"|rac.Restart|nil",
      "when to restart a service that has ended on its own (default: never)"),
    .init(
      "linger", needs: [], "(number|string)?",
      "how long the service keeps running after its last user is gone (default: 0)"),
    .init(
      "on_lost", needs: [], "\"cancel\"|\"wait\"?",
      "what happens to the users of the service when it ends for good: they are cancelled (the default), or wait for it"
    ),
  ]

  static let ready = APIRecord(
    name: "rac.Ready",
    summary: "The probe that decides when a service is ready; use one of these keys.",
    fields: [
      .init(
        "port", needs: [], "integer?",
        "a port on which one of its processes listens; it is an error if another program listens there"
      ),
      .init("http", needs: [], "string?", "a URL to which a web server responds"),
      .init(
        "status", needs: [], "(integer|integer[])?",
        "the expected status, or several (default: 200 to 399)"),
      .init("line", needs: [], "string?", "a text that one of its output lines contains"),
      .init(
        "path", needs: [], "string?",
        "a socket that accepts connections, or a file that it has made or changed"),
    ])

  static let restart = APIRecord(
    name: "rac.Restart", summary: "When to restart a service.",
    fields: [
      .init(
        "policy", needs: [], "\"never\"|\"on-failure\"|\"always\"?",
        "which ends lead to a restart (default: on-failure)"),
      .init(
        "delay", needs: [], "(number|string)?",
        "the delay before the first restart (default: 0.5 seconds)"),
      .init(
        "backoff", needs: [], "number?",
        "the factor by which the delay grows each time, up to a minute (default: 2)"),
      .init(
        "times", needs: [], "integer?",
        "the number of restarts in a row (default: 5). The count starts over after the service has been ready for ten seconds"
      ),
    ])
}
