import EventLoop
import Platform

/// Of the executions of a command with the same input one is at work at a time, in whatever process of
/// this user: they would write the same outputs, and nothing could be kept of either.
extension UpToDateWork {
  /// Takes the right to do the work, unless it has it.
  ///
  /// - Parameter proceed: called once the execution has it that another has had.
  /// - Returns: true if the execution waits for that.
  func awaitEqualWork(_ terms: UpToDateTerms, then proceed: @escaping () -> Void) -> Bool {
    let isWithinEqual = sequence(first: script, next: \.outer).contains {
      $0.keptWork?.key == terms.key
    }
    guard !isWithinEqual else { return false }
    var pause: TimeLimitPause?
    let waits = MachineLimit(ofWorkKept: terms.key, in: store.identity, on: host.loop).take(
      for: script.scriptCommand, in: subscription
    ) { [self] result in
      // Where there are no locks, and inside equal work of another process, nothing is waited for.
      if case .success(let place) = result { script.keptWork = (terms.key, place) }
      guard let pause else { return }
      pause.end()
      script.takeWhatItUses(in: subscription) { [self] failure in
        if let failure { observer.end(.error(failure)) } else { proceed() }
      }
    }
    guard waits else { return false }
    pause = script.pauseTimeLimit()
    // What the one at work executes may use it.
    script.giveBackResources()
    return true
  }
}
