import EventLoop
import Platform

/// Of the executions of a command with the same input one is at work at a time, in whatever process of
/// this user: they would write the same outputs, and nothing could be kept of either.
extension UpToDateWork {
  /// Takes the right to do the work.
  ///
  /// - Parameters:
  ///   - state: what was known of the command when its files were looked at.
  ///   - again: called if an equal execution has been at work since: perhaps inside this call, else once
  ///     this one has the right that the other has had.
  /// - Returns: true if `again` is called. Nothing is waited for where there are no locks.
  func leavesToEqualWork(
    _ terms: UpToDateTerms, since state: StoredState?, orAsk again: @escaping () -> Void
  ) -> Bool {
    guard mayAwaitOthers else { return false }
    var pause: TimeLimitPause?
    let waits = MachineLimit(ofWorkKept: terms.key, in: store.identity, on: host.loop).take(
      for: script.scriptCommand, in: subscription
    ) { [script] result in
      if case .success(let place) = result { script.keptWork = place }
      guard let pause else { return }
      pause.end()
      again()
    }
    if waits {
      pause = script.pauseTimeLimit()
      return true
    }
    guard script.keptWork != nil, store.state(of: terms.key)?.token != state?.token else {
      return false
    }
    again()
    return true
  }

  /// False if it has the right, or if others may wait for what it has meanwhile: what it uses, its place
  /// over this machine, or what executions around it have, perhaps in other processes. Two executions
  /// would wait for each other then; these are rather at work at the same time.
  private var mayAwaitOthers: Bool {
    script.keptWork == nil && script.scriptCommand.resources.isEmpty
      && ProcessEnvironment.value(of: "RACLETTE_SLOT") == nil
      && sequence(first: script, next: \.outer).allSatisfy {
        $0.grant == nil && $0.scriptCommand.machineLimit == nil
      }
  }
}
