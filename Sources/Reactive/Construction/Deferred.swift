extension Signal {
  /// A signal that is created for each subscription. RAC: `defer:`.
  ///
  /// - Values: those of the signal that `make` returns.
  /// - Error: that signal's, or what `make` throws.
  /// - Completion: with that signal.
  /// - Disposal: disposes that signal.
  /// - Scheduler: `make` runs where the subscription is made; the rest is that signal's.
  @inlinable
  public static func `defer`(_ make: @escaping @Sendable () throws -> Signal) -> Signal {
    Signal { observer, subscription in
      let made: Signal
      do {
        made = try make()
      } catch {
        observer.end(.error(error))
        return
      }
      made.observe(observer, in: subscription)
    }
  }

  /// A signal of the result of a call, which is made for each subscription. RAC: `try:`.
  ///
  /// - Values: what `body` returns.
  /// - Error: what `body` throws.
  /// - Completion: after the value.
  /// - Disposal: from inside the body or the value, prevents what would follow.
  /// - Scheduler: everything happens inside the call that subscribes.
  @inlinable
  public static func `try`(_ body: @escaping @Sendable () throws -> Value) -> Signal {
    Signal { observer, subscription in
      let result = Result(catching: body)
      guard !subscription.isDisposed else { return }
      switch result {
      case .success(let value):
        observer.next(value)
        if !subscription.isDisposed { observer.end(.completed) }
      case .failure(let error):
        observer.end(.error(error))
      }
    }
  }
}
