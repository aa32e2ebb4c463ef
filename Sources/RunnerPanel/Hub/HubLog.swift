import Platform
import RunnerCore
import Scripting

/// What a hub writes to its log: standard error, which is that file.
enum HubLog {
  static func note(_ text: String) {
    let line = "\(localTimeText(WallClock.seconds)) \(Secrets.masked(text).visibleInLine)\n"
    line.withExactBytes { _ = writeBytes($0, to: STDERR_FILENO) }
  }

  static func text(ofGroups leaders: [Int32], of owner: String) -> String {
    let list = leaders.map(String.init).joined(separator: ", ")
    return
      "ended what \(owner) had left running: process group\(leaders.count > 1 ? "s" : "") \(list)"
  }
}

extension ServiceStatus {
  /// The state, and why it is in it.
  var textOfLog: String {
    let killed = killedAfter.map { KilledService.text(after: $0) }
    let reason =
      switch state {
      case .ready, .unready: probe
      case .ending, .restarting, .failed: failure
      // What runs again has ended right before.
      case .starting, .down: killed
      }
    return state.rawValue + (reason.map { ": \($0)" } ?? "")
  }
}
