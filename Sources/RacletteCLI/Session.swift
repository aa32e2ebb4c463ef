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
  private var unhandled = 0
  private var isReading = true

  init(arguments: [String], line: CommandLine) throws {
    let loop = try EventLoop()
    let report = Report(
      style: Style(option: line[.color]), isQuiet: line.has(.quiet), isVerbose: line.has(.verbose))
    Scheduler.main.use(loop)
    self.loop = loop
    self.report = report
    host = try ScriptHost(loop: loop, arguments: arguments)
    host.onErrorOutput = { bytes in Terminal.error(bytes: bytes) }
    host.onLog = { level, text in report.log(level, text) }
    host.onUnhandled = { [unowned self] failure in
      unhandled += 1
      report.failure(failure)
    }
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      try loop.onSignal(signal) { [unowned self] in interrupt(signal) }
      host.interrupts(on: signal)
    }
  }

  /// Whether the script failed in a way nobody took care of.
  var hasUnhandledFailures: Bool { unhandled > 0 }

  /// Runs the loop until a signal ends.
  ///
  /// - Returns: how it ended; nil if it can never end, because nothing is left that could send.
  func wait(for signal: Signal<LuaValue>, next: @escaping @Sendable (LuaValue) -> Void = { _ in })
    -> Termination?
  {
    let end = Once<Termination>()
    let loop = loop
    signal.subscribe(
      next: next,
      error: { error in
        end.value = .error(error)
        loop.stop()
      },
      completed: {
        end.value = .completed
        loop.stop()
      })
    while end.value == nil {
      loop.run()
      // The loop also returns when nothing is left to wait for.
      if end.value == nil && !host.hasWork { break }
      if end.value == nil && !loop.isAlive { break }
    }
    return end.value
  }

  /// Lets a script's own subscriptions and executions come to their end.
  func drain() {
    while host.hasWork && loop.isAlive && interruption == nil { loop.runOnce() }
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

  /// Stops the run because nobody reads its output any more.
  func stopWriting() {
    guard isReading else { return }
    isReading = false
    host.cancelAll()
  }

  private func interrupt(_ signal: Int32) {
    if interruption == nil {
      interruption = signal
      report.interrupted(children: loop.liveProcesses)
      host.interrupt()
    } else {
      loop.killAllGroups()
      _exit(status(of: interruption ?? signal))
    }
  }

  func status(of signal: Int32) -> Int32 {
    signal == SIGINT ? ExitStatus.interrupted : 128 + signal
  }
}

/// A value that is set once; on the loop's thread.
final class Once<Value>: @unchecked Sendable {
  var value: Value?
}
