import EventLoop
import LuaRuntime
import Platform
import Reactive

/// What functions of an execution have started and not waited for: executions of other commands, and
/// processes. The execution ends when these have. On the loop's thread.
final class StartedWork {
  /// The executions that have not ended.
  fileprivate var executions: [ObjectIdentifier: ScriptExecution] = [:]
  /// The failure of the first execution that has failed before the function returned, which was reported
  /// then.
  fileprivate var failure: Failure?
  private var wait: StartedWorkWait?

  /// The executions that somebody may still want to end.
  fileprivate var wanted: [ScriptExecution] {
    executions.values.filter { !$0.isGivenUp }.sorted { $0.id < $1.id }
  }

  /// Calls `end` once nothing is left that an execution has started.
  fileprivate func wait(
    _ execution: ScriptExecution, in subscription: CompoundDisposable,
    _ end: @escaping (Termination) -> Void
  ) {
    for started in wanted where !started.wasFollowed {
      started.scriptCommand.host.showUntakenOutput(of: started)
    }
    let wait = StartedWorkWait(execution, end)
    self.wait = wait
    subscription.add(onLoop { [weak self] in self?.wait = nil })
    wait.tell()
  }

  /// Notes an error that nothing else observes.
  ///
  /// - Returns: true if the execution that has started the other fails with it.
  fileprivate func fails(_ error: any Error, of started: ScriptExecution) -> Bool {
    guard executions[ObjectIdentifier(started)] != nil else { return false }
    let host = started.scriptCommand.host
    let failure = host.failure(of: error)
    guard failure.kind != .cancelled, !host.isRefusal(failure) else { return false }
    if let wait {
      wait.fail(host.error(error, endedBy: started))
      return true
    }
    if self.failure == nil {
      var own = Failure(
        .dependency, "'\(started.scriptCommand.name)', which it has started, has failed")
      own.code = failure.code
      self.failure = own
    }
    return false
  }

  fileprivate func remove(_ execution: ScriptExecution) {
    executions[ObjectIdentifier(execution)] = nil
    look()
  }

  fileprivate func look() { wait?.look() }
}

/// The wait of an execution whose function has returned.
private final class StartedWorkWait {
  private weak var execution: ScriptExecution?
  private var end: ((Termination) -> Void)?
  private var error: (any Error)?
  private var timer: Timer?

  init(_ execution: ScriptExecution, _ end: @escaping (Termination) -> Void) {
    (self.execution, self.end) = (execution, end)
  }

  deinit { timer?.cancel() }

  /// Says after a second what is waited for: it may never end.
  func tell() {
    guard let host = execution?.scriptCommand.host else { return }
    timer = host.loop.timer(after: .seconds(1)) { [weak self] in
      guard let execution = self?.execution else { return }
      let names = execution.started?.wanted.map { "'\($0.scriptCommand.name)'" } ?? []
      host.observers.waits(
        "'\(execution.scriptCommand.name)' has returned, and waits for the end of "
          + "\(names.isEmpty ? "a process" : names.joined(separator: ", ")), which it has started")
    }
    timer?.unref()
  }

  func fail(_ error: any Error) { self.error = self.error ?? error }

  /// Ends the wait if nothing is left, a turn later, when all have been told of an end.
  func look() {
    execution?.scriptCommand.host.scheduler.enqueue(onLoop { [weak self] in self?.finish() })
  }

  private func finish() {
    guard let execution, !execution.hasStartedWork, let end else { return }
    self.end = nil
    timer?.cancel()
    end(execution.endOfFunctions(error))
  }
}

extension ScriptExecution {
  /// True if anything runs that its functions have started.
  fileprivate var hasStartedWork: Bool { !leaders.isEmpty || started?.wanted.isEmpty == false }

  /// True if scripts have followed it and do so no longer, as with `<close>`.
  fileprivate var isGivenUp: Bool { wasFollowed && followers == 0 }

  /// A script follows it as long as a subscription lasts.
  func isFollowed(in subscription: CompoundDisposable) {
    isFollowed()
    let me = LoopBound(self)
    subscription.add { me.value.isLeft() }
  }

  /// A script begins to follow it.
  func isFollowed() {
    followers += 1
    wasFollowed = true
  }

  /// A script that has followed it does so no longer.
  func isLeft() {
    followers -= 1
    if followers == 0 { outer?.started?.look() }
  }

  /// An execution that a function of this one has started begins. Needs, steps and visits of services are
  /// waited for, or ended, by those who begin them.
  func begins(_ inner: ScriptExecution) {
    guard !inner.isNeeded, !inner.isObserverWork, !inner.scriptCommand.isService else { return }
    // It may wait for the place of one around it, which then must not wait for it.
    var branch = inner
    for ancestor in sequence(first: self, next: \.outer) {
      if ancestor.scriptCommand === inner.scriptCommand { ancestor.started?.remove(branch) }
      branch = ancestor
    }
    guard scriptCommand !== inner.scriptCommand else { return }
    let started = started ?? StartedWork()
    self.started = started
    started.executions[ObjectIdentifier(inner)] = inner
  }

  /// An execution inside it has ended without an error.
  func innerEnded(_ inner: ScriptExecution) { started?.remove(inner) }

  /// An execution inside it has ended with an error that nothing else observes.
  ///
  /// - Returns: true if this one fails with it.
  func fails(withErrorOf inner: ScriptExecution, _ error: any Error) -> Bool {
    started?.fails(error, of: inner) == true
  }

  func startedGroupEnded() { started?.look() }

  /// The end of its functions, which have returned.
  ///
  /// - Parameter error: the error of what was waited for.
  fileprivate func endOfFunctions(_ error: (any Error)?) -> Termination {
    if let error { return .error(error) }
    let failure = started?.failure
    started?.failure = nil
    return failure.map { .error($0) } ?? .completed
  }

  /// The signal of one of its functions, which ends when nothing is left that the function has started.
  func waitingForStarted(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal(
      source: onLoop { [self] observer, subscription in
        signal.observe(
          Observer(next: observer.next, batch: observer.batch) { [weak self] termination in
            guard case .completed = termination, let self else { return observer.end(termination) }
            guard hasStartedWork else { return observer.end(endOfFunctions(nil)) }
            let started = started ?? StartedWork()
            self.started = started
            started.wait(self, in: subscription, observer.end)
          }, in: subscription)
      })
  }
}
