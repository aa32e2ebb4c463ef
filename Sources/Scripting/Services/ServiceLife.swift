import Platform
import Reactive

/// The life of one service: its state, its users, and its work, of which there is one at a time.
///
/// ```
/// down ──▶ starting ──▶ ready ⇄ unready     restarting ──▶ starting
///   ▲          │           │                    ▲
///   └─ ending ◀┴───────────┴──▶ failed ◀────────┴── crash
/// ```
///
/// Confined to the loop's thread. Observers may use it, leave it and end it while they are called.
final class ServiceLife {
  private let rules: ServiceRules
  private let clock: any ServiceClock
  private let makeWork: (CallerEnvironment) -> any ServiceWork
  private(set) var status: ServiceStatus
  private let observers = ServiceObservers()

  private var work: (any ServiceWork)?
  /// The variables of the one that has started it last, or is going to: it keeps them when it is started
  /// again by its rules.
  private var starter = CallerEnvironment.own
  /// The variables that its work has begun with; nil if it has none.
  private(set) var caller: CallerEnvironment?
  /// What is done when the work has ended.
  private var next = Next.byRules
  /// Cancels what waits for the time of a restart, or of the end.
  private var cancelTimer: (() -> Void)?
  /// When its own work has begun.
  private var workBegin: Duration?
  private var crashes = CrashCount()
  private var answersOfOthers = 0
  /// True once the program ends: nothing lingers, and nothing is started again.
  private var isClosing = false

  private enum Next: Equatable {
    /// As the rules say: nobody has asked for the end.
    case byRules
    /// Something else is in the place of the service.
    case fail(String)
    case restart
    /// It goes down, unless it has users by then.
    case down
    /// It goes down whoever uses it, for this reason.
    case downForAll(String)
    /// It has failed because it was not ready in time, unless it has users by then.
    case late(String)
  }

  /// How much less of the time to become ready has passed here, at most, when it has for a user.
  private static let lateness = Duration.milliseconds(20)
  /// How often a probe must find somebody else in the place of the service, as a process that listens
  /// may be missed while processes come and go.
  private static let enoughAnswers = 3

  init(
    _ rules: ServiceRules, _ clock: any ServiceClock,
    makingWork makeWork: @escaping (CallerEnvironment) -> any ServiceWork
  ) {
    self.rules = rules
    self.clock = clock
    self.makeWork = makeWork
    status = ServiceStatus(.down, since: clock.milliseconds)
  }

  /// What its own work has begun with; nil if it has not begun.
  var basis: ServiceBasis? { work?.basis }

  /// True if nothing of it runs or is going to.
  var isOver: Bool { status.state.isOver }

  /// True if it is down, and nobody uses or watches it.
  var isForgettable: Bool { status.state == .down && observers.isEmpty }

  // MARK: Users

  /// Begins a use, which starts it unless it is up.
  ///
  /// - Parameter caller: the variables that it begins with then.
  /// - Returns: ends the use.
  func use(
    for caller: CallerEnvironment, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    status.users += 1
    cancelLingering()
    // The first that comes while it ends starts it again.
    if isOver || status.state == .ending && status.users == 1 { starter = caller }
    if isOver { begin() } else { note() }
    return add(observer) { [weak self] in self?.leave() }
  }

  /// Reports its status without using it.
  func watch(_ observer: @escaping (ServiceStatus) -> Void) -> any Disposable {
    add(observer) {}
  }

  private func add(
    _ observer: @escaping (ServiceStatus) -> Void, onEnd: @escaping () -> Void
  ) -> any Disposable {
    let subscription = observers.add(observer)
    observer(status)
    return ActionDisposable(
      onLoop {
        subscription.dispose()
        onEnd()
      })
  }

  private func leave() {
    status.users -= 1
    guard status.users == 0 else { return note() }
    switch status.state {
    case .starting, .ready, .unready:
      if let reason = reasonOfLateness { return stop(.late(reason), reason) }
      guard rules.linger > .zero, !isClosing else { return end() }
      note()
      linger()
    case .restarting: end()
    case .ending, .failed, .down: note()
    }
  }

  /// Why its last user has left, if it was not ready in time.
  private var reasonOfLateness: String? {
    guard status.state == .starting, rules.canBeReady, let workBegin,
      clock.now - workBegin + Self.lateness >= rules.readyTimeout
    else { return nil }
    let why = status.probe.map { ": \($0)" } ?? ""
    return "it was not ready within \(rules.readyTimeout.text)\(why)"
  }

  private func linger() {
    cancelTimer?()
    cancelTimer = clock.after(rules.linger) { [weak self] in
      self?.cancelTimer = nil
      self?.end()
    }
  }

  private func cancelLingering() {
    guard status.users == 1 else { return }
    cancelTimer?()
    cancelTimer = nil
  }

  // MARK: Orders

  /// Starts it again: its users see it restarting, which is no crash.
  ///
  /// - Parameter caller: the variables that it begins with then.
  func restart(for caller: CallerEnvironment) {
    starter = caller
    crashes.reset()
    switch status.state {
    case .starting, .ready, .unready:
      // It lingers for the next run, too.
      cancelTimer?()
      cancelTimer = nil
      next = .restart
      become(.restarting)
      work?.stop()
    case .restarting where work == nil: startAgain()
    case .ending where status.users > 0:
      next = .restart
      status.failure = nil
      become(.restarting)
    case .failed, .down: if status.users > 0 { begin() }
    case .restarting, .ending: break
    }
  }

