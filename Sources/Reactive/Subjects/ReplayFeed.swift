/// The sending end of a signal that replays: a replay subject without the object, for a subclass of
/// `Signal` that is its own subject.
///
/// Unlike a subject it does not complete its subscribers when it is released.
@usableFromInline
package struct ReplayFeed<Value: Sendable>: Sendable {
  @usableFromInline let core: SubjectCore<Value>

  /// - Parameter capacity: the number of latest values kept; nil for all.
  @inlinable
  package init(capacity: Int?) {
    core = SubjectCore(capacity: capacity, takesUpstream: false)
  }

  /// The closure that connects an observer to the signal.
  @inlinable
  package var source: @Sendable (Observer<Value>, CompoundDisposable) -> Void {
    { [core] observer, subscription in core.add(observer, subscription) }
  }

  /// True once it has ended.
  package var hasEnded: Bool { core.hasEnded.load(ordering: .acquiring) }

  /// Connects an observer to the signal.
  @inlinable
  package func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    core.add(observer, subscription)
  }

  /// Subscribes to the signal without a subscription around the observer's place.
  @inlinable
  @inline(__always)
  package func subscribe(_ observer: Observer<Value>) -> any Disposable {
    withoutRetaining(core) { core in
      let subscription = SubjectSubscription(observer, .passUnretained(core))
      core.join(subscription)
      return subscription
    }
  }

  @inlinable
  package func sendNext(_ value: Value) {
    core.sendNext(value)
  }

  @inlinable
  package func sendNext(_ batch: Batch<Value>) {
    core.sendNext(batch)
  }

  @inlinable
  package func end(_ termination: Termination) {
    core.send(termination)
  }
}
