extension Signal {
  /// Sends the source's values until another signal sends, and then that signal's values. RAC:
  /// `takeUntilReplacement:`.
  ///
  /// - Values: the source's until the first event of `replacement`, then those of `replacement`.
  /// - Error: the source's until it is replaced, or that of `replacement`.
  /// - Completion: with `replacement`; not with the source.
  /// - Disposal: disposes both. The source is disposed before the first value of `replacement` is
  ///   sent, and is not subscribed to if that comes inside its own subscription.
  /// - Scheduler: whichever of the two sends on.
  public func takeUntilReplacement(_ replacement: Signal<Value>) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let serializer = Serializer(observer, subscription)
      let upstream = subscription.makeChild()
      replacement.observe(
        Observer(
          next: {
            upstream.dispose()
            serializer.sendNext($0)
          },
          end: {
            upstream.dispose()
            serializer.sendEnd($0)
          }), in: subscription)
      guard !upstream.isDisposed else { return }
      let next: @Sendable (Value) -> Void = {
        // Drops a value that another thread handed over too late, after the replacement sent
        // something.
        if !upstream.isDisposed { serializer.next($0) }
      }
      source(
        Observer(
          next: { serializer.submit($0, to: next) },
          end: { termination in
            if case .error = termination {
              serializer.submit(termination) {
                if !upstream.isDisposed { serializer.end($0) }
              }
            }
            upstream.dispose()
          }), upstream)
    }
  }
}
