import Reactive
import Synchronization

/// The state machine of a command, free of the types of its input and output.
///
/// Every transition is one critical section; what follows from it is done after the mutex is free:
/// publications by one job at a time on the command's scheduler, `immediateEnabled` by whoever finds
/// nobody sending.
final class CommandCore: Sendable {
  let name: String?
  let scheduler: Scheduler
  private let main: MainScheduler?
  private let state: Mutex<CommandState>
  private let completeExecutions = Mutex<(@Sendable () -> Void)?>(nil)
  /// The subscription of the enabled condition.
  let condition = CompoundDisposable()

  /// Publications made in one turn of the scheduler, so that a command whose observers execute it
  /// again and again leaves room for others.
  private static let publicationsPerTurn = 256

  init(name: String?, scheduler: Scheduler, policy: BusyPolicy, limit: ConcurrencyLimit) {
    self.name = name
    self.scheduler = scheduler
    main = scheduler as? MainScheduler
    state = Mutex(CommandState(policy: policy, limit: limit))
  }

  func whenClosed(_ action: @escaping @Sendable () -> Void) {
    completeExecutions.withLock { $0 = action }
  }

  // MARK: Transitions

  private func transition<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsTurn, needsSender) = state.withLock { state in
      let result = change(&state)
      return (result, state.noteChanges(), state.noteImmediateChange())
    }
    if needsTurn { scheduleTurn() }
    if needsSender { sendImmediate() }
    return result
  }

  /// Decides about an execution; calls nobody.
  func admit(_ body: any ExecutionBody) -> CommandState.Admission {
    transition { $0.admit(body, of: name) }
  }

  /// The signal block of an admitted execution has returned.
  func announce(_ body: any ExecutionBody, work: AnyObject) {
    let box = AnyObjectBox(object: work)
    transition { state in
      switch body.ticket.phase {
      case .preparing:
        body.ticket.phase = .ready
        state.announce(body, work: box.object)
      default:
        // Cancelled meanwhile; its slot was held for the block.
        state.release(body.ticket)
        state.admitWaiting()
      }
    }
  }

  /// The enabled condition has been subscribed.
  func open() {
    transition { $0.isOpening = false }
  }

  func setCondition(_ isTrue: Bool) {
    transition { state in
      state.condition = isTrue
      state.admitWaiting()
    }
  }

  var limit: ConcurrencyLimit {
    get { state.withLock { $0.limit } }
    set {
      transition { state in
        guard state.limit != newValue else { return }
        state.limit = newValue
        state.publish(.limit(newValue))
        state.admitWaiting()
      }
    }
  }

  /// The slot of an execution is free and its subscribers know its end.
  private func settle(_ ticket: Ticket) {
    transition { state in
      if ticket.isAnnounced { state.announced -= 1 }
      state.admitWaiting()
    }
  }

  // MARK: The end of an execution

  /// The work has sent its end.
  func workEnded(
    _ body: any ExecutionBody, _ termination: Termination, _ subscription: CompoundDisposable
  ) {
    // RAC's order: the work is torn down before its end is told.
    subscription.dispose()
    if case .error(let error) = termination, retry(body, after: error, subscription) { return }
    if body.ticket.supervision != nil { body.ticket.subscription.dispose() }
    let teardown = body.ticket.subscription.outstandingTeardown
    let claimed = state.withLock { state in
      let ticket = body.ticket
      guard case .running = ticket.phase else { return false }
      switch termination {
      case .completed: ticket.phase = .ended(.completed, nil)
      case .error(let error):
        ticket.phase = .ended(.failed, error)
        state.publish(.failed(error))
      }
      if teardown == nil { state.release(ticket) }
      return true
    }
    guard claimed else { return }
    body.end(termination)
    if let teardown {
      // Publishes the error; the slot stays taken.
      transition { _ in }
      teardown.whenDone { self.free(body.ticket) }
    } else {
      settle(body.ticket)
    }
    releaseWork(of: body.ticket)
  }

  /// Ends an execution from outside: by cancellation or a timeout.
  func stop(_ body: any ExecutionBody, _ end: ExecutionState, _ error: any Error) {
    let victim = state.withLock { $0.claim(body, end, error) }
    if let victim { finish(victim) }
  }

  /// Tells an execution that was ended from outside, and its work.
  func finish(_ victim: CommandState.Victim) {
    let body = victim.body
    let ticket = body.ticket
    let error = victim.error
    switch victim.phase {
    case .ended: return
    case .queued, .preparing, .ready:
      body.end(.error(error))
      if case .preparing = victim.phase { transition { _ in } } else { settle(ticket) }
    case .running:
      ticket.subscription.dispose()
      let isSubscribed = ticket.didStop()
      if isSubscribed && ticket.subscription.outstandingTeardown == nil {
        // Free at once: who hears of the end may execute again.
        state.withLock { $0.release(ticket) }
        body.end(.error(error))
        settle(ticket)
      } else {
        body.end(.error(error))
        transition { _ in }
        if isSubscribed { freeWhenTornDown(ticket) }
      }
    }
    releaseWork(of: ticket)
  }

  private func freeWhenTornDown(_ ticket: Ticket) {
    ticket.subscription.whenTornDown { self.free(ticket) }
  }

  private func free(_ ticket: Ticket) {
    state.withLock { $0.release(ticket) }
    settle(ticket)
  }

  private func releaseWork(of ticket: Ticket) {
    guard ticket.supervision != nil else { return }
    // Released after the mutex: a subject among it ends its subscribers.
    _ = state.withLock { _ in
      defer { ticket.work = nil }
      return ticket.work.map(AnyObjectBox.init)
    }
  }

  // MARK: Attempts

  /// The work of an execution is due.
  private func start(_ body: any ExecutionBody, _ work: AnyObjectBox) {
    let ticket = body.ticket
    let isDue = state.withLock { state in
      guard case .ready = ticket.phase else { return false }
      ticket.phase = .running
      ticket.willSubscribe()
      return true
    }
    guard isDue else { return }
    guard let supervision = ticket.supervision else {
      body.subscribe(work.object, in: ticket.subscription)
      if ticket.didSubscribe() { freeWhenTornDown(ticket) }
      return
    }
    let repeatable = AnyObjectBox(object: body.repeatable(work.object))
    state.withLock { _ in if !ticket.phase.isEnded { ticket.work = repeatable.object } }
    if let timeout = supervision.options.timeout {
      ticket.subscription.add(
        scheduler.schedule(after: timeout) { [weak body] in
          guard let body else { return }
          self.stop(body, .failed, CommandError.timeout(after: timeout))
        })
    }
    supervision.first()
    attempt(body, repeatable)
  }

  private func attempt(_ body: any ExecutionBody, _ work: AnyObjectBox) {
    let ticket = body.ticket
    body.subscribe(work.object, in: ticket.subscription.makeChild())
    if ticket.didSubscribe() { freeWhenTornDown(ticket) }
  }

  /// Starts a further attempt if there is one, once nothing is left of the last.
  private func retry(
    _ body: any ExecutionBody, after error: any Error, _ last: CompoundDisposable
  ) -> Bool {
    let ticket = body.ticket
    guard let supervision = ticket.supervision, !ticket.subscription.isDisposed,
      let next = supervision.next(after: error)
    else { return false }
    supervision.attempts.sendNext(next)
    last.whenTornDown { [scheduler] in
      let delay = ticket.subscription.makeChild()
      delay.add(
        scheduler.schedule(after: next.delay) {
          delay.dispose()
          self.again(body)
        })
    }
    return true
  }

  private func again(_ body: any ExecutionBody) {
    let ticket = body.ticket
    let work: AnyObjectBox? = state.withLock { _ in
      guard case .running = ticket.phase else { return nil }
      ticket.willSubscribe()
      return ticket.work.map(AnyObjectBox.init)
    }
    if let work { attempt(body, work) }
  }

  // MARK: Publications

  private func scheduleTurn() {
    if let main { main.enqueue { self.takeTurn() } } else { scheduler.schedule { self.takeTurn() } }
  }

  private func takeTurn() {
    for _ in 0..<Self.publicationsPerTurn {
      guard let publication = nextPublication() else { return }
      make(publication)
    }
    scheduleTurn()
  }

  private func nextPublication() -> Publication? {
    state.withLock { state in
      let publication = state.publications.popFirst()
      if publication == nil { state.pump = .idle }
      return publication
    }
  }

  private func make(_ publication: Publication) {
    switch publication {
    case .admitted(let body, let work, let change):
      let work = work ?? workOfWaiting(body)
      body.publish()
      show(change)
      if let work { start(body, work) }
    case .changed(let change):
      show(change)
    case .limit(let limit):
      let outlet = state.withLock { state in
        state.shownLimit = limit
        return state.outlets.limit
      }
      outlet?.sendNext(limit)
    case .failed(let error):
      state.withLock { $0.outlets.errors }?.sendNext(error)
    case .rejected(let error):
      state.withLock { $0.outlets.disabledErrors }?.sendNext(error)
    case .closed:
      let outlets = state.withLock { $0.outlets }
      completeExecutions.withLock { $0 }?()
      outlets.complete()
    }
  }

  /// Calls the signal block of an execution whose turn has come.
  private func workOfWaiting(_ body: any ExecutionBody) -> AnyObjectBox? {
    body.stateChanged()
    let isDue = state.withLock { _ in !body.ticket.phase.isEnded }
    return isDue ? AnyObjectBox(object: body.makeWork()) : nil
  }

  private func show(_ change: Publication.Change) {
    if let executing = change.executing {
      let outlet = state.withLock { state in
        state.shownExecuting = executing
        return state.outlets.executing
      }
      outlet?.sendNext(executing)
    }
    if let enabled = change.enabled {
      let outlet = state.withLock { state in
        state.shownEnabled = enabled
        return state.outlets.enabled
      }
      outlet?.sendNext(enabled)
    }
  }

  private func sendImmediate() {
    while true {
      let (outlet, value) = state.withLock { state -> (BehaviorSubject<Bool>?, Bool?) in
        let value = state.immediate?.popFirst()
        if value == nil { state.isSendingImmediate = false }
        return (state.outlets.immediateEnabled, value)
      }
      guard let value else { return }
      outlet?.sendNext(value)
    }
  }

  // MARK: What can be asked

  func phase(of ticket: Ticket) -> Ticket.Phase { state.withLock { _ in ticket.phase } }

  /// Whether an execution has or had a slot.
  func wasStarted(_ ticket: Ticket) -> Bool { state.withLock { _ in ticket.isAnnounced } }

  var active: [any ExecutionBody] {
    // An execution that was stopped holds its slot, but does not run any more.
    state.withLock { $0.active.all.filter { !$0.ticket.phase.isEnded } }
  }

  var waiting: [any ExecutionBody] { state.withLock { $0.queue.all } }

  var disabledError: CommandError? { state.withLock { $0.disabledError(of: name) } }

  var executing: Signal<Bool> {
    outlet(\.executing) { BehaviorSubject($0.shownExecuting) }
  }

  var enabled: Signal<Bool> {
    outlet(\.enabled) { BehaviorSubject($0.shownEnabled) }
  }

  var immediateEnabled: Signal<Bool> {
    outlet(\.immediateEnabled) { state in
      state.immediate = Queue()
      state.lastImmediate = state.isEnabled
      return BehaviorSubject(state.lastImmediate)
    }
  }

  var limits: Signal<ConcurrencyLimit> {
    outlet(\.limit) { BehaviorSubject($0.shownLimit) }
  }

  var errors: Signal<any Error> { outlet(\.errors) { _ in Subject() } }

  var disabledErrors: Signal<CommandError> { outlet(\.disabledErrors) { _ in Subject() } }

  private func outlet<Value, S: Subject<Value>>(
    _ path: WritableKeyPath<Outlets, S?>, _ make: (inout CommandState) -> S
  ) -> Signal<Value> {
    let subject: S = state.withLock { state in
      if let subject = state.outlets[keyPath: path] { return subject }
      let subject = make(&state)
      state.outlets[keyPath: path] = subject
      return subject
    }
    // Not the subject itself, which could be sent to.
    return Signal(subject)
  }

  // MARK: End of life

  /// The command is gone: those who wait are cancelled, those who run belong to their work, and all
  /// signals complete once what has happened before is published.
  func close() {
    condition.dispose()
    var running = Roster()
    let waiting: [any ExecutionBody] = state.withLock { state in
      let waiting = state.queue.all
      for body in waiting { body.ticket.phase = .ended(.cancelled, CommandError.cancelled) }
      state.publish(.closed)
      state.isClosed = true
      state.queue = Roster()
      // Released after the mutex.
      running = state.active
      state.active = Roster()
      return waiting
    }
    withExtendedLifetime(running) {
      for body in waiting { body.end(.error(CommandError.cancelled)) }
      transition { _ in }
    }
  }
}
