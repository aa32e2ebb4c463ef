import Commands
import Digests
import EventLoop
import LuaRuntime
import Platform
import Reactive
import Scripting

/// Repeats the run of a plan: starts a new run whenever files change, once the previous one has
/// ended. It ends when the command file changes, because the plan changes with it, and at each change
/// if functions have made the plan. On the loop's thread.
package final class Watching {
  private let session: Session
  /// The interpreter of the plan.
  private let host: ScriptHost
  /// The lists of patterns of the files to watch.
  private let patterns: [[String]]
  /// The command file and the files that it includes.
  private let files: [String]
  /// These, and the modules that they require: their code counts only once it is loaded again.
  private var loadedFiles: [String] { files + session.moduleFiles }
  private let debounce = Duration.milliseconds(100)
  /// Nil if there is no plan, because the command file does not load.
  private let makeRun: (() -> CommandRun)?
  private let services: WatchedServices
  /// The commands of the plan whose conditions are live.
  private let conditional: [ScriptCommand]
  /// The waits for conditions that have kept a run from executing commands.
  private let conditions = SerialDisposable()
  /// True if another run may have another plan.
  private let isPlanAsked: Bool
  /// The files that executions make, by what identifies them. Patterns leave out only those that a
  /// definition names itself.
  private var outputs: [[UInt8]: Glob] = [:]
  /// The files that definitions name as outputs by patterns of which some leave out files.
  private let excludingOutputs: [Glob]
  private lazy var command = Command<Void, Int32>(
    scheduler: session.host.scheduler, whenBusy: .restart,
    signalBlock: onLoop { [unowned self] _ in Signal(source: onLoop(run)) })
  private let subscription = CompoundDisposable()
  private let executing = CompoundDisposable()
  private var changes: [FileChange] = []
  /// The changes for which services may have to be started again, once there is a plan.
  package private(set) var changesForServices: [FileChange]
  private var isStopped = false
  /// True while a run or work that it has started is active.
  private var isExecuting = false
  /// The files that have changed while the current run and the one before it were at work, with the
  /// digests of what they held then.
  private var changedInRun: [String: [UInt8]?] = [:]
  private var changedInLastRun: [String: [UInt8]?] = [:]
  private var lastEnd: Duration?
  /// When the latest run began, or a service of it became ready.
  private var lastStart: Duration?
  /// The services that have yet to become ready.
  private var starting: Set<ServiceKey> = []
  /// The files that were reported to change in each run.
  private var told: Set<String> = []
  /// True if the command file must be loaded again.
  package private(set) var wantsCommands = false
  /// True if there has to be a plan anew.
  package private(set) var wantsPlan = false

  /// True when no run is active and none can start.
  package var isOver: Bool {
    isStopped && !isExecuting && command.queuedExecutions.isEmpty
      && command.activeExecutionSignals.isEmpty
  }

  deinit { executing.dispose() }

  /// - Parameters:
  ///   - plan: the plan of the runs; nil to wait until the command file changes.
  ///   - changes: those of an earlier watch for which it has not started services again.
  ///   - runs: returns a function that creates a run without starting it.
  package init(
    _ session: Session, _ patterns: [[String]], files: [String], _ plan: Plan?,
    after changes: [FileChange], _ runs: (Plan) -> () -> CommandRun
  ) {
    changesForServices = changes
    self.session = session
    host = session.host
    self.patterns = patterns
    self.files = files
    makeRun = plan.map(runs)
    services = WatchedServices(plan, patterns)
    excludingOutputs = (plan?.outputPatterns ?? []).filter(\.hasExcludes)
      .compactMap { try? Glob($0).withHiddenContents }
    conditional = plan.map { $0.steps.map(\.command).filter { !$0.hasPredicate } } ?? []
    isPlanAsked = plan?.steps.contains(where: \.command.asksForNeeds) == true
  }

  /// Executes once, and then after each change.
  package func start() {
    command.executing.observe(
      Observer(
        next: onLoop { [unowned self] in
          if isExecuting, !$0 { lastEnd = EventLoop.now }
          isExecuting = $0
        }, end: { _ in }), in: executing)
    // The command files are watched in addition to the given paths.
    do {
      follow(
        try session.host.changes(
          matching: patterns, besides: loadedFiles.map(WatchedPaths.nearest), debounce: debounce)
      ) { [unowned self] in changed($0) }
      try followListed()
    } catch {
      session.report.error("\(error)")
      return stop()
    }
    // A run may require further modules; each is watched from before it is read.
    host.add(self)
    guard makeRun != nil else { return }
    let changes = changesForServices
    changesForServices = []
    restartServices(after: changes, onProblem: {}) { [weak self] in self?.execute() }
  }

  private func run(_ observer: Observer<Int32>, _ subscription: CompoundDisposable) {
    guard let run = makeRun?() else { return observer.end(.completed) }
    run.onFinish = { status in
      observer.next(status)
      observer.end(.completed)
    }
    subscription.addAsync(onLoop { done in run.stop(then: done) })
    run.start()
  }

  /// Follows the files that the command file has found by patterns: which these are is a part of it.
  private func followListed() throws {
    let isAllWatched = patterns.contains { $0.contains(".") }
    guard !isAllWatched, !session.listedPatterns.isEmpty else { return }
    follow(
      try session.host.changes(matching: session.listedPatterns, besides: [], debounce: debounce)
    ) { [unowned self] in if !session.changedListings.isEmpty { changed($0) } }
  }

  private func follow(module path: String) {
    guard !isStopped else { return }
    follow(host.changes(at: [path], debounce: debounce)) { [unowned self] in changed($0) }
  }

  private func follow(
    _ changes: Signal<FileChange>, _ next: @escaping (FileChange) -> Void
  ) {
    changes.observe(
      Observer(
        next: onLoop(next),
        end: onLoop { [unowned self] termination in
          if case .error(let error) = termination { session.report.error("\(error)") }
          stop()
        }), in: subscription.makeChild())
  }

  /// Handles a file of commands that differs from the one that was loaded.
  package func commandFileHasChanged(_ path: String) {
    changed(FileChange(path: path, kind: .changed))
  }

  package func stop() {
    isStopped = true
    host.remove(self)
    subscription.dispose()
    conditions.dispose()
    // One execution may wait for another to end.
    for execution in command.queuedExecutions + command.activeExecutionSignals {
      execution.cancel()
    }
  }

  private func changed(_ change: FileChange) {
    // Changes that git makes to its own files are ignored.
    guard !change.path.split(separator: "/").contains(".git") else { return }
    // To read it would release its locks, and each run writes it.
    guard !DatabasesInUse.excluded(from: [change.path]).isEmpty else { return }
    // What the commands make must not start them again.
    guard !outputs.values.contains(where: { $0.matches(change.path) }),
      !excludingOutputs.contains(where: { $0.matches(change.path) })
    else { return }
    // Another process that loads the command file changes it, too.
    guard session.isNews(change.path), !isRewritten(change.path) else { return }
    // The watched paths may include the command file.
    guard !changes.contains(where: { $0.path == change.path && $0.kind == change.kind }) else {
      return
    }
    changes.append(change)
    // Simultaneous changes are handled in one turn.
    if changes.count == 1 { session.host.scheduler.enqueue(onLoop(restart)) }
  }

  /// Returns true if a run has written a file as the run before it has, so that another one would do
  /// the same. Reports a file that changes in two runs, one after the other.
  private func isRewritten(_ path: String) -> Bool {
    // A change arrives after some time. What people edit while services run is not theirs.
    let isRecent = { (time: Duration?) in time.map { EventLoop.now - $0 < .seconds(1) } == true }
    let isOwn =
      services.isAll
      ? !starting.isEmpty || isRecent(lastStart) : isExecuting || isRecent(lastEnd)
    guard isOwn else { return false }
    let content = try? SHA256.digest(ofFile: path)
    changedInRun[path] = .some(content)
    guard let last = changedInLastRun[path] else { return false }
    if told.insert(path).inserted {
      session.report.say(
        "\(path) has changed in two runs, one after the other: if the command writes it, name it in "
          + "'outputs', or leave it out with '!\(path)'")
    }
    return last == content
  }

  private func restart() {
    guard !isStopped, let first = changes.first else { return }
    let more = changes.count > 1 ? ", and \(changes.count - 1) more" : ""
    session.report.say("\(first.path) \(first.kind.text)\(more)")
    // If the command file does not load, the changed file may be one that it loads.
    wantsCommands =
      makeRun == nil
      || changes.contains { change in
        loadedFiles.contains { CommandFile.isIt(change.path, named: $0) }
      } || !session.changedListings.isEmpty
    let changes = changes
    self.changes = []
    guard !wantsCommands else {
      // Which services there are is known once the file is loaded.
      changesForServices += changes
      return executeAnew()
    }
    let isDone = isExecuting && services.areConcernedAlone(by: changes)
    if isDone { beginRound() }
    restartServices(after: changes) { [weak self] in
      if isDone { self?.execute() }
    } then: { [weak self] in
      // A round does not meet a service just before that is started again.
      if !isDone { self?.executeAnew() }
    }
  }

  /// Starts the changed services again, which others may use, too.
  ///
  /// - Parameters:
  ///   - onProblem: called for each that was not started again.
  ///   - proceed: called once the others are being started again. Neither is called once it was stopped.
  private func restartServices(
    after changes: [FileChange], onProblem: @escaping () -> Void,
    then proceed: @escaping () -> Void
  ) {
    services.restart(after: changes) { [weak self] problem in
      guard let self, !isStopped else { return }
      if case .isRefused(let service, let reason) = problem {
        session.report.error("\(service) was not restarted: \(reason)")
      }
      onProblem()
    } then: { [weak self] in
      if self?.isStopped == false { proceed() }
    }
  }

  /// Starts a run, or ends if that needs another plan.
  private func executeAnew() {
    wantsPlan = wantsCommands || isPlanAsked
    if wantsCommands { host.keptServices?.keepsVisits = true }
    if wantsPlan { stop() } else { execute() }
  }

  /// Executes again as soon as the condition of a command is true that has kept it from being executed.
  private func awaitConditions() {
    let waits = CompoundDisposable()
    conditions.inner = waits
    for command in conditional {
      guard case .notEnabled(_, .condition)? = command.obstacle else { continue }
      command.immediateEnabled.filter { $0 }.take(1).observe(
        Observer(
          next: onLoop { [unowned self] _ in
            session.host.scheduler.enqueue(
              onLoop { [weak self] in
                guard let self, !isStopped, !waits.isDisposed else { return }
                session.report.say("'\(command.name)' is enabled")
                executeAnew()
              })
          }, end: { _ in }), in: waits)
    }
  }

  /// The patterns of all lists, each once.
  private var patternText: String {
    var known: Set<String> = []
    return patterns.joined().filter { known.insert($0).inserted }.joined(separator: ", ")
  }

  private func beginRound() {
    (changedInLastRun, changedInRun) = (changedInRun, [:])
    lastStart = EventLoop.now
  }

  private func execute() {
    conditions.inner = nil
    beginRound()
    command.execute(()).subscribe(
      next: onLoop { [self] status in
        let outcome = status == ExitStatus.success ? "done" : "failed with status \(status)"
        session.report.say("\(outcome); watching \(patternText)")
        if !isStopped { awaitConditions() }
      }, error: { _ in })
  }
}

extension Watching: HostObserver {
  package func hostFoundModule(_ path: String) { follow(module: path) }

  package func hostServiceChanged(
    _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
  ) {
    let service = ServiceKey(command, input)
    if status.state == .starting, command.service?.canBeReady == true {
      starting.insert(service)
    } else if starting.remove(service) != nil {
      lastStart = EventLoop.now
    }
    // Without a plan, no run reports what becomes of the services that are kept.
    if makeRun == nil, status.state == .failed {
      session.report.error("\(command.name): \(status.failure ?? "it has ended")")
    }
  }

  package func hostWillMake(_ outputs: Glob, for key: [UInt8]) { self.outputs[key] = outputs }
}

extension FileChange.Kind {
  fileprivate var text: String {
    switch self {
    case .created: "was created"
    case .changed: "has changed"
    case .removed: "was removed"
    }
  }
}
