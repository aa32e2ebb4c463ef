/// The order of a subject's subscribers, for subscribers that share one place in it. Does not
/// retain the subject.
package struct SubjectPlaces<Value: Sendable>: Sendable {
  private let core: SubjectCore<Value>

  package init(_ subject: Subject<Value>) { core = subject.core }

  /// Connects an observer like the subject's signal does; the result represents its place.
  package func add(
    _ observer: Observer<Value>, in subscription: CompoundDisposable
  ) -> any Disposable {
    let node = SubjectObserver(observer, .passUnretained(core))
    core.add(node, subscription)
    return node
  }

  /// True if new subscribers receive past events and so need a place of their own.
  package var areReplaying: Bool { core.isReplaying }

  /// True if a new subscriber would come right after the subscriber in a place: no other has
  /// subscribed since, and nothing is being sent.
  package func isLast(_ place: any Disposable) -> Bool { core.isLast(place) }
}

extension SubscriberList {
  fileprivate func isLast(_ node: any Disposable) -> Bool {
    guard gate.acquire() else { return false }
    let last = only ?? nodes.last ?? nil
    let isLast = last?._withUnsafeGuaranteedRef { $0 === node && !$0.isDisposed } ?? false
    if !gate.release() { drainInRoom() }
    return isLast
  }
}
