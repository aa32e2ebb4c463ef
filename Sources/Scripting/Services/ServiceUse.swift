import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The use of a service by what needs it: it waits until the service is ready, and learns if it is
/// lost. Confined to the loop's thread.
package final class ServiceUse {
  /// What a use comes to.
  package enum Outcome {
    /// It is ready for the first time since the use began, or has started if it has no `ready`.
    case ready
    /// It has not become ready, or has ended for good.
    case lost(Failure)
  }

  private let command: ScriptCommand
  private var onOutcome: (Outcome) -> Void
  private var use: (any Disposable)?
  private var limit: ReadyLimit?
  private var unprobed: UnprobedStart?
  private var isReady = false
  private(set) var isOver = false
  /// The use that this one replaces, until this one has begun: the service does not lose its last user
  /// meanwhile.
  private var replaced: ServiceUse?
  /// The latest status; nil before the first.
  package private(set) var status: ServiceStatus?

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

  private func start(_ call: Plan.Call, _ caller: CallerEnvironment) {
    let host = command.host
    limit = ReadyLimit(of: command) { [weak self] in self?.timeOut($0) }
    unprobed = UnprobedStart(of: command) { [weak self] in self?.becomeReady() }
    let use = host.services.use(call.command, call.input, for: caller) { [weak self] status in
      host.note(status, of: call)
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
    onOutcome = { _ in }
    stopWaiting()
  }

  /// Ends the use.
  package func end() {
    isOver = true
    stopWaiting()
    endReplaced()
    use?.dispose()
    use = nil
  }

  private func stopWaiting() {
    limit?.cancel()
    unprobed?.cancel()
    (limit, unprobed) = (nil, nil)
  }

  private func receive(_ status: ServiceStatus) {
    guard !isOver else { return }
    endReplaced()
    self.status = status
    limit?.note(status)
    unprobed?.note(status)
    switch status.state {
    case .ready: becomeReady()
    case .failed, .down:
      if isReady, command.service?.waitsWhenLost == true { return }
      lose(status.failureOfUse(circumstance))
    case .starting, .unready, .restarting, .ending: break
    }
  }

  /// When it has ended, as the end of a sentence.
  private var circumstance: String {
    if isReady { return "while it was used" }
    return unprobed == nil ? "before it was ready" : "before it had run for a second"
  }

  private func becomeReady() {
    guard !isOver, !isReady else { return }
    isReady = true
    stopWaiting()
    onOutcome(.ready)
  }

  private func timeOut(_ failure: Failure) {
    guard !isOver, !isReady else { return }
    var failure = failure
    failure.take(status?.lines ?? [])
    lose(failure)
  }

  private func lose(_ failure: Failure) {
    var failure = failure
    failure.command = command.name
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
  func note(_ status: ServiceStatus, of call: Plan.Call) {
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
