extension Signal {
  /// Calls `effect` before each subscription. RAC: `initially:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; from inside `effect`, prevents the subscription.
  /// - Scheduler: `effect` runs where the subscription is made.
  @inlinable
  public func initially(_ effect: @escaping @Sendable () -> Void) -> Signal<Value> {
    Signal { [source] observer, subscription in
      effect()
      if !subscription.isDisposed { source(observer, subscription) }
    }
  }

  /// Calls `effect` with each value before passing it on. RAC: `doNext:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; from inside `effect`, holds the value back.
  /// - Scheduler: the source's.
  @inlinable
  public func doNext(_ effect: @escaping @Sendable (Value) -> Void) -> Signal<Value> {
    Signal { [source] observer, subscription in
      source(
        Observer(
          next: {
            effect($0)
            if !subscription.isDisposed { observer.next($0) }
          }, end: observer.end), subscription)
    }
  }

  /// Calls `effect` with an error before passing it on. RAC: `doError:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on after `effect`.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; from inside `effect`, holds the error back.
  /// - Scheduler: the source's.
  @inlinable
  public func doError(_ effect: @escaping @Sendable (any Error) -> Void) -> Signal<Value> {
    doEnd { if case .error(let error) = $0 { effect(error) } }
  }

  /// Calls `effect` before passing on completion. RAC: `doCompleted:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source, after `effect`.
  /// - Disposal: disposes the source; from inside `effect`, holds the completion back.
  /// - Scheduler: the source's.
  @inlinable
  public func doCompleted(_ effect: @escaping @Sendable () -> Void) -> Signal<Value> {
    doEnd { if case .completed = $0 { effect() } }
  }

  /// Calls `effect` before passing on an error or completion; for disposal, use `onDispose`. RAC:
  /// `finally:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on after `effect`.
  /// - Completion: with the source, after `effect`.
  /// - Disposal: disposes the source without a call of `effect`.
  /// - Scheduler: the source's.
  @inlinable
  public func finally(_ effect: @escaping @Sendable () -> Void) -> Signal<Value> {
    doEnd { _ in effect() }
  }

  /// Calls `effect` once when a subscription is over, either disposed or ended.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: calls `effect`, and disposes the source.
  /// - Scheduler: `effect` runs where the subscription is disposed.
  @inlinable
  public func onDispose(_ effect: @escaping @Sendable () -> Void) -> Signal<Value> {
    Signal { [source] observer, subscription in
      subscription.add(effect)
      source(observer, subscription)
    }
  }

  @inlinable
  func doEnd(_ effect: @escaping @Sendable (Termination) -> Void) -> Signal<Value> {
    Signal { [source] observer, subscription in
      source(
        Observer(
          next: observer.next, batch: observer.batch,
          end: {
            effect($0)
            if !subscription.isDisposed { observer.end($0) }
          }), subscription)
    }
  }
}
