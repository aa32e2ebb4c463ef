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
  private let onEnd: (Failure?) -> Void
  private var use: (any Disposable)?
  private var timer: Timer?
  private var lastProbe: String?
  private var isOver = false

  /// - Parameter onEnd: called once, in a later turn, while it is still used: with the reason if it is not
  ///   ready.
  init(
    _ service: HubHolder.Restartable, _ holder: HubHolder, _ loop: EventLoop,
    onEnd: @escaping (Failure?) -> Void
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
      end(Failure(.timeout, "the service was not ready within \(limit.text): \(why)"))
    }
    // Nobody is to be called inside the call that begins it.
    use = holder.restart(service) { [self] status in loop.enqueue { [self] in receive(status) } }
  }

  private func receive(_ status: ServiceStatus) {
    lastProbe = status.probe ?? lastProbe
    switch status.state {
    case .ready: end(nil)
    // Nothing can tell when it is ready.
    case .starting where service.command.service?.canBeReady == false && status.pid != nil: end(nil)
    case .failed, .down: end(Failure(.exit, status.failure ?? "it has ended"))
    case .starting, .unready, .restarting, .ending: break
    }
  }

  private func end(_ failure: Failure?) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    timer = nil
    onEnd(failure)
    use?.dispose()
    use = nil
  }
}
