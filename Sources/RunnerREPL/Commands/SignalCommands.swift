import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

extension Repl {
  func watch(_ text: String) {
    guard let signals = signals(of: text) else { return }
    let values = values.uncolored
    let host = workspace.host
    for (index, signal) in signals.enumerated() {
      let title = signals.count > 1 ? "\(text) (\(index + 1))" : text
      workspace.watches.add(
        host.lent(signal), title, of: text,
        text: { value in
          let line = values.line(of: value)
          if value.type == .string { return .line(line) }
          var values = values
          // Room for the indentation.
          values.width = max(10, TerminalSize(of: STDOUT_FILENO).columns - 4)
          return .rows(values.text(of: value).split(separator: "\n").map(String.init), line: line)
        },
        failure: { host.failure(of: $0).message })
    }
  }

  func unwatch(_ text: String) {
    if text.isEmpty { return workspace.watches.removeAll() }
    guard let number = Int(text), workspace.watches.remove(number) else {
      return complain("there is no watch '\(text)'")
    }
  }

  /// The signals that are the values of an expression; nil after reporting an error.
  func signals(of text: String) -> [Signal<LuaValue>]? {
    guard let function = function(of: Array(text.utf8)), let results = evaluate(function) else {
      return nil
    }
    let signals = results.compactMap { workspace.host.signal(from: $0) }
    guard !signals.isEmpty, signals.count == results.count else {
      let other = results.first { workspace.host.object($0) == nil }
      complain(
        "'\(text)' is \(other.map { "a \($0.type.name)" } ?? "nothing"), and no signal")
      return nil
    }
    return signals
  }
}
