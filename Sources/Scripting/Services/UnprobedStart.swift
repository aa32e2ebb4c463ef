import EventLoop
import Platform

/// The start of a service without `ready`: it has started once its own work has run for a second, so that
/// one which fails at once counts as failed. Confined to the loop's thread.
package final class UnprobedStart {
  private static let time = Duration.seconds(1)

  private let loop: EventLoop
  private let onStart: () -> Void
  private var timer: Timer?

  /// Begins to wait; nil for a service that can be ready.
  ///
  /// - Parameter onStart: called once the service has started, never from inside `note`. It may be called
  ///   again after another start.
  package init?(of command: ScriptCommand, _ onStart: @escaping () -> Void) {
    guard let service = command.service, !service.canBeReady else { return nil }
    loop = command.host.loop
    self.onStart = onStart
  }

  deinit { cancel() }

  /// Takes the latest status of the service.
  package func note(_ status: ServiceStatus) {
    guard status.state == .starting, let began = status.began else { return cancel() }
    guard timer == nil else { return }
    let passed = Duration.milliseconds(max(0, WallClock.milliseconds - began))
    timer = loop.timer(after: max(.zero, Self.time - passed)) { [weak self] in self?.onStart() }
  }

  /// Ends the wait.
  package func cancel() {
    timer?.cancel()
    timer = nil
  }
}
