/// The subscriptions that forward signals to a subject, disposed when it ends. Subscriptions that
/// have ended themselves are removed in constant time each.
@usableFromInline
struct Upstream: Sendable {
  private var subscriptions: [any Disposable] = []
  /// The number of subscriptions at which ended ones are removed.
  private var limit = 8

  /// Adds a subscription.
  ///
  /// - Returns: subscriptions that have ended, to be released outside the lock.
  mutating func add(_ subscription: any Disposable) -> [any Disposable] {
    var ended: [any Disposable] = []
    if subscriptions.count >= limit {
      ended = subscriptions.filter(\.isDisposed)
      subscriptions.removeAll(where: \.isDisposed)
      limit = max(8, subscriptions.count * 2)
    }
    subscriptions.append(subscription)
    return ended
  }

  @usableFromInline
  func dispose() {
    for subscription in subscriptions { subscription.dispose() }
  }
}

extension SubjectCore {
  /// Disposes a subscription when the subject ends, or at once if it has ended.
  func add(upstream subscription: any Disposable) {
    let (hasEnded, ended) = withLock {
      guard termination == nil else { return (true, [any Disposable]()) }
      var upstream = upstream.take() ?? Upstream()
      let ended = upstream.add(subscription)
      self.upstream = upstream
      return (false, ended)
    }
    _ = consume ended
    if hasEnded { subscription.dispose() }
  }
}
