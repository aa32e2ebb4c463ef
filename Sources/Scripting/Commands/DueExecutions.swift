import Commands
import Reactive

/// The executions of a command whose work has not started, in the order of their requests, which is
/// that of their admission. On the loop's thread.
final class DueExecutions {
  private var queue = Queue<ScriptExecution>()

  /// Adds an execution that was admitted or waits for a slot.
  func add(_ script: ScriptExecution) {
    while queue.first?.end != nil { _ = queue.popFirst() }
    if script.end == nil { queue.append(script) }
  }

  /// Removes and returns the first one that has been admitted; nil if there is none.
  func removeFirst() -> ScriptExecution? {
    var waiting: [ScriptExecution] = []
    defer { for script in waiting.reversed() { queue.prepend(script) } }
    while let script = queue.popFirst() {
      switch script.state {
      case .running: return script
      case .queued: waiting.append(script)
      case .completed, .failed, .cancelled: break
      }
    }
    return nil
  }
}
