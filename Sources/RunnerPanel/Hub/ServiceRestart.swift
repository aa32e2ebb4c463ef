import EventLoop
import Platform
import Reactive
import Scripting

/// The wait for a service that is started again: until it is ready by its present definition, or cannot be.
/// On the loop's thread.
final class ServiceRestart: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let service: HubHolder.Restartable
  private let caller: CallerEnvironment
  private let holder: HubHolder
  private let loop: EventLoop
  private let onEnd: (Result<Start, Failure>) -> Void
  private var use: (any Disposable)?
  private var limit: ReadyLimit?
  private var unprobed: UnprobedStart?
  private var isOver = false
  /// The grace period after which the earlier run was killed; nil if that was not necessary.
  private var killedAfter: Duration?
  private var watching: (any Disposable)?

  /// What a service has come to.
  struct Start {
    let state: ServiceState
    /// The grace period after which its earlier run was killed; nil if that was not necessary.
    let killedAfter: Duration?
  }

  /// - Parameters:
  ///   - caller: the variables that it begins with.
  ///   - onEnd: called once, in a later turn, while it is still used: with its state, or the reason why it is
  ///     not ready.
  init(
    _ service: HubHolder.Restartable, for caller: CallerEnvironment, _ holder: HubHolder,
    _ loop: EventLoop, onEnd: @escaping (Result<Start, Failure>) -> Void
  ) {
    self.service = service
    self.caller = caller
    self.holder = holder
    self.loop = loop
    self.onEnd = onEnd
  }

  func begin() {
    limit = ReadyLimit(of: service.next) { [self] in end(.failure($0)) }
    unprobed = UnprobedStart(of: service.next) { [self] in started(.starting) }
    if !service.isOver {
      watching = service.command.host.ownServices.watch(service.command, service.input) {
        [weak self] status in
        switch status.state {
        // What is known then is of the run before.
        case .starting, .down, .failed: self?.killedAfter = status.killedAfter
        case .ready, .unready, .restarting, .ending: break
        }
      }
    }
    // Nobody is to be called inside the call that begins it.
    use = holder.restart(service, for: caller) { [self] status in
      loop.enqueue { [self] in receive(status) }
    }
  }

  private func receive(_ status: ServiceStatus) {
    guard !isOver else { return }
    limit?.note(status)
    unprobed?.note(status)
    switch status.state {
    case .ready: started(.ready)
    case .failed, .down: end(.failure(status.failureOfEnd))
    case .starting, .unready, .restarting, .ending: break
    }
  }

  private func started(_ state: ServiceState) {
    end(.success(Start(state: state, killedAfter: killedAfter)))
  }

  private func end(_ result: Result<Start, Failure>) {
    guard !isOver else { return }
    isOver = true
    watching?.dispose()
    limit?.cancel()
    unprobed?.cancel()
    (limit, unprobed) = (nil, nil)
    onEnd(result)
    use?.dispose()
    use = nil
  }
}
