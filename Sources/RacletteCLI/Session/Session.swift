import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One interpreter on the main event loop, from loading a script to the end of everything it started.
final class Session: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let loop: EventLoop
  let host: ScriptHost
  let report: Report

  /// The signal of the OS that ends the run, once it has come.
  private(set) var interruption: Int32?
  /// Whether values could not be written: nobody reads any more, or the disk is full.
  private(set) var outputFailed = false
  private var unhandled = 0

  /// - Parameters:
  ///   - scriptName: what `arg[0]` is.
  ///   - arguments: what `rac.args` holds.
  init(scriptName: String, arguments: [String], line: CommandLine) throws {
    loop = try EventLoop()
    report = Report(
      style: Style(option: line[.color]), isQuiet: line.has(.quiet), isVerbose: line.has(.verbose))
    Scheduler.main.use(loop)
    host = try ScriptHost(loop: loop, script: scriptName, arguments: arguments)
    host.onErrorOutput = { Terminal.error(bytes: $0) }
    host.onLog = { [report] level, text in report.log(level, text) }
    host.onUnhandled = { [unowned self] failure in
      unhandled += 1
      report.failure(failure)
    }
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      try loop.onSignal(signal) { [unowned self] in interrupt(signal) }
      host.interrupts(on: signal)
    }
  }

  /// Whether something failed that nobody took care of.
  var hasUnhandledFailures: Bool { unhandled > 0 }

  /// Runs the loop until `isOver`, or until nothing is left that could make it so.
  func wait(until isOver: () -> Bool) {
    while !isOver() && loop.isAlive { loop.runOnce() }
  }

  /// Runs a script's top level to its end.
  ///
  /// - Returns: what it failed with.
  func execute(_ source: ScriptSource) -> Failure? {
    let execution: Execution<LuaValue, LuaValue>
    do { execution = try host.start(source) } catch {
      var failure = host.failure(of: error)
      failure.isLoadFailure = true
      return failure
    }
    let end = Once<Termination>()
    execution.subscribe(
      error: { end.value = .error($0) }, completed: { end.value = .completed })
    wait { end.value != nil }
    switch end.value {
    case .completed: return nil
    case .error(let error): return host.failure(of: error)
    case nil: return Failure(.user, "the script waits for something that nothing can send")
    }
  }

  /// Lets a script's own subscriptions and executions come to their end.
  func drain() {
    wait { !host.hasWork || interruption != nil }
  }

  /// Disposes everything that still runs, waits for the processes to end, and closes the
  /// interpreter.
  func finish() {
    host.cancelAll()
    host.disposeAll()
    loop.run()
    host.close()
    loop.close()
  }

  /// Prints a value to standard output; when that fails, says so once and ends the run.
  func print(_ value: LuaValue) {
    guard !outputFailed else { return }
    do {
      let problem = try host.withOutput(of: value) { Terminal.output(bytes: $0) }
      if problem != 0 { stopWriting(problem) }
    } catch {
      report.error("cannot print a value: \(error)")
    }
  }

  private func stopWriting(_ problem: Int32) {
    outputFailed = true
    // A reader that has seen enough is no news.
    if problem != EPIPE {
      report.error("cannot write to standard output: \(String(cString: strerror(problem)))")
    }
    host.cancelAll()
  }

  private func interrupt(_ signal: Int32) {
    if interruption == nil {
      interruption = signal
      report.interrupted(children: loop.liveProcesses)
      host.cancelAll()
    } else {
      loop.killAllGroups()
      _exit(status(of: interruption ?? signal))
    }
  }

  /// The exit status of a run that an OS signal ended.
  func status(of signal: Int32) -> Int32 { 128 + signal }
}

/// A value that is set once; on the loop's thread.
final class Once<Value>: @unchecked Sendable {
  var value: Value?
}
