import Commands
import EventLoop
import Journal
import LuaRuntime
import Platform
import Reactive
import Scripting

/// One interpreter on the main event loop, from loading a script until all its work has ended.
package final class Session {
  package let loop: EventLoop
  package internal(set) var host: ScriptHost
  package let report: Report
  let makeHost: () throws -> ScriptHost
  let opening: HostOpening
  private let states: CommandStates
  /// The time limit for a condition that sends no value; nil for no limit.
  let conditionTimeout: Duration?
  /// The OS signals that end the run.
  private let signals: [Int32]
  /// Replaced interpreters, closed; some of their processes may not have ended yet.
  var retired: [ScriptHost] = []
  /// Replaced interpreters whose work goes on.
  var leaving: [ScriptHost] = []
  package let output: ValueOutput
  /// Sends the trace of the session, if one is made.
  var traceExporter: TraceExporter?
  /// Called with the exit status at the end.
  package var onFinish: ((Int32) -> Void)?
  /// Describes the running work for SIGUSR1.
  var describeRunning: (() -> String)?
  /// The line shown while no output arrives.
  var statusLine: StatusLine?
  /// Called when an interrupt ends the run, before all executions are cancelled.
  package var onInterrupt: (() -> Void)?
  /// Called in place of the end of the program when a second signal comes that is left to the program.
  package var onForce: (() -> Void)?
  /// The names of the services whose ends the program waits for.
  package lazy var awaitedServices: () -> [String] = { [unowned self] in
    policy.services?.namesOfEnding ?? []
  }
  /// Called before the program stops, as by Ctrl-Z, and when it continues.
  package var willStop: (() -> Void)?
  package var didContinue: (() -> Void)?

  /// The OS signal that ends the run, once received.
  var interruption: Int32?
  var isInterruptionTold = false
  /// The command file and the files that it includes, with their states right before they were last
  /// read; nil for a file that was missing.
  package internal(set) var commandFiles: [(path: String, state: CommandFileState?)] = []
  /// The files of the modules that the command file required when it was last loaded, whether or not
  /// it did load, and of earlier ones that are gone, with their states right before they were read.
  var requiredModules: [(path: String, state: CommandFileState?)] = []
  /// These, and those that commands have required since.
  var modules: [(path: String, state: CommandFileState?)] {
    let required = Set(requiredModules.map(\.path))
    return requiredModules + host.modules.filter { !required.contains($0.path) }
  }
  /// What `rac.glob` has returned while the command file was last loaded, whether or not it did load.
  var listings: [GlobListing] = []
  /// Which of these files their loads change.
  var selfChanges = SelfChanges()
  /// The digests of what the last load has left in these.
  var contentsAfterLoad: [String: [UInt8]] = [:]
  /// The paths of these files.
  package var moduleFiles: [String] { modules.map(\.path) }
  var isStopping = false

  /// True when an OS signal ends the run.
  var isInterrupted: Bool { interruption != nil }

  /// True when executions cancelled now end for a reason that is reported elsewhere.
  package var isEnding: Bool { isStopping || Interruption.hasCome }

  /// - Parameters:
  ///   - scriptName: the value of `arg[0]`.
  ///   - arguments: the contents of `rac.args`.
  ///   - confirmation: answers the questions of commands.
  ///   - mistakes: what becomes of mistakes in definitions.
  ///   - services: who runs the services that commands need.
  ///   - project: the file, from the current folder, whose runs share resources; nil to share none.
  ///   - environment: returns the variables that each interpreter has.
  ///   - signals: the signals that end the run.
  package init(
    scriptName: String, arguments: [String], line: CommandLine,
    confirmation: @escaping HostPolicy.Confirmation, mistakes: HostPolicy.Mistakes = .fail,
    services: Services = .own, project: String? = nil,
    environment: @escaping () -> CallerEnvironment = { .own },
    signals: [Int32] = Interruption.signals
  ) throws {
    // What scripts print must not be among the documents.
    if line.has(.json) { Terminal.reserveOutput() }
    let loop = try EventLoop()
    self.loop = loop
    self.signals = signals.filter { !Interruption.isUnwanted($0) }
    report = Report(line)
    let output = ValueOutput(report)
    self.output = output
    conditionTimeout = line.duration(.conditionTimeout)
    let states = CommandStates(report)
    self.states = states
    JournalWait.follow(
      tell: { [report] in report.say("waiting for '\($0)', which another program holds") },
      isEndRequested: { Interruption.hasCome })
    var policy = HostPolicy(
      confirmation: confirmation, conditions: .awaited(atMost: conditionTimeout),
      upToDate: Self.upToDate(line, states),
      limits: HostPolicy.Limits(line), mistakes: mistakes,
      // If the reader of standard output has closed it, the rest must not appear elsewhere.
      takesLateOutput: { !output.hasFailed && !BrokenPipeHandler.isBroken },
      isEndRequested: { Interruption.hasCome })
    policy.adoptsFolder = line.has(.adopt)
    policy.services = services.provider(for: policy, loop, report)
    policy.environment = environment
    policy.jobServer = JobBudget.open(line, report, on: loop)
    policy.resources = ResourceBudget(try line.resources, of: project, on: loop) { [report] in
      report.say($0)
    }
    policy.cache = try ResultCache.ofUser()
    let opening = HostOpening(
      loop: loop, report: report, policy: policy, observer: SessionObserver(report, output),
      signals: self.signals)
    self.opening = opening
    Scheduler.main.use(loop)
    makeHost = { [policy] in
      try opening.open(script: scriptName, arguments: arguments, policy, observers: [])
    }
    host = try makeHost()
    output.use(host)
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

  /// What the session decides for scripts.
  package var policy: HostPolicy { opening.policy }

  /// Opens an interpreter for a script beside this one.
  ///
  /// - Parameters:
  ///   - policy: that of the session, with what differs.
  ///   - observer: receives what the interpreter reports, before the session does.
  package func open(
    script: String, arguments: [String], _ policy: HostPolicy, _ observer: any HostObserver
  ) throws -> ScriptHost {
    try opening.open(script: script, arguments: arguments, policy, observers: [observer])
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
    if let problem = traceExporter?.finish() { report.say(problem) }
    // Output of the shutdown.
    let isLost = flush()
    return interruptionStatus ?? (isLost ? max(status, ExitStatus.failure) : status)
  }

  /// Writes what is left of the output, once the loop is closed.
  ///
  /// - Returns: true if it was reported that it is lost.
  @discardableResult
  private func flush() -> Bool {
    let problem = Terminal.flush()
    if problem == EPIPE, interruption == nil { interruption = SIGPIPE }
    return problem != 0 && output.lose(problem)
  }

  /// The exit status if a signal of the OS ends the run.
  package var interruptionStatus: Int32? { interruption.map(ExitStatus.ended) }

  private func status(of outcome: Result<Int32, any Error>) throws -> Int32 {
    if let interruptionStatus { return interruptionStatus }
    let status = try outcome.get()
    guard status == ExitStatus.success else { return status }
    if let firstUnhandled = opening.observer.firstUnhandled {
      return firstUnhandled.exitStatus(ofSingle: false)
    }
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
    states.close()
    traceExporter?.stop()
    policy.jobServer?.close()
    Interruption.outlive(loop)
    BrokenPipeHandler.end()
    ExitCleanup.disarm()
    flush()
    // The loop had no work left, so it did not run again to handle the signal.
    if interruption == nil, !output.hasFailed { interruption = Interruption.signal }
  }

  /// Replaces this interpreter with a fresh one and closes it, if `prepare` makes the new one
  /// ready.
  ///
  /// - Parameter prepare: returns true if the new interpreter is to be used.
  package func replaceHost(_ prepare: (ScriptHost) throws -> Bool) throws {
    let fresh = try makeHost()
    let isReady = try prepare(fresh)
    let unused = isReady ? host : fresh
    if isReady {
      host = fresh
      output.use(fresh)
    }
    unused.cancelAll()
    // Otherwise the next interpreter could use a service while the present run of it ends.
    wait { isEnding || !unused.isEndingServices }
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
