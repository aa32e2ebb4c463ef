import Commands
import LuaRuntime
import Reactive

/// A function at work as a coroutine that may wait, as a REPL's lines are.
///
/// Belongs to the thread of its host's loop.
public final class Evaluation: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private unowned(unsafe) let host: ScriptHost
  private let function: LuaValue
  private let arguments: [LuaValue]
  private var run: CoroutineRun?

  fileprivate init(_ host: ScriptHost, _ function: LuaValue, _ arguments: [LuaValue]) {
    self.host = host
    self.function = function
    self.arguments = arguments
  }

  /// Whether the innermost Lua code that runs now is the function's own, and nothing that others
  /// have started.
  public var isRunning: Bool { run != nil && host.currentRun === run }

  /// Starts the function; sends its first result unless that is nil, then completes. Disposal ends
  /// the coroutine, whose `<close>` variables run; so does the end of the host.
  public var result: Signal<LuaValue> {
    host.owned(
      Signal { observer, subscription in
        let run = CoroutineRun(self.host, observer, subscription, resultUse: .value)
        self.run = run
        subscription.add { self.run = nil }
        run.start(self.function) { stack in
          for argument in self.arguments { stack.push(argument) }
          return self.arguments.count
        }
      }, isWork: true)
  }
}

extension ScriptHost {
  /// A function to run as a coroutine.
  public func evaluation(of function: LuaValue, _ arguments: LuaValue...) -> Evaluation {
    Evaluation(self, function, arguments)
  }

  /// A script to run as a coroutine, with the arguments of the host.
  ///
  /// - Throws: `LuaError` if the script cannot be read or does not compile.
  public func evaluation(of source: ScriptSource) throws -> Evaluation {
    Evaluation(self, .reference(try load(source)), arguments.map { .string($0) })
  }

  /// Runs a function as a coroutine, as an execution of a command of its own: a signal that it returns
  /// is forwarded, any other value sent.
  ///
  /// - Parameter replayCapacity: how many values a late subscriber gets.
  public func execute(
    _ function: LuaValue, named name: String, replayCapacity: Int
  ) -> Execution<LuaValue, LuaValue> {
    let command = Command<LuaValue, LuaValue>(
      name: name, scheduler: scheduler, replayCapacity: replayCapacity
    ) { [unowned(unsafe) self] _ in
      owned(
        Signal { observer, subscription in
          let run = CoroutineRun(self, observer, subscription, resultUse: .signalOrValue)
          run.start(function) { _ in 0 }
        }, isWork: true)
    }
    return command.execute(.nil)
  }

  /// A signal whose subscriptions end with the host at the latest, and which do not keep a script
  /// from ending.
  public func lent(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    owned(signal, isWork: false)
  }
}
