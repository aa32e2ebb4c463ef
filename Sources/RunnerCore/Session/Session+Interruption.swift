import CSignals
import EventLoop
import Platform
import Scripting

/// The signals of the OS that end the run.
extension Session {
  /// Makes a signal end the run from now on, like the signals that end it from the start.
  package func end(on signal: Int32) throws {
    try loop.onSignal(signal) { [unowned self] in interrupt(signal) }
    host.ends(by: signal)
    Interruption.watch(signal)
  }

  func interrupt(_ signal: Int32) {
    guard interruption == nil else { return force() }
    isStopping = true
    csignals_withdraw_turn()
    if BrokenPipeHandler.isBroken {
      interruption = SIGPIPE
    } else if !output.hasFailed {
      interruption = signal
      tellInterruption(after: Self.patience)
    }
    host.endingSignal = interruption
    host.allowCleanUp()
    onInterrupt?()
    for old in leaving { old.endAll() }
    host.endAll()
  }

  /// The time in which those must be told that a second signal forces the end.
  private static let forcePatience = Duration.seconds(1)

  /// A second signal has come while services end: kills these, too.
  private func force() {
    if let onForce { return onForce() }
    loop.timer(after: Self.forcePatience) { Interruption.force() }
    guard let services = policy.services else { Interruption.force() }
    services.kill { Interruption.force() }
  }

  /// Clean-up is not reported if it takes no longer than this.
  private static let patience = Duration.milliseconds(300)

  private func tellInterruption(after delay: Duration) {
    let timer = loop.timer(after: delay) { [unowned self] in
      guard let interruption, !isInterruptionTold else { return }
      isInterruptionTold = true
      report.interrupted(by: interruption, waitingFor: loop.liveProcesses, and: awaitedServices())
    }
    timer.unref()
  }

  /// Reports the interrupt, once no work is left to wait for.
  func tellInterruption() {
    guard let interruption, interruption != SIGPIPE, !isInterruptionTold else { return }
    isInterruptionTold = true
    report.interrupted(by: interruption)
  }
}
