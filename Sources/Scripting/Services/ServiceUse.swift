import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The use of a service by what needs it: it waits until the service is ready, learns if it is lost, and
/// knows at each time whether an execution may begin that uses it. Confined to the loop's thread.
package final class ServiceUse {
  /// What a use comes to.
  package enum Outcome {
    /// It is ready for the first time since the use began, or has started if it has no `ready`.
    case ready
    /// It has not become ready, or has ended for good.
    case lost(Failure)
  }

  /// What an execution that has not begun has to do about the service.
  package enum Readiness {
    case ready
    /// It waits: the service starts, is started again, ends, or its probe fails at the moment.
    case awaited
    /// It fails: the service has ended, or was not ready again in time.
    case lost(Failure)
  }

  package let command: ScriptCommand
  private let onOutcome: (Outcome) -> Void
  private var use: (any Disposable)?
  private var limit: ReadyLimit?
  private var unprobed: UnprobedStart?
  private var isReady = false
  /// True once nobody wants to hear of it.
  private var isUnheard = false
  private(set) var isOver = false
  /// The use that this one replaces, until this one has begun: the service does not lose its last user
  /// meanwhile.
  private var replaced: ServiceUse?
  /// What the service's files of variables set when the use began; nil if they cannot be read, or nothing
  /// compares it.
  var variables: [StoredExecution.Part]?
  /// The latest status; nil before the first.
  private var status: ServiceStatus?
  /// Why it is lost, if it is for good or has not been ready again in time.
  private var loss: Failure?
  private var waiting: [Int: () -> Void] = [:]
  private var lastWait = 0

  private init(_ command: ScriptCommand, _ onOutcome: @escaping (Outcome) -> Void) {
    self.command = command
    self.onOutcome = onOutcome
  }

  /// Begins to use a service.
  ///
  /// - Parameters:
  ///   - caller: the variables that it begins with if this use starts it.
  ///   - onOutcome: called never from inside; once with `ready` at most, and once with `lost`
  ///     at most, and not after the end of the use.
  package static func begin(
    _ call: Plan.Call, for caller: CallerEnvironment, _ onOutcome: @escaping (Outcome) -> Void
  ) -> ServiceUse {
    let use = ServiceUse(call.command, onOutcome)
    use.start(call, caller)
    return use
  }

  /// Takes a use that has begun, of which nobody wants to hear.
  ///
  /// - Parameter status: the latest; later ones come by `note`.
  init(taking use: any Disposable, of command: ScriptCommand, _ status: ServiceStatus?) {
    self.command = command
    self.use = use
    self.status = status
    onOutcome = { _ in }
    isUnheard = true
  }

  /// Notes the status of a use that was taken.
  func note(_ status: ServiceStatus) { self.status = status }

  /// True if the service has ended for good.
  var hasEnded: Bool { status?.state.isOver == true }

  private func start(_ call: Plan.Call, _ caller: CallerEnvironment) {
    let host = command.host
    unprobed = UnprobedStart(of: command) { [weak self] in self?.becomeReady() }
    let use = host.services.use(call.command, call.input, for: caller) { [weak self] status in
      host.note(status, of: call)
      // What has been reported counts for what would begin in this turn.
      self?.status = status
      // Nobody is to be called inside the call that begins the use.
      host.scheduler.enqueue(onLoop { [weak self] in self?.receive(status) })
    }
    self.use = use
  }

  /// Lets it replace an earlier use, which ends as soon as this one has begun.
  func replace(_ earlier: ServiceUse?) { replaced = earlier }

  /// True if nothing is left of the use that it replaces.
  var hasReplaced: Bool { replaced == nil }

  private func endReplaced() {
    replaced?.end()
    replaced = nil
  }

  /// It goes on, and nobody wants to hear of it any more.
  func isKept() {
    isUnheard = true
    stopWaiting()
  }

  /// What an execution that uses the service and has not begun has to do.
  package var readiness: Readiness {
    if let loss { return .lost(loss) }
    guard !isOver, let status else { return isOver ? .ready : .awaited }
    switch status.state {
    case .ready: return .ready
    case .failed, .down: return .lost(failure(status))
    // Nothing else can tell that it is ready.
    case .starting, .unready, .restarting, .ending:
      return isReady && command.service?.canBeReady == false ? .ready : .awaited
    }
  }

  /// Calls `body` once when the readiness may have changed, never inside this call.
  func whenChanged(in subscription: CompoundDisposable, _ body: @escaping () -> Void) {
    lastWait += 1
    let number = lastWait
    waiting[number] = body
    subscription.add(onLoop { [weak self] in self?.waiting[number] = nil })
  }

  private func changed() {
    for number in waiting.keys.sorted() { waiting.removeValue(forKey: number)?() }
  }

  /// Ends the use.
  package func end() {
    isOver = true
    stopWaiting()
    endReplaced()
    use?.dispose()
    use = nil
    // What waits for it may wait for others.
    if !waiting.isEmpty { command.host.scheduler.enqueue(onLoop { [self] in changed() }) }
  }

  private func stopWaiting() {
    limit?.cancel()
    unprobed?.cancel()
    (limit, unprobed) = (nil, nil)
  }

  private func receive(_ status: ServiceStatus) {
    guard !isOver else { return }
    endReplaced()
    if isUnheard { return }
    unprobed?.note(status)
    limitWait(status)
    switch status.state {
    case .ready: becomeReady()
    case .failed, .down:
      if isReady, command.service?.waitsWhenLost == true { break }
      lose(failure(status))
    case .starting, .unready, .restarting, .ending: break
    }
    changed()
  }

  /// Limits the time in which the service has to become ready, for the first time or again.
  private func limitWait(_ status: ServiceStatus) {
    guard status.state != .ready, !status.state.isOver else {
      limit?.cancel()
      (limit, loss) = (nil, nil)
      return
    }
    guard loss == nil else { return }
    if limit == nil { limit = ReadyLimit(of: command) { [weak self] in self?.timeOut($0) } }
    limit?.note(status)
  }

  private func failure(_ status: ServiceStatus) -> Failure {
    // When it has ended, as the end of a sentence.
    let circumstance =
      isReady
      ? "while it was used"
      : unprobed == nil ? "before it was ready" : "before it had run for a second"
    var failure = status.failureOfUse(circumstance)
    failure.command = command.name
    return failure
  }

  private func becomeReady() {
    guard !isOver, !isReady else { return }
    isReady = true
    stopWaiting()
    onOutcome(.ready)
  }

  private func timeOut(_ failure: Failure) {
    guard !isOver else { return }
    var failure = failure
    failure.take(status?.lines ?? [])
    // What has begun with it goes on.
    if isReady { loss = failure } else { lose(failure) }
    changed()
  }

  private func lose(_ failure: Failure) {
    loss = failure
    end()
    onOutcome(.lost(failure))
  }
}

