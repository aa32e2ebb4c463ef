/// Starts that failed for want of descriptors, processes or memory, in the order of the attempts. Each
/// is tried again when a child has ended and so has given back its own, and each second, as others may
/// have given back theirs. Confined to the loop's thread.
struct PostponedStarts {
  fileprivate var attempts: [() -> Void] = []
  fileprivate var timer: Timer?
}

extension EventLoop {
  /// Calls `attempt` when a child has ended or a second has passed, to start what could not be started
  /// before. Loop's thread.
  ///
  /// - Returns: false if no child runs whose end could be waited for.
  public func afterNextEnd(_ attempt: @escaping () -> Void) -> Bool {
    confine()
    guard children.count > 0 else { return false }
    postponed.attempts.append(attempt)
    if postponed.timer == nil {
      let timer = timer(after: .seconds(1), every: .seconds(1)) { [unowned self] in
        tryPostponedStarts()
      }
      timer.unref()
      postponed.timer = timer
    }
    return true
  }

  /// Tries postponed starts, until one is postponed again: the others would be as well.
  func tryPostponedStarts() {
    guard !postponed.attempts.isEmpty else { return }
    let attempts = postponed.attempts
    postponed.attempts = []
    for (index, attempt) in attempts.enumerated() {
      attempt()
      if !postponed.attempts.isEmpty {
        postponed.attempts += attempts[(index + 1)...]
        return
      }
    }
    postponed.timer?.cancel()
    postponed.timer = nil
  }
}
