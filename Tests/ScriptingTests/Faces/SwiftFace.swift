import TextFiles

@testable import Scripting

/// The public members of the Swift types that Lua has too, as their sources declare them.
enum SwiftFace {
  /// A type that both languages have.
  enum Kind: String, CaseIterable, Sendable {
    case signal, subject, subscriber, connection, disposable, scheduler, testScheduler
    case command, execution

    /// The names that Lua has: `signal:map`, `rac.merge`, `command.enabled`.
    var luaNames: [String] {
      let objects = Library.objects.filter { $0.kind == objectKind }
      let members = objects.flatMap { object in
        object.methods.map { "\(object.kind.rawValue):\($0.name)" }
          + object.properties.map { "\(object.kind.rawValue).\($0.name)" }
      }
      switch self {
      case .signal: return members + Library.functions.map { "rac.\($0.name)" }
      case .scheduler:
        let module = Library.modules.filter { $0.name == "scheduler" }
        return members + module.flatMap(\.fields).map { "rac.scheduler.\($0.name)" }
      default: return members
      }
    }

    private var objectKind: ObjectKind {
      self == .testScheduler ? .testScheduler : ObjectKind(rawValue: rawValue)!
    }

    /// The files and folders that declare the type.
    fileprivate var sources: [String] {
      switch self {
      case .signal:
        ["Reactive/Signal.swift", "Reactive/Construction/", "Reactive/Multicasting/"]
          + ["Combining", "Effects", "Errors", "Limiting", "Scheduling", "Transforming"]
          .map { "Reactive/Operators/\($0)/" }
      case .subject: ["Reactive/Subjects/Subject.swift"]
      // It inherits what every disposable has.
      case .subscriber: ["Reactive/Subscriber.swift", "Reactive/Disposables/Disposable.swift"]
      case .connection: ["Reactive/Multicasting/MulticastConnection.swift"]
      case .disposable: ["Reactive/Disposables/Disposable.swift"]
      case .scheduler: ["Reactive/Schedulers/Scheduler.swift"]
      case .testScheduler:
        ["ReactiveTesting/TestScheduler.swift", "Reactive/Schedulers/VirtualTimeScheduler.swift"]
      case .command: ["Commands/Command.swift"]
      case .execution: ["Commands/Executions/Execution.swift"]
      }
    }
  }

  /// Names that the contract changes, as Lua reserves the word or has another idiom.
  private static let renamed = [
    "and_then": "then", "negate": "not", "all_true": "and", "any_true": "or", "repeated": "repeat",
    "when": "if", "disposed": "isDisposed", "pending": "pendingCount",
    "aggregate_with": "aggregate",
  ]

  /// `switchToLatest` for `signal:switch_to_latest`.
  static func name(of lua: String) -> String {
    let short = String(lua.split { $0 == "." || $0 == ":" }.last ?? "")
    if let name = renamed[short] { return name }
    let words = short.split(separator: "_")
    return words.prefix(1).joined()
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The names of the public functions and properties of a type.
  static func names(of kind: Kind) throws -> Set<String> {
    let root = TextFile.packageFolder + "/Sources/"
    let files = try kind.sources.flatMap { source -> [String] in
      guard source.hasSuffix("/") else { return [root + source] }
      return try TextFile.names(inFolder: root + source).map { root + source + $0 }
        .filter { !$0.hasSuffix("MulticastConnection.swift") }
    }
    return Set(try files.flatMap { try names(inFile: $0, of: kind) })
  }

  private static func names(inFile path: String, of kind: Kind) throws -> [String] {
    try TextFile(path).lines.compactMap { line in
      let words = line.split(separator: " ")
      let isMember = line.hasPrefix("  ") && !line.hasPrefix("   ")
      guard isMember,
        let keyword = words.firstIndex(where: { ["func", "var", "let"].contains($0) })
      else { return nil }
      // The members of a protocol are as public as it is.
      let isPublic =
        words[..<keyword].contains { $0 == "public" || $0 == "open" }
        || path.hasSuffix("/Disposable.swift") && keyword == 0
      guard isPublic, words.count > keyword + 1 else { return nil }
      let name = String(words[keyword + 1].prefix { !"(<:".contains($0) }.filter { $0 != "`" })
      // A property of a signal is nothing that happens, but for the way into async code.
      if kind == .signal, words[keyword] != "func", name != "values" { return nil }
      return name
    }
  }
}

extension FaceTests {
  private static let noSignal = "not a signal in Swift: a type, or a matter of the machine"
  private static let suspends = "suspends the coroutine"

  /// Names of Lua that Swift has not, with the reason.
  static let luaAlone: [String: String] = {
    var reasons = [
      "rac.range": "from takes ranges", "rac.async": "from takes async sequences",
      "signal:last": suspends, "signal:to_table": suspends, "signal:wait": suspends,
      "scheduler:after": "schedule(after:)", "scheduler:every": "schedule(every:)",
      "test scheduler:dispose": "a test scheduler of Swift's takes no other's place",
      "execution.up_to_date": "commands of Swift name no files",
      "command.ready": "commands of Swift are no services",
    ]
    for name in [
      "adopt", "command", "defaults", "exec", "file_exists", "http", "include", "is_command",
      "is_signal",
      "lazy",
      "now", "port", "sh",
      "sleep", "tcp",
      "stats",
      "stdin", "subject", "replay_subject", "behavior_subject", "test_scheduler", "tuple", "watch",
      "glob", "stat", "digest", "which",
    ] { reasons["rac.\(name)"] = noSignal }
    return reasons
  }()

  /// Names of Swift that Lua has not, with the reason.
  static let swiftAlone: [SwiftFace.Kind: [String: String]] = [
    .signal: [
      "observe": "what operators are made of", "values": "coroutines wait in their own way",
      "firstAsync": "first suspends", "untilCompleted": "wait suspends",
      "assign": "a function sets a field", "makeAsyncIterator": "as values",
    ],
    .subscriber: [
      "disposable": "create's function returns what is disposed", "send": "events",
      "didSubscribe": "for subscribers of one's own",
      "dispose": "the subscription, which is an object of its own",
      "scoped": "the subscription, which is an object of its own",
    ],
    .subject: ["didSubscribe": "for subscribers of one's own"],
    .disposable: ["scoped": "<close> disposes at the end of a block"],
    .scheduler: [
      "subscription": "scripts have one thread", "background": "scripts have one thread",
      "current": "scripts have one thread", "isCurrent": "scripts have one thread",
      "now": "rac.now", "scheduleRecursively": "a loop that sleeps", "perform": "for subclasses",
    ],
    .testScheduler: [
      "frame": "for marble diagrams", "currentFrame": "for marble diagrams",
      "pendingTimes": "pending", "nextTime": "step", "expectIdle": "pending",
      "schedule": "a scheduler has it",
    ],
    .command: [
      "options": "the definition", "scheduler": "always the main one",
      "failures": "errors, whose tables say which execution failed",
      "disabledError": "the error of an attempt", "queuedExecutions": "executions, by their state",
      "concurrencyLimit": "the definition", "concurrencyLimits": "the definition",
      "whenBusy": "the definition", "replayCapacity": "the definition",
    ],
    .execution: [
      "error": "what it raises", "states": "state", "mayRetry": "the definition",
      "attempts": "the events of a run", "commandName": "command.name",
    ],
  ]
}