extension ServiceStatus {
  /// The failure of those who use a service that has ended for good.
  ///
  /// - Parameter circumstance: when it has ended, as the end of a sentence.
  fileprivate func failureOfUse(_ circumstance: String) -> Failure {
    var result = failureOfEnd
    result.reasonOfLoss = failure
    result.message =
      "the service has ended \(circumstance)" + (failure.map { ": \($0)" } ?? "")
    result.take(lines)
    return result
  }
}

extension Failure {
  /// Adds the last lines of a service, which nobody has seen.
  mutating func take(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    stderr = lines.joined(separator: "\n")
    hidesStandardError = true
  }
}

extension ScriptHost {
  /// So many of the latest states of a service are known to be reported.
  private static let mostReported = 32

  /// Reports a status to the observers of the host, once for all that use the service here.
  package func note(_ status: ServiceStatus, of call: Plan.Call) {
    noteWait(status.waits, of: call)
    let reported = ReportedService(
      state: status.state, since: status.since, restarts: status.restarts)
    // Each use has news of its own, which may be late.
    guard reportedServices[call.key]?.contains(reported) != true else { return }
    reportedServices[call.key, default: []].append(reported)
    if reportedServices[call.key]?.count == Self.mostReported {
      reportedServices[call.key]?.removeFirst()
    }
    observers.serviceChanged(call.command, call.input, status)
  }

  /// Reports what a service waits for that another process runs, whose own host has reported it.
  private func noteWait(_ wait: Contention?, of call: Plan.Call) {
    guard let wait, policy.services != nil, waitsOfServices[call.key] != wait.holder else { return }
    waitsOfServices[call.key] = wait.holder
    observers.waits(
      Contention(
        command: call.command.name, resources: wait.resources, holder: wait.holder, isFirst: true))
  }
}

/// A state of a service that was reported.
struct ReportedService: Equatable {
  let state: ServiceState
  let since: Int64
  let restarts: Int
}

extension ScriptCommand {
  /// The problem of a command that needs this one if it is a service that can never be ready; nil if
  /// there is none.
  func problemOfService(neededBy user: ScriptCommand) -> Failure? {
    guard let service, !service.canBeReady else { return nil }
    var failure = Failure(
      .dependency, "'\(user.name)' needs the service '\(name)', which has no 'ready' to wait for")
    failure.position = position
    return failure
  }

  /// The problem of a command that has this one as a step if it is a service, which does not end by itself.
  func problemOfService(executedBy user: ScriptCommand) -> Failure? {
    guard isService else { return nil }
    var failure = Failure(
      .dependency,
      "'\(user.name)' has the service '\(name)' as a step, which would never end; needs = \"\(name)\" "
        + "starts it and waits until it is ready")
    failure.position = user.position
    return failure
  }

  /// Sends whether the service is ready that the command is without arguments.
  var readiness: Signal<LuaValue> {
    Signal(
      source: onLoop { [self] observer, subscription in
        guard isService, let input = try? checked(.nil) else {
          return observer.next(.bool(false))
        }
        var last: Bool?
        subscription.add(
          host.services.watch(self, input) { status in
            let isReady = status.state == .ready
            guard isReady != last else { return }
            last = isReady
            observer.next(.bool(isReady))
          })
      })
  }
}

extension ScriptExecution {
  /// True if it uses a service that others may use, instead of doing the work of its command.
  var isVisit: Bool { scriptCommand.isService && served == nil }
}
