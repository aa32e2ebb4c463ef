import Platform

/// A user of a service of a hub.
enum ServiceUser {
  /// A client, by its process if that is known.
  case client(pid_t?)
  /// `up -d`.
  case hold
  /// Work of the hub itself: another service, or a detached execution.
  case work

  /// The user in a sentence.
  ///
  /// - Parameter isCommand: returns true for the name of a command.
  func text(_ isCommand: (String) -> Bool) -> String {
    switch self {
    case .client(let process?):
      let line = fileContent("/proc/\(process)/cmdline") ?? []
      return "'\(Self.call(line, isCommand))' (pid \(process))"
    case .client(nil): return "another program"
    case .hold: return "'raclette up -d'"
    case .work: return "the hub's own work"
    }
  }

  /// A call of the program without options and inputs, of which only its own process knows which are
  /// secrets: the program, what it is to do, and the names of commands.
  ///
  /// - Parameter line: the words of the process, each with a NUL behind it; empty if it has ended.
  static func call(_ line: [UInt8], _ isCommand: (String) -> Bool) -> String {
    let words = line.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let program = words.first?.split(separator: "/").last.map(String.init) ?? "raclette"
    let action = words.dropFirst().prefix(1).filter { !$0.isEmpty && !$0.hasPrefix("-") }
    return ([program] + action + words.dropFirst(2).filter(isCommand)).joined(separator: " ")
  }
}
