/// The order of a subject's subscribers, for those of them that share a place in it. Does not keep the
/// subject.
package struct SubjectPlaces<Value: Sendable>: Sendable {
  private let core: SubjectCore<Value>

  package init(_ subject: Subject<Value>) { core = subject.core }

  /// Connects an observer as the subject's signal does; what is returned stands for its place.
  package func add(
    _ observer: Observer<Value>, in subscription: CompoundDisposable
  ) -> any Disposable {
    let node = SubjectSink(observer, core)
    core.add(node, subscription)
    return node
  }

  /// Whether a subscriber is sent what it has missed, and so needs a place of its own.
  package var areReplaying: Bool { core.isReplaying }

  /// Whether one who subscribes now would come right after the subscriber in a place: nobody has come
  /// since, and nothing is being sent.
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
