import LuaRuntime
import Reactive

/// What scripts have started, and its end.
extension ScriptHost {
  /// True while something that a script started has not ended: a coroutine, an execution, a
  /// subscription, or a process left behind by `os.execute`. Enabled conditions do not count.
  public var hasWork: Bool { activeSubscriptions > 0 || isExecuting || !leftPrograms.isEmpty }

  /// True while a coroutine or an execution that a script started has not ended. What services do does
  /// not count: they go on while something uses them, and that counts.
  public var isExecuting: Bool {
    executions.count > executions.ofServices || activeRuns > runsOfServices
  }

  /// True while observers of a command have yet to receive one of its events.
  public var isDelivering: Bool { commands.contains(where: \.isDelivering) }

  /// Lets an OS signal stop Lua code that runs too long to notice it. Call it after the loop has
  /// installed its own handler.
  public func interrupts(on signal: Int32) {
    // If the system does not let us handle a signal, there is no earlier handler to call either.
    try? LuaInterpreter.interruptOnSignal(signal)
  }

  /// Cancels all executions and clears a pending interrupt. Work that their clean-up starts may
  /// run.
  public func cancelAll() {
    interpreter.clearInterrupt()
    context.with(\.isCancelling, true, cancelExecutions)
  }

  private func cancelExecutions() {
    for execution in mainCommand?.activeExecutionSignals ?? [] { execution.cancel() }
    // Services end when those who use them have, in the reverse order of their needs.
    for script in executions.sorted where script.served == nil { script.cancel() }
    if policy.services == nil { ownServices.close() }
    for program in leftPrograms.values { program.terminate() }
  }

  /// Makes an OS signal end the whole run: it stops the code that runs, and all code has to end
  /// within `cleanUpTime`.
  public func ends(by signal: Int32) { interpreter.end(by: signal, within: cleanUpTime) }

  /// Prepares for the end of the whole run: clean-up code runs whatever stopped the code before it,
  /// but for no longer than `cleanUpTime` in total.
  public func allowCleanUp() {
    interpreter.end(within: cleanUpTime)
    interpreter.clearInterrupt()
  }

  /// Cancels everything because the whole run ends.
  public func endAll() {
    allowCleanUp()
    cancelAll()
  }

  /// Disposes all subscriptions that scripts have made so far. Scripts may make new ones.
  public func disposeSubscriptions() {
    let ended = subscriptions
    subscriptions = CompoundDisposable()
    disposeSubscribers()
    ended.dispose()
  }

  /// Disposes all subscriptions of scripts except those to command events: these may still receive
  /// the outcome, but start no more work.
  public func disposeAllButObservers() {
    subscriptions.dispose()
    disposeUnobserving()
  }

  /// Disposes all subscriptions of scripts, including the commands' conditions.
  public func disposeAll() {
    subscriptions.dispose()
    disposeSubscribers()
    for command in commands { command.release() }
    registry = CommandRegistry()
    mainCommand = nil
  }

  /// Closes the interpreter.
  public func close() {
    disposeAll()
    inputLines.close()
    scheduler.limitLoops(to: nil)
    unreceivedErrors = UnreceivedErrors()
    interpreter.close()
    releaseObservers()
  }
}
