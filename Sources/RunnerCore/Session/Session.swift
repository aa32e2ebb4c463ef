import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

import Platform

/// One interpreter on the main event loop, from loading a script until all its work has ended.
package final class Session {
  package let loop: EventLoop
  package private(set) var host: ScriptHost
  package let report: Report
  private let makeHost: () throws -> ScriptHost
  private let states: CommandStates
  private let ignoresUpToDate: Bool
  /// The time limit for a condition that sends no value; nil for no limit.
  private let conditionTimeout: Duration?
  /// The OS signals that end the run.
  private let signals: [Int32]
  /// Replaced interpreters, closed; some of their processes may not have ended yet.
  private var retired: [ScriptHost] = []
  /// Replaced interpreters whose work goes on.
  private var leaving: [ScriptHost] = []
  package let output: ValueOutput
  /// Called with the exit status at the end.
  package var onFinish: ((Int32) -> Void)?
  /// Describes the running work for SIGUSR1.
  var describeRunning: (() -> String)?
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
  fileprivate var interruption: Int32?
  fileprivate var isInterruptionTold = false
  private var firstUnhandled: Failure?
  /// The command file and the files that it includes, with their states right before they were last
  /// read; nil for a file that was missing.
  package private(set) var commandFiles: [(path: String, state: CommandFileState?)] = []
  /// The files of the modules that the command file required when it was last loaded, whether or not
  /// it did load, and of earlier ones that are gone.
  private var requiredFiles: [String] = []
  /// These, and those that commands have required since.
  package var moduleFiles: [String] {
    requiredFiles + host.moduleFiles.filter { !requiredFiles.contains($0) }
  }
  private var isStopping = false

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

  private func listen(to host: ScriptHost) {
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
  var interruptionStatus: Int32? { interruption.map(ExitStatus.ended) }

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

  /// Loads a command file in a fresh interpreter, which replaces this one if the file loads; the work
  /// of this one goes on until `retire`. Outside the running loop.
  ///
  /// - Parameter prepare: called with the fresh interpreter before the file is executed.
  /// - Returns: the message of the failure if the file does not load.
  package func loadBeside(
    _ path: String, named name: String, _ prepare: (ScriptHost) -> Void
  ) throws -> String? {
    let fresh = try makeHost()
    listen(to: fresh)
    prepare(fresh)
    let state = CommandFileState(path)
    defer { note(path, state, in: fresh) }
    fresh.defersConditions = true
    let failure = execute(.commandFile(path, name: name), in: fresh)
    fresh.defersConditions = false
    if let failure {
      retire(fresh)
      return failure.message
    }
    leaving.append(host)
    host = fresh
    output.use(fresh)
    return nil
  }

  /// Cancels what is left of the work of a replaced interpreter, and closes it.
  package func retire(_ old: ScriptHost) {
    leaving.removeAll { $0 === old }
    old.cancelAll()
    old.close()
    retired.append(old)
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

  /// Loads a command file in a fresh interpreter, which replaces this one if the file loads.
  ///
  /// - Returns: true if the file loads; a failure is reported.
  package func loadAnew(_ path: String, named name: String) throws -> Bool {
    var isLoaded = false
    let state = CommandFileState(path)
    try replaceHost { fresh in
      defer { note(path, state, in: fresh) }
      if let failure = execute(.commandFile(path, name: name), in: fresh) {
        report.error(failure.message)
      } else {
        isLoaded = true
      }
      return isLoaded
    }
    return isLoaded
  }

  /// Runs the top level of a script to its end.
  ///
  /// - Returns: the failure of the script.
  package func execute(_ source: ScriptSource) -> Failure? { execute(source, in: host) }

  private func execute(_ source: ScriptSource, in host: ScriptHost) -> Failure? {
    let execution: Execution<LuaValue, LuaValue>
    do { execution = try host.start(source) } catch {
      var failure = host.failure(of: error)
      failure.isLoadFailure = true
      return failure
    }
    var end: Termination?
    execution.subscribe(
      error: onLoop { end = .error($0) }, completed: onLoop { end = .completed })
    wait { end != nil }
    switch end {
    case .completed: return nil
    case .error(let error): return host.failure(ofScript: error)
    case nil: return .stuck("the script")
    }
  }

  /// Loads a command file without subscribing to the conditions of its commands. A condition is
  /// subscribed when its value is requested.
  ///
  /// - Throws: `CommandFileError` if it does not load.
  package func load(_ path: String, named name: String) throws {
    host.defersConditions = true
    let state = CommandFileState(path)
    defer {
      host.defersConditions = false
      note(path, state, in: host)
    }
    if let failure = execute(.commandFile(path, name: name)) {
      throw CommandFileError(message: failure.message)
    }
  }

  private func note(_ commandFile: String, _ state: CommandFileState?, in host: ScriptHost) {
    let others = host.commandFiles.filter { $0.path != commandFile }
    commandFiles = [(commandFile, state)] + others.map { ($0.path, $0.state) }
    // What is gone may come back.
    let gone = moduleFiles.filter { access($0, F_OK) != 0 && !host.moduleFiles.contains($0) }
    requiredFiles = host.moduleFiles + gone
  }

  /// True if a file of commands has changed since it was read.
  package var hasChangedCommandFile: Bool {
    commandFiles.contains { CommandFileState($0.path) != $0.state }
  }

  /// Determines which commands are enabled, for display only: reads their conditions, and waits a
  /// short time for those without an immediate value.
  package func awaitConditions(of commands: [ScriptCommand]) {
    host.conditionTimeout = conditionTimeout ?? CommandFileSession.lookingTime
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    var pending = 0
    for command in commands {
      command.ask()
      guard command.isConditionPending else { continue }
      pending += 1
      command.whenConditionKnown(in: subscription) { pending -= 1 }
    }
    wait { pending == 0 || isEnding }
  }

  /// Asks the preconditions of a plan, for display only.
  ///
  /// - Returns: the reason of each that does not hold; none for one that needs a process.
  package func refusals(in plan: Plan) -> [CallKey: String] {
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    let steps = plan.steps.filter(\.command.hasPrecondition)
    var pending = steps.count
    var reasons: [CallKey: String] = [:]
    for step in steps {
      step.command.askPrecondition(in: subscription) { failure in
        pending -= 1
        guard failure != nil, !step.command.isPreconditionUnasked else { return }
        reasons[step.call.key] = step.command.preconditionReason
      }
    }
    wait { pending == 0 || isEnding }
    return reasons
  }

  /// Waits until the subscriptions and executions of the script itself end.
  package func drain() {
    wait { !host.hasWork || isEnding }
  }

  /// Delivers all pending events to the observers of commands, and waits for the work that they
  /// start, and for its consequences, until no work is left. An interrupt ends the wait.
  package func settle() {
    var isDue = false
    // Queued behind all work that is due now.
    host.scheduler.enqueue(onLoop { isDue = true })
    let patience = loop.timer(after: .seconds(1)) { [unowned self] in
      let count = host.observerWork.pending
      guard count > 0, !isEnding else { return }
      report.say(
        "waiting for what observers of commands have started (\(count) still at work)")
    }
    patience.unref()
    wait {
      isEnding
        || isDue && host.observerWork.pending == 0 && !host.isDelivering
    }
    patience.cancel()
  }

  // MARK: Signals

  /// Makes a signal end the run from now on, like the signals that end it from the start.
  package func end(on signal: Int32) throws {
    try loop.onSignal(signal) { [unowned self] in interrupt(signal) }
    host.ends(by: signal)
    Interruption.watch(signal)
  }

  private func interrupt(_ signal: Int32) {
    guard interruption == nil else { return }
    isStopping = true
    Interruption.answer()
    if BrokenPipeHandler.isBroken {
      interruption = SIGPIPE
    } else if !output.hasFailed {
      interruption = signal
      tellInterruption(after: Self.patience)
    }
    host.allowCleanUp()
    onInterrupt?()
    for old in leaving { old.endAll() }
    host.endAll()
  }
}

extension Session {
  /// Clean-up is not reported if it takes no longer than this.
  fileprivate static let patience = Duration.milliseconds(300)

  fileprivate func tellInterruption(after delay: Duration) {
    let timer = loop.timer(after: delay) { [unowned self] in
      guard let interruption, !isInterruptionTold else { return }
      isInterruptionTold = true
      report.interrupted(by: interruption, waitingFor: loop.liveProcesses)
    }
    timer.unref()
  }

  /// Reports the interrupt, once no work is left to wait for.
  fileprivate func tellInterruption() {
    guard let interruption, interruption != SIGPIPE, !isInterruptionTold else { return }
    isInterruptionTold = true
    report.interrupted(by: interruption)
  }
}
