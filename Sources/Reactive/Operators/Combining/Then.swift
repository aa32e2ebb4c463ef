extension Signal {
  /// Waits for the source to complete, and then runs another signal. RAC: `then:`.
  ///
  /// - Values: those of the signal that `next` returns; the source's are left out.
  /// - Error: of either; `next` is not called after one of the source.
  /// - Completion: with that signal.
  /// - Disposal: disposes whichever is running.
  /// - Scheduler: `next` runs where the source completes; the rest is that signal's.
  public func then<Next>(_ next: @escaping @Sendable () throws -> Signal<Next>) -> Signal<Next> {
    ignoreValues(as: Next.self).concat(.defer(next))
  }
}
