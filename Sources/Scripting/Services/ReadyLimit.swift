import EventLoop

/// The limit on the time for which somebody waits until a service is ready. The time counts from the
/// start of the service's own work: not while what it needs is executed or started, while it waits for
/// resources, or while an earlier run ends. Confined to the loop's thread.
package final class ReadyLimit {
  private let command: ScriptCommand
  private let limit: Duration
  private let onEnd: (Failure) -> Void
  /// What is left of the limit, without the time since `begin`.
  private var left: Duration
  /// The timer and when it began, while the time counts.
  private var counting: (timer: Timer, begin: Duration)?
  private var isOver = false
  /// The latest answer of the probe, or reason of a failure.
  private var lastAnswer: String?

  /// Makes a limit whose time has not begun.
  ///
  /// - Parameter onEnd: called once with the failure of the wait, unless it is cancelled or the service
  ///   becomes ready before.
  package init(of command: ScriptCommand, _ onEnd: @escaping (Failure) -> Void) {
    self.command = command
    self.onEnd = onEnd
    limit = command.service?.readyTimeout ?? .zero
    left = limit
  }

  /// Takes the latest status of the service.
  package func note(_ status: ServiceStatus) {
    guard !isOver else { return }
    lastAnswer = status.probe ?? status.failure ?? lastAnswer
    if status.state == .ready { return cancel() }
    if status.takesReadyTime { begin() } else { pause() }
  }

  private func begin() {
    guard counting == nil else { return }
    let timer = command.host.loop.timer(after: left) { [weak self] in self?.end() }
    counting = (timer, EventLoop.now)
  }

  private func pause() {
    guard let (timer, begin) = counting else { return }
    timer.cancel()
    counting = nil
    left = max(.zero, left - (EventLoop.now - begin))
  }

  private func end() {
    cancel()
    let why = lastAnswer ?? "its probe has not answered"
    var failure = Failure(.timeout, "the service was not ready within \(limit.text): \(why)")
    failure.command = command.name
    onEnd(failure)
  }

  /// Ends the wait.
  package func cancel() {
    isOver = true
    counting?.timer.cancel()
    counting = nil
  }
}

extension ServiceStatus {
  /// True if its own work has begun and could become ready, or a crash has ended it that it is started
  /// again after.
  fileprivate var takesReadyTime: Bool {
    switch state {
    case .starting: !isPreparing
    case .unready: true
    case .restarting: failure != nil
    case .ready, .ending, .failed, .down: false
    }
  }
}
