import Commands
import Reactive
import Synchronization

/// What happened, in order, as lines.
final class Journal: Sendable {
  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock { $0 } }

  func note(_ line: String) {
    stored.withLock { $0.append(line) }
  }

  /// The lines since the last call.
  func take() -> [String] {
    stored.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  /// Notes the events of a signal under a name.
  func follow<Value>(
    _ signal: Signal<Value>, _ name: String, _ text: @escaping @Sendable (Value) -> String
  ) {
    signal.subscribe(
      next: { self.note("\(name) \(text($0))") },
      error: { self.note("\(name) error \($0)") },
      completed: { self.note("\(name) completed") })
  }

  func follow<Value>(_ signal: Signal<Value>, _ name: String) {
    follow(signal, name) { "\($0)" }
  }

  /// Notes everything a command publishes.
  func follow<Output>(_ command: Command<Int, Output>) {
    follow(command.executions, "execution") { "\($0.input)" }
    follow(command.executing, "executing")
    follow(command.enabled, "enabled")
    follow(command.errors, "errors")
    follow(command.disabledErrors, "disabled") { $0.kind }
  }
}

extension CommandError {
  /// The error without its details.
  var kind: String {
    switch self {
    case .notEnabled(_, reason: .queueFull): "queueFull"
    case .notEnabled: "notEnabled"
    case .cancelled: "cancelled"
    case .timeout: "timeout"
    }
  }
}

enum TestError: Error {
  case failure
  case other
}
