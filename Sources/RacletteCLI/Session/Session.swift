import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

import Platform

/// One interpreter on the main event loop, from loading a script to the end of everything it started.
final class Session: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let loop: EventLoop
  private(set) var host: ScriptHost
  let report: Report
  private let makeHost: () throws -> ScriptHost
  /// How long a condition is waited for that sends no value; nil for no limit.
  private let conditionTimeout: Duration?
  /// The signals of the OS that end the run.
  private let signals: [Int32]
  /// Interpreters that were replaced, closed; processes of theirs may still have to end.
  private var retired: [ScriptHost] = []
  let output: ValueOutput
  /// Told of the exit status when everything is over.
  var onFinish: ((Int32) -> Void)?
  /// What runs now, for those who ask by SIGUSR1.
  var describeRunning: (() -> String)?
  /// Shown while nothing happens.
  var statusLine: StatusLine?
  /// Told that the run is to end, before all executions are cancelled.
  var onInterrupt: (() -> Void)?
  /// Told before the program stops, as by Ctrl-Z, and when it goes on.
  var willStop: (() -> Void)?
  var didContinue: (() -> Void)?

  /// The signal of the OS that ends the run, once it has come.
  fileprivate var interruption: Int32?
  fileprivate var isInterruptionTold = false
  private var firstUnhandled: Failure?
  /// The command file as it was right before it was last read; nil if there was none.
  private(set) var commandFile: FileState?
  private var isStopping = false

  /// Whether a signal of the OS ends the run.
  var isInterrupted: Bool { interruption != nil }

  /// Whether executions that are cancelled now end for a reason that is told elsewhere.
  var isEnding: Bool { isStopping || Interruption.hasCome }

  /// - Parameters:
  ///   - scriptName: what `arg[0]` is.
  ///   - arguments: what `rac.args` holds.
  ///   - signals: those that end the run.
  init(
    scriptName: String, arguments: [String], line: CommandLine,
    signals: [Int32] = Interruption.signals
  ) throws {
    let loop = try EventLoop()
    self.loop = loop
    self.signals = signals.filter { !Interruption.isUnwanted($0) }
    report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose), isGitHub: environment("GITHUB_ACTIONS") == "true")
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

  /// Has a signal that ends the run stop the scripts of a host, too, whatever they begin before the loop
  /// gets to it.
  func stopBySignals(_ host: ScriptHost) {
    for signal in signals { host.ends(by: signal) }
    // One that came before could not reach it.
    guard Interruption.hasCome else { return }
    host.allowCleanUp()
    host.interpreter.interrupt(pending: true)
  }

  private func listen(to host: ScriptHost) {
    host.requiresConditions = true
    host.conditionTimeout = conditionTimeout
    host.onPatience = { [report] in report.say($0) }
    stopBySignals(host)
    host.onErrorOutput = { Terminal.error(bytes: $1) }
    // Who has seen enough of standard output does not want its rest elsewhere.
    host.takesLateOutput = { [output] in !output.hasFailed && !BrokenPipeHandler.isBroken }
    host.onOutputDelivered = { [output] in output.flush() }
    host.isEndRequested = { Interruption.hasCome }
    host.onSecrets = { [unowned host] in
      // Without memory for that, nothing can be printed.
      try? host.interpreter.redirectOutput(byLine: false) { stream, bytes in
        switch stream {
        case .output: Terminal.printed(bytes)
        case .errors: Terminal.printed(errors: bytes)
        }
      }
    }
    host.onLog = { [report] level, text in report.log(level, text) }
    host.onUnhandled = { [unowned self, unowned host] failure in
      // The script has not failed; it was kept from going on.
      if host.isRefusal(failure) { return report.log(.warn, failure.message) }
      firstUnhandled = firstUnhandled ?? failure
      report.failure(failure)
    }
  }

  // MARK: Its life

  /// Calls `body`, then disposes everything that still runs, waits for the processes to end, and
  /// closes the interpreter.
  ///
  /// - Parameter body: returns an exit status.
  /// - Returns: the exit status, which also tells of signals, of failures that nobody took care of,
  ///   and of output that was lost.
  func use(_ body: () throws -> Int32) throws -> Int32 {
    let outcome = Result(catching: body)
    finish()
    tellInterruption()
    let status = try status(of: outcome)
    onFinish?(status)
    onFinish = nil
    // What the end had to say.
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
    host.cancelAll()
    host.disposeAllButObservers()
    // Observers are told how that ends; what they execute now is cancelled as well.
    wait { !host.isDelivering }
    host.cancelAll()
    host.disposeAll()
    loop.run()
    host.close()
    loop.close()
    ExitCleanup.disarm()
    let problem = Terminal.flush()
    if problem != 0 { output.lose(problem) }
    // Nothing was left for which the loop would have turned once more.
    if interruption == nil, !output.hasFailed { interruption = Interruption.signal }
  }

  /// Puts a fresh interpreter in the place of this one, which is closed, if `prepare` makes it ready.
  ///
  /// - Parameter prepare: returns whether the new interpreter is to be used.
  func replaceHost(_ prepare: (ScriptHost) throws -> Bool) throws {
    let fresh = try makeHost()
    listen(to: fresh)
    let isReady = try prepare(fresh)
    let unused = isReady ? host : fresh
    if isReady {
      host = fresh
      output.host = fresh
    }
    unused.cancelAll()
    unused.close()
    retired.append(unused)
  }

  /// Runs the loop until `isOver`, or until nothing is left that could make it so.
  func wait(until isOver: () -> Bool) {
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

  /// Loads a command file in a fresh interpreter, which takes the place of this one if it loads.
  ///
  /// - Returns: whether it does; why not is told.
  func loadAnew(_ path: String, named name: String) throws -> Bool {
    var isLoaded = false
    commandFile = FileState(path)
    try replaceHost { fresh in
      if let failure = execute(.commandFile(path, name: name), in: fresh) {
        report.error(failure.message)
      } else {
        isLoaded = true
      }
      return isLoaded
    }
    return isLoaded
  }

  /// Runs a script's top level to its end.
  ///
  /// - Returns: what it failed with.
  func execute(_ source: ScriptSource) -> Failure? { execute(source, in: host) }

  private func execute(_ source: ScriptSource, in host: ScriptHost) -> Failure? {
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
    case .error(let error): return host.failure(ofScript: error)
    case nil: return Failure(.user, "the script waits for something that nothing can send")
    }
  }

  /// Loads a command file, without subscribing the conditions of its commands: those are that somebody
  /// asks for.
  ///
  /// - Throws: `CommandFileError` if it does not load.
  func load(_ path: String, named name: String) throws {
    host.defersConditions = true
    commandFile = FileState(path)
    defer { host.defersConditions = false }
    if let failure = execute(.commandFile(path, name: name)) {
      throw CommandFileError(message: failure.message)
    }
  }

  /// Finds out whether commands are enabled, for somebody who only looks: asks their conditions, and
  /// waits a while for those that are not known at once.
  func awaitConditions(of commands: [ScriptCommand]) {
    host.conditionTimeout = conditionTimeout ?? CommandFileSession.lookingTime
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    let pending = Once<Int>()
    pending.value = 0
    for command in commands {
      command.ask()
      guard command.isConditionPending else { continue }
      pending.value? += 1
      command.whenConditionKnown(in: subscription) { pending.value? -= 1 }
    }
    wait { pending.value == 0 || isEnding }
  }

  /// Lets a script's own subscriptions and executions come to their end.
  func drain() {
    wait { !host.hasWork || isEnding }
  }

  /// Delivers all that has happened to the observers of commands, and waits for what they start, and
  /// for what follows from that, until all is quiet. An interrupt ends the wait.
  func settle() {
    let isDue = Once<Bool>()
    // Behind all that is due now.
    host.scheduler.enqueue { isDue.value = true }
    let patience = loop.timer(after: .seconds(1)) { [unowned self] in
      let count = host.observerWork.pending
      guard count > 0, !isEnding else { return }
      report.say(
        "waiting for what observers of commands have started (\(count) still at work)")
    }
    patience.unref()
    wait {
      isEnding
        || isDue.value == true && host.observerWork.pending == 0 && !host.isDelivering
    }
    patience.cancel()
  }

  // MARK: Signals

  /// Has a signal end the run from now on, like those that do so from the start.
  func end(on signal: Int32) throws {
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
    host.endAll()
  }
}

extension Session {
  /// Clean-up that takes no longer is not worth a word of its own.
  fileprivate static let patience = Duration.milliseconds(300)

  fileprivate func tellInterruption(after delay: Duration) {
    let timer = loop.timer(after: delay) { [unowned self] in
      guard let interruption, !isInterruptionTold else { return }
      isInterruptionTold = true
      report.interrupted(by: interruption, waitingFor: loop.liveProcesses)
    }
    timer.unref()
  }

  /// When nothing is left to wait for.
  fileprivate func tellInterruption() {
    guard let interruption, interruption != SIGPIPE, !isInterruptionTold else { return }
    isInterruptionTold = true
    report.interrupted(by: interruption)
  }
}

/// A value that is set once; on the loop's thread.
final class Once<Value>: @unchecked Sendable {
  var value: Value?
}
