/// The values of a signal that share a key. RAC: `RACGroupedSignal`.
///
/// It is hot: it sends what comes while it is subscribed to, and remembers how it ended.
public final class GroupedSignal<Key: Hashable & Sendable, Value: Sendable>: Signal<Value>,
  @unchecked Sendable
{
  // Unchecked only because its superclass is open: its stored property is immutable and sendable.

  /// What the values have in common.
  public let key: Key

  init(_ key: Key, _ signal: Signal<Value>) {
    self.key = key
    super.init(signal)
  }
}

extension Signal {
  /// Splits the values into signals by a key. RAC: `groupBy:transform:`.
  ///
  /// - Values: a signal for each new key, before the first value of that group is sent on it.
  /// - Error: ends the groups in the order in which they began, then this signal.
  /// - Completion: completes the groups in the order in which they began, then this signal.
  /// - Disposal: disposes the source. The groups then complete: nobody is left to send.
  /// - Scheduler: the source's.
  ///
  /// - Parameters:
  ///   - key: the key of a value.
  ///   - transform: what the group sends for a value.
  public func groupBy<Key: Hashable & Sendable, Element>(
    _ key: @escaping @Sendable (Value) -> Key,
    transform: @escaping @Sendable (Value) -> Element
  ) -> Signal<GroupedSignal<Key, Element>> {
    Signal<GroupedSignal<Key, Element>> { [source] observer, subscription in
      let groups = SerialState(Groups<Key, Element>())
      source(
        Observer(
          next: { value in
            let key = key(value)
            let subject: Subject<Element>
            if let known = groups.value.byKey[key] {
              subject = known
            } else {
              subject = groups.value.begin(key)
              observer.next(GroupedSignal(key, subject))
            }
            subject.sendNext(transform(value))
          },
          end: { termination in
            for subject in groups.value.takeAll() {
              switch termination {
              case .completed: subject.sendCompleted()
              case .error(let error): subject.sendError(error)
              }
            }
            if !subscription.isDisposed { observer.end(termination) }
          }), subscription)
    }
  }

  /// Splits the values into signals by a key. RAC: `groupBy:`.
  ///
  /// - Values: a signal for each new key, before the first value of that group is sent on it.
  /// - Error: ends the groups in the order in which they began, then this signal.
  /// - Completion: completes the groups in the order in which they began, then this signal.
  /// - Disposal: disposes the source. The groups then complete: nobody is left to send.
  /// - Scheduler: the source's.
  public func groupBy<Key: Hashable & Sendable>(
    _ key: @escaping @Sendable (Value) -> Key
  ) -> Signal<GroupedSignal<Key, Value>> {
    groupBy(key, transform: { $0 })
  }
}

/// The groups that have begun.
private struct Groups<Key: Hashable & Sendable, Value: Sendable> {
  private(set) var byKey: [Key: Subject<Value>] = [:]
  private var inOrder: [Subject<Value>] = []

  mutating func begin(_ key: Key) -> Subject<Value> {
    let subject = Subject<Value>()
    byKey[key] = subject
    inOrder.append(subject)
    return subject
  }

  mutating func takeAll() -> [Subject<Value>] {
    defer { self = Groups() }
    return inOrder
  }
}
