/// What a path of the API names.
enum Route: Equatable {
  case commands
  case commandExecutions(String)
  /// The ended executions of a command.
  case commandHistory(String)
  /// The orders to start a service again.
  case commandRestarts(String)
  /// What a service has printed.
  case commandLog(String)
  case executions
  case execution(Int)
  case values(Int)
  case input(Int)
  case events
  case page(String)
  case refreshes(page: String)
  case timeline

  /// Reads the segments of a path; nil if it names nothing.
  init?(_ segments: [String]) {
    guard segments.starts(with: ["api", "v1"]) else { return nil }
    let rest = segments.dropFirst(2)
    let (first, last) = (rest.first, rest.last)
    switch rest.count {
    case 1:
      switch first {
      case "commands": self = .commands
      case "executions": self = .executions
      case "events": self = .events
      case "timeline.svg": self = .timeline
      default: return nil
      }
    case 2:
      guard let last else { return nil }
      switch first {
      case "executions":
        guard let id = Int(digits: last) else { return nil }
        self = .execution(id)
      case "pages":
        guard Self.isPage(last) else { return nil }
        self = .page(last)
      default: return nil
      }
    case 3:
      let middle = rest[rest.startIndex + 1]
      switch (first, last) {
      case ("commands", "executions") where !middle.isEmpty: self = .commandExecutions(middle)
      case ("commands", "history") where !middle.isEmpty: self = .commandHistory(middle)
      case ("commands", "restarts") where !middle.isEmpty: self = .commandRestarts(middle)
      case ("commands", "log") where !middle.isEmpty: self = .commandLog(middle)
      case ("executions", "values"):
        guard let id = Int(digits: middle) else { return nil }
        self = .values(id)
      case ("executions", "input"):
        guard let id = Int(digits: middle) else { return nil }
        self = .input(id)
      case ("pages", "refreshes") where Self.isPage(middle): self = .refreshes(page: middle)
      default: return nil
      }
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .commands, .commandHistory, .commandLog, .executions, .values, .events, .timeline: ["GET"]
    case .commandExecutions, .commandRestarts, .refreshes, .input: ["POST"]
    case .execution: ["GET", "DELETE"]
    case .page: ["PUT", "DELETE"]
    }
  }

  /// True if a method of it executes or cancels something.
  func changes(_ method: String) -> Bool {
    switch self {
    case .commandExecutions, .commandRestarts, .refreshes, .input: true
    case .execution: method == "DELETE"
    case .commands, .commandHistory, .commandLog, .executions, .values, .events, .page,
      .timeline:
      false
    }
  }

  /// True if a text may be the name that a page gives itself.
  static func isPage(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 45 || $0 == 95
      }
  }
}

extension Int {
  /// A number of digits alone: no sign.
  init?(digits: String) {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(digits)
    else { return nil }
    self = number
  }
}