  /// Ends it although it may have users, who learn why.
  func end(because reason: String) {
    switch status.state {
    case .down: return
    case .failed:
      (status.failure, status.cause, status.code) = (reason, nil, nil)
      return become(.down)
    default: break
    }
    stop(.downForAll(reason), reason)
  }

  /// Kills its work if it is being ended.
  func kill() { if status.state == .ending { work?.kill() } }

  /// Ends it as soon as it has no users, and starts it no more by itself.
  func close() {
    isClosing = true
    if status.users == 0, !isOver { end() }
  }

  private func end() { stop(.down, nil) }

  private func stop(_ next: Next, _ reason: String?) {
    cancelTimer?()
    cancelTimer = nil
    status.failure = reason
    guard let work else { return become(.down) }
    self.next = next
    if status.state == .ending { return note() }
    become(.ending)
    work.stop()
  }

  // MARK: Work

  /// Starts it for the first time since it was down.
  private func begin() {
    status.restarts = 0
    crashes.reset()
    start()
  }

  private func startAgain() {
    cancelTimer?()
    cancelTimer = nil
    status.restarts += 1
    start()
  }

  private func start() {
    (next, answersOfOthers) = (.byRules, 0)
    crashes.endSteadiness(clock.now)
    if !rules.canBeReady { crashes.beginSteadiness(clock.now) }
    (status.pid, status.probe, status.failure) = (nil, nil, nil)
    (status.cause, status.code, status.lines) = (nil, nil, [])
    (status.isPreparing, status.began, workBegin) = (true, nil, nil)
    let work = makeWork(starter)
    (self.work, caller) = (work, starter)
    if status.users == 0 { linger() }
    become(.starting)
    // An observer may have ended it by now, before it has begun.
    guard self.work === work else { return }
    guard status.state == .starting else { return ended(ServiceEnd()) }
    work.start(self)
  }

  private func ended(_ end: ServiceEnd) {
    (work, caller) = (nil, nil)
    cancelTimer?()
    cancelTimer = nil
    (status.pid, status.killedAfter) = (nil, end.killedAfter)
    (status.isPreparing, status.began, status.waits) = (false, nil, nil)
    switch next {
    case .down where status.users > 0 && !isClosing: begin()
    case .late where status.users > 0 && !isClosing: begin()
    case .late(let reason): fail(reason, ServiceEnd(cause: .timeout, lines: end.lines))
    case .down, .downForAll: become(.down)
    case .restart: startAgain()
    case .fail(let reason): crashed(ServiceEnd(failure: reason, lines: end.lines))
    case .byRules: crashed(end)
    }
  }

  private func crashed(_ end: ServiceEnd) {
    crashes.endSteadiness(clock.now)
    let reason = end.failure ?? "it has ended by itself"
    let mayRestart: Bool =
      switch rules.restart {
      case .never: false
      case .onFailure: end.failure != nil
      case .always: true
      }
    guard mayRestart, status.users > 0, !isClosing else { return fail(reason, end) }
    guard crashes.count < rules.restartTimes else {
      return fail(reason + (crashes.text.map { ", after it was restarted \($0)" } ?? ""), end)
    }
    crashes.add()
    status.failure = reason
    status.lines = end.lines
    cancelTimer = clock.after(rules.delay(before: crashes.count)) { [weak self] in
      self?.cancelTimer = nil
      self?.startAgain()
    }
    become(.restarting)
  }

  private func fail(_ reason: String, _ end: ServiceEnd) {
    (status.failure, status.cause, status.code) = (reason, end.cause, end.code)
    status.lines = end.lines
    become(.failed)
  }

  // MARK: Reports

  private func become(_ state: ServiceState) {
    status.state = state
    // Clients with several streams use it to find the newest status.
    status.since = max(clock.milliseconds, status.since + 1)
    note()
  }

  private func note() { observers.send(status) }
}

extension ServiceLife: ServiceWorkObserver {
  func workHasBegun(_ work: any ServiceWork) {
    guard work === self.work, status.isPreparing else { return }
    (status.isPreparing, status.waits) = (false, nil)
    (status.began, workBegin) = (clock.milliseconds, clock.now)
    note()
  }

  func work(_ work: any ServiceWork, waitsFor contention: Contention) {
    guard work === self.work, status.isPreparing else { return }
    status.waits = contention
    note()
  }

  func work(_ work: any ServiceWork, isLedBy process: Int32) {
    guard work === self.work, status.pid == nil else { return }
    status.pid = process
    note()
  }

  func work(_ work: any ServiceWork, answered answer: ProbeAnswer) {
    guard work === self.work else { return }
    let isNew = status.probe != answer.text
    status.probe = answer.text
    switch (status.state, answer) {
    case (.starting, .yes), (.unready, .yes):
      crashes.beginSteadiness(clock.now)
      return become(.ready)
    case (.ready, .no), (.ready, .taken):
      crashes.endSteadiness(clock.now)
      return become(.unready)
    case (.starting, .taken(let text)):
      answersOfOthers += 1
      if answersOfOthers == Self.enoughAnswers {
        next = .fail(text)
        status.failure = text
        become(.ending)
        return work.stop()
      }
    default: answersOfOthers = 0
    }
    if isNew { note() }
  }

  func work(_ work: any ServiceWork, endedWith end: ServiceEnd) {
    guard work === self.work else { return }
    ended(end)
  }
}
