import EventLoop
import Platform
import Reactive
import Scripting

/// The wait for a service that is started again: until it is ready, or cannot be. On the loop's thread.
final class ServiceRestart: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let service: HubHolder.Restartable
  private let holder: HubHolder
  private let loop: EventLoop
  private let onEnd: (Result<ServiceState, Failure>) -> Void
  private var use: (any Disposable)?
  private var timer: Timer?
  private var lastProbe: String?
  private var isOver = false

  /// - Parameter onEnd: called once, in a later turn, while it is still used: with its state, or the reason why
  ///   it is not ready.
  init(
    _ service: HubHolder.Restartable, _ holder: HubHolder, _ loop: EventLoop,
    onEnd: @escaping (Result<ServiceState, Failure>) -> Void
  ) {
    self.service = service
    self.holder = holder
    self.loop = loop
    self.onEnd = onEnd
  }

  func begin() {
    let limit = service.command.service?.readyTimeout ?? .zero
    timer = loop.timer(after: limit) { [self] in
      let why = lastProbe ?? "its probe has not answered"
      end(.failure(Failure(.timeout, "the service was not ready within \(limit.text): \(why)")))
    }
    // Nobody is to be called inside the call that begins it.
    use = holder.restart(service) { [self] status in loop.enqueue { [self] in receive(status) } }
  }

  private func receive(_ status: ServiceStatus) {
    lastProbe = status.probe ?? lastProbe
    switch status.state {
    case .ready: end(.success(.ready))
    // Nothing can tell when it is ready.
    case .starting where service.command.service?.canBeReady == false && status.pid != nil:
      end(.success(.starting))
    case .failed, .down:
      var failure = Failure(.exit, status.failure ?? "it has ended")
      failure.code = status.code
      end(.failure(failure))
    case .starting, .unready, .restarting, .ending: break
    }
  }

  private func end(_ result: Result<ServiceState, Failure>) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    timer = nil
    onEnd(result)
    use?.dispose()
    use = nil
  }
}
