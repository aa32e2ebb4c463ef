import Commands
import EventLoop
import LuaRuntime

/// The standard input of an execution, whose lines come from people and programs elsewhere: its
/// processes read from a pipe that stays open. On the loop's thread.
package final class OfferedInput {
  /// The processes that read from it, in the order of their starts.
  private var readers: [ChildProcess] = []

  init() {}

  func add(_ child: ChildProcess) { readers.append(child) }

  func remove(_ processID: Int32) { readers.removeAll { $0.processID == processID } }

  /// Sends a line to the process that has started last.
  ///
  /// - Parameter line: without its newline.
  /// - Returns: false if no process runs.
  package func send(line: [UInt8]) -> Bool {
    guard let reader = readers.last else { return false }
    reader.write(line + [10])
    return true
  }
}

extension ScriptHost {
  /// Opens the standard input of the processes that the work of an execution starts, where they would
  /// have none.
  package func offerInput(to execution: Execution<LuaValue, LuaValue>) -> OfferedInput {
    let input = OfferedInput()
    execution.script.offered = input
    return input
  }
}

extension ScriptExecution {
  /// The input of the processes that it starts now; nil if they have none.
  var offeredInput: OfferedInput? {
    guard isWorking, !hasInput else { return nil }
    return offered ?? (isNeeded ? nil : outer?.offeredInput)
  }
}
