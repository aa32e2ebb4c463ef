import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

import Platform

/// One interpreter on the main event loop, from loading a script until all its work has ended.
package final class Session {
  package let loop: EventLoop
  package internal(set) var host: ScriptHost
  package let report: Report
  let makeHost: () throws -> ScriptHost
  private let states: CommandStates
  private let ignoresUpToDate: Bool
  /// The time limit for a condition that sends no value; nil for no limit.
  let conditionTimeout: Duration?
  /// The OS signals that end the run.
  private let signals: [Int32]
  /// Replaced interpreters, closed; some of their processes may not have ended yet.
  var retired: [ScriptHost] = []
  /// Replaced interpreters whose work goes on.
  var leaving: [ScriptHost] = []
  package let output: ValueOutput
  /// Called with the exit status at the end.
  package var onFinish: ((Int32) -> Void)?
  /// Describes the running work for SIGUSR1.
  var describeRunning: (() -> String)?
  /// Called with each error that no execution has and nothing observes, after it was reported.
  var onUnhandled: ((Failure) -> Void)?
  /// The line shown while no output arrives.
  var statusLine: StatusLine?
  /// Called when an interrupt ends the run, before all executions are cancelled.
  package var onInterrupt: (() -> Void)?
  /// Prepares each interpreter of the session.
  private var listeners: [(ScriptHost) -> Void] = []
  /// Called before the program stops, as by Ctrl-Z, and when it continues.
  package var willStop: (() -> Void)?
  package var didContinue: (() -> Void)?

  /// The OS signal that ends the run, once received.
  var interruption: Int32?
  var isInterruptionTold = false
  private var firstUnhandled: Failure?
  /// The command file and the files that it includes, with their states right before they were last
  /// read; nil for a file that was missing.
  package internal(set) var commandFiles: [(path: String, state: CommandFileState?)] = []
  /// The files of the modules that the command file required when it was last loaded, whether or not
  /// it did load, and of earlier ones that are gone.
  var requiredFiles: [String] = []
  /// These, and those that commands have required since.
  package var moduleFiles: [String] {
    requiredFiles + host.moduleFiles.filter { !requiredFiles.contains($0) }
  }
  var isStopping = false

  /// True when an OS signal ends the run.
  var isInterrupted: Bool { interruption != nil }

  /// True when executions cancelled now end for a reason that is reported elsewhere.
  package var isEnding: Bool { isStopping || Interruption.hasCome }

  /// - Parameters:
  ///   - scriptName: the value of `arg[0]`.
  ///   - arguments: the contents of `rac.args`.
  ///   - signals: the signals that end the run.
  package init(
    scriptName: String, arguments: [String], line: CommandLine,
    signals: [Int32] = Interruption.signals
  ) throws {
    let loop = try EventLoop()
    self.loop = loop
    self.signals = signals.filter { !Interruption.isUnwanted($0) }
    report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose), isGitHub: environment("GITHUB_ACTIONS") == "true")
    states = CommandStates(report)
    ignoresUpToDate = line.has(.force)
    Scheduler.main.use(loop)
    makeHost = {
      try ScriptHost(loop: loop, script: scriptName, arguments: arguments, line: line)
    }
    conditionTimeout = line.duration(.conditionTimeout)
    host = try makeHost()
    output = ValueOutput(host, report)
    Terminal.prepare()
    listen(to: host)
    for signal in self.signals {
      try loop.onSignal(signal) { [unowned self] in interrupt(signal) }
      host.interrupts(on: signal)
      Interruption.watch(signal)
    }
    try JobControl.follow(
      loop,
      willStop: { [unowned self] in
        statusLine?.hide()
        willStop?()
      },
      didContinue: { [unowned self] in didContinue?() })
    try loop.onSignal(SIGUSR1) { [unowned self] in
      let count = loop.liveProcesses
      let processes = count == 1 ? "1 process is running" : "\(count) processes are running"
      report.answer(describeRunning?() ?? processes)
    }
    BrokenPipeHandler.watch()
    ExitCleanup.arm()
  }

  /// Makes a signal that ends the run also stop the scripts of a host, including work that they
  /// start before the loop handles the signal.
  package func stopBySignals(_ host: ScriptHost) {
    for signal in signals { host.ends(by: signal) }
    // An earlier signal could not reach this host.
    guard Interruption.hasCome else { return }
    host.allowCleanUp()
    host.interpreter.interrupt(pending: true)
  }

  /// Calls `body` with the interpreter of the session, and with each that replaces it.
  package func onListen(_ body: @escaping (ScriptHost) -> Void) {
    listeners.append(body)
    body(host)
  }

  func listen(to host: ScriptHost) {
    for listener in listeners { listener(host) }
    if report.isVerbose { host.onEcho = { [report] name, text in report.echo(text, of: name) } }
    host.requiresConditions = true
    host.stateStore = states
    host.ignoresUpToDate = ignoresUpToDate
    host.conditionTimeout = conditionTimeout
    host.onPatience = { [report] in report.say($0) }
    stopBySignals(host)
    host.onErrorOutput = { Terminal.error(bytes: $1) }
    // If the reader of standard output has closed it, the rest must not appear elsewhere.
    host.takesLateOutput = { [output] in !output.hasFailed && !BrokenPipeHandler.isBroken }
    host.onOutputDelivered = { [output] in output.flush() }
    host.isEndRequested = { Interruption.hasCome }
    host.onSecrets = { [unowned host] in
      // If there is no memory for the redirection, printing is impossible.
      try? host.interpreter.redirectOutput(byLine: false) { stream, bytes in
        switch stream {
        case .output: Terminal.printed(bytes)
        case .errors: Terminal.printed(errors: bytes)
        }
      }
    }
    host.onLog = { [report] level, text in report.log(level, text) }
    host.onUnhandled = { [unowned self, unowned host] failure in
      // The script has not failed; it was prevented from continuing.
      if host.isRefusal(failure) { return report.log(.warn, failure.message) }
      firstUnhandled = firstUnhandled ?? failure
      report.failure(failure)
      onUnhandled?(failure)
    }
  }

  // MARK: Lifetime

  /// Calls `body`, then disposes all running work, waits for the processes to end, and closes the
  /// interpreter.
  ///
  /// - Parameter body: returns an exit status.
  /// - Returns: the exit status, which also reflects signals, unhandled failures and lost output.
  package func use(_ body: () throws -> Int32) throws -> Int32 {
    let outcome = Result(catching: body)
    finish()
    tellInterruption()
    let status = try status(of: outcome)
    onFinish?(status)
    onFinish = nil
    // Output of the shutdown.
    let problem = Terminal.flush()
    if problem != 0, output.lose(problem) { return max(status, ExitStatus.failure) }
    return status
  }

  /// The exit status if a signal of the OS ends the run.
  package var interruptionStatus: Int32? { interruption.map(ExitStatus.ended) }

  private func status(of outcome: Result<Int32, any Error>) throws -> Int32 {
    if let interruptionStatus { return interruptionStatus }
    let status = try outcome.get()
    guard status == ExitStatus.success else { return status }
    if let firstUnhandled { return firstUnhandled.exitStatus(ofSingle: false) }
    return output.hasFailed || output.hasUnprintable ? ExitStatus.failure : status
  }

  private func finish() {
    isStopping = true
    for old in leaving { retire(old) }
    host.reportLostErrors()
    host.cancelAll()
    host.disposeAllButObservers()
    // Observers are notified of how the executions end; executions that they start now are
    // cancelled too.
    wait { !host.isDelivering }
    host.cancelAll()
    host.disposeAll()
    loop.run()
    host.close()
    loop.close()
    ExitCleanup.disarm()
    let problem = Terminal.flush()
    if problem != 0 { output.lose(problem) }
    // The loop had no work left, so it did not run again to handle the signal.
    if interruption == nil, !output.hasFailed { interruption = Interruption.signal }
  }

  /// Replaces this interpreter with a fresh one and closes it, if `prepare` makes the new one
  /// ready.
  ///
  /// - Parameter prepare: returns true if the new interpreter is to be used.
  package func replaceHost(_ prepare: (ScriptHost) throws -> Bool) throws {
    let fresh = try makeHost()
    listen(to: fresh)
    let isReady = try prepare(fresh)
    let unused = isReady ? host : fresh
    if isReady {
      host = fresh
      output.use(fresh)
    }
    unused.cancelAll()
    unused.close()
    retired.append(unused)
  }

  /// Runs the loop until `isOver` returns true, or until nothing is left that could make it true.
  package func wait(until isOver: () -> Bool) {
    while !isOver(), loop.isAlive || host.giveUpConditions() {
      guard let statusLine else {
        loop.runOnce()
        continue
      }
      loop.poll()
      if isOver() { break }
      if !loop.waitForEvent(atMost: .zero) { statusLine.wait(for: loop) }
    }
    statusLine?.hide()
  }
}
