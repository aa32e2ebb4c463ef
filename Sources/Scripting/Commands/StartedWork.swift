import EventLoop
import LuaRuntime
import Platform
import Reactive

/// What functions of an execution have started and not waited for: executions of other commands, and
/// processes. The execution ends when these have. On the loop's thread.
final class StartedWork {
  /// The executions that have not ended.
  fileprivate var executions: [ObjectIdentifier: ScriptExecution] = [:]
  private var wait: StartedWorkWait?

  /// Calls `end` once nothing is left that an execution has started, perhaps inside this call.
  fileprivate func wait(
    _ execution: ScriptExecution, in subscription: CompoundDisposable,
    _ end: @escaping (Termination) -> Void
  ) {
    for started in executions.values.sorted(by: { $0.id < $1.id }) {
      started.scriptCommand.host.showUntakenOutput(of: started)
    }
    let wait = StartedWorkWait(execution, end)
    self.wait = wait
    subscription.add(onLoop { [weak self] in self?.wait = nil })
    wait.tell()
  }

  fileprivate func ended(_ execution: ScriptExecution, _ termination: Termination) {
    executions[ObjectIdentifier(execution)] = nil
    wait?.ended(execution, termination)
  }

  fileprivate func groupEnded() { wait?.look() }
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
      let names = execution.started?.executions.values.filter { !$0.isGivenUp }
        .sorted { $0.id < $1.id }
        .map { "'\($0.scriptCommand.name)'" }
      let what =
        names.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "a process"
      host.observers.waits(
        "'\(execution.scriptCommand.name)' has returned, and waits for the end of \(what), which it "
          + "has started")
    }
    timer?.unref()
  }

  /// An execution has ended; if nothing else observes its error, the one that has started it fails.
  func ended(_ started: ScriptExecution, _ termination: Termination) {
    if case .error(let error) = termination, !started.isObserved, !started.hasErrorObservers {
      started.isObserved = true
      if self.error == nil {
        self.error = started.scriptCommand.host.error(error, endedBy: started)
      }
    }
    look()
  }

  /// Ends the wait a turn later, so that all have been told of an end before, if nothing is left.
  func look() {
    execution?.scriptCommand.host.scheduler.enqueue(onLoop { [weak self] in self?.finish() })
  }

  private func finish() {
    guard let execution, !execution.hasStartedWork, let end else { return }
    self.end = nil
    timer?.cancel()
    end(error.map { .error($0) } ?? .completed)
  }
}

extension ScriptExecution {
  /// True if anything runs that its functions have started.
  fileprivate var hasStartedWork: Bool {
    !leaders.isEmpty || started?.executions.values.contains { !$0.isGivenUp } == true
  }

  /// True if scripts have followed it and do so no longer, as with `<close>`.
  fileprivate var isGivenUp: Bool { wasFollowed && followers == 0 }

  /// A script follows it as long as a subscription lasts.
  func isFollowed(in subscription: CompoundDisposable) {
    followers += 1
    wasFollowed = true
    let me = LoopBound(self)
    subscription.add { me.value.followers -= 1 }
  }

  /// An execution that a function of this one has started begins. Needs, steps and visits of services are
  /// waited for, or ended, by those who begin them.
  func begins(_ inner: ScriptExecution) {
    guard !inner.isNeeded, !inner.isObserverWork, !inner.scriptCommand.isService,
      // It may wait for the place of this one.
      !sequence(first: self, next: \.outer).contains(where: {
        $0.scriptCommand === inner.scriptCommand
      })
    else { return }
    let started = started ?? StartedWork()
    self.started = started
    started.executions[ObjectIdentifier(inner)] = inner
  }

  func innerEnded(_ inner: ScriptExecution, _ termination: Termination) {
    started?.ended(inner, termination)
  }

  func startedGroupEnded() { started?.groupEnded() }

  /// The signal of one of its functions, which ends when nothing is left that the function has started.
  func waitingForStarted(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal(
      source: onLoop { [self] observer, subscription in
        signal.observe(
          Observer(next: observer.next, batch: observer.batch) { [weak self] termination in
            guard case .completed = termination, let self, hasStartedWork else {
              return observer.end(termination)
            }
            let started = started ?? StartedWork()
            self.started = started
            started.wait(self, in: subscription, observer.end)
          }, in: subscription)
      })
  }
}
