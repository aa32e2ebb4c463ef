import Commands
import LuaRuntime
import Platform
import Reactive

extension ScriptHost {
  /// Runs a function at each subscription as a coroutine that may wait, as the lines of a REPL do.
  ///
  /// Sends the function's first result unless it is nil, then completes. Disposal ends the
  /// coroutine and runs its `<close>` variables; so does the end of the host.
  public func evaluation(of function: LuaValue, _ arguments: LuaValue...) -> Signal<LuaValue> {
    evaluation(of: function, arguments, resultUse: .value)
  }

  /// Calls a chunk of the host's own code with the parts of Lua's library that it needs, as they
  /// were before the first script: `load`, `table.pack`, `rawset`, `setmetatable` and the table of
  /// globals.
  public func runOwn(_ source: String, chunkName: String) throws(LuaError) -> [LuaValue] {
    let chunk = try interpreter.load(source, chunkName: chunkName)
    return try interpreter.call(
      .reference(chunk), try interpreter.call(.reference(prelude[.library]), []))
  }

  /// Returns a part of Lua's library that such code needs, or the table of globals, `_G`, as it was
  /// before the first script; nil if there is none.
  package func libraryPart(_ name: String) -> LuaValue {
    value { stack in
      stack.push(prelude.parts)
      stack.rawGet(name, at: -1)
    }
  }

  /// Runs a script, with the arguments of the host, as a coroutine at each subscription.
  ///
  /// - Throws: `LuaError` if the script cannot be read or does not compile.
  public func evaluation(of source: ScriptSource) throws -> Signal<LuaValue> {
    evaluation(
      of: .reference(try load(source)), arguments.map { .string($0) }, resultUse: .value)
  }

  /// Runs a function as a coroutine, as the execution of its own command: a signal that it returns
  /// is forwarded, any other value sent.
  ///
  /// - Parameter replayCapacity: the number of values that a late subscriber receives.
  public func execute(
    _ function: LuaValue, named name: String, replayCapacity: Int
  ) -> Execution<LuaValue, LuaValue> {
    let command = Command<LuaValue, LuaValue>(
      name: name, scheduler: scheduler, replayCapacity: replayCapacity
    ) { [unowned(unsafe) self] _ in
      evaluation(of: function, [], resultUse: .signalOrValue)
    }
    return command.execute(.nil)
  }

  private func evaluation(
    of function: LuaValue, _ arguments: [LuaValue], resultUse: CoroutineRun.ResultUse
  ) -> Signal<LuaValue> {
    owned(
      Signal(
        source: onLoop { [unowned(unsafe) self] observer, subscription in
          // A line that follows the end of an execution is not that execution's work.
          context.serving(Purpose()) {
            let run = CoroutineRun(self, observer, subscription, resultUse: resultUse)
            run.start(function) { stack in
              let count = stack.ensure(arguments.count + 8) ? arguments.count : 0
              for argument in arguments.prefix(count) { stack.push(argument) }
              return count
            }
          }
        }), isWork: true)
  }

  /// Returns a signal whose subscriptions end with the host at the latest, and do not keep a script
  /// running.
  public func lent(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    owned(signal, isWork: false)
  }
}
