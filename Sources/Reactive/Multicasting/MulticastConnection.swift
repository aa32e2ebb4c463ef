import Synchronization

/// One subscription to a signal, shared by many subscribers through a subject. RAC:
/// `RACMulticastConnection`.
///
/// ```
/// subscribers ──▶ signal ──▶ subject ◀── connection ──▶ source
///                                ▲                        │
///                                └── while connected ◀────┘
/// ```
///
/// A subject that ends disposes the connection, and so does one that has ended before. Once the
/// connection has been disposed and nobody else holds the subject, the subject is released,
/// which ends its subscribers with completion: nothing can come any more.
public final class MulticastConnection<Value: Sendable>: Sendable {
  private enum State {
    case idle(source: Signal<Value>, Subject<Value>)
    case connected(Subject<Value>)
    case disposed
  }

  /// The events of the source, from the moment of connection on, as the subject gives them. It does
  /// not keep the connection.
  public let signal: Signal<Value>

  private let state: Mutex<State>
  private let connection = CompoundDisposable()

  init(_ source: Signal<Value>, _ subject: Subject<Value>) {
    signal = Signal(subject)
    state = Mutex(.idle(source: source, subject))
    connection.add { [weak self] in self?.letGo() }
  }

  /// Subscribes to the source, at the first call only.
  ///
  /// - Returns: the subscription to the source, the same for every call. Disposing it ends the
  ///   connection for good; releasing it does not.
  @discardableResult
  public func connect() -> any Disposable {
    let idle: (Signal<Value>, Subject<Value>)? = state.withLock { state in
      guard case .idle(let source, let subject) = state else { return nil }
      state = .connected(subject)
      return (source, subject)
    }
    if let (source, subject) = idle { source.forward(to: subject, in: connection) }
    return connection
  }

  func dispose() {
    connection.dispose()
  }

  /// Calls `done` once the source's work has ended, or at once if the connection is not disposed.
  func whenEnded(_ done: @escaping @Sendable () -> Void) {
    connection.whenEnded(done)
  }

  private func letGo() {
    // The old state is released outside the lock.
    _ = state.withLock { state in
      defer { state = .disposed }
      return state
    }
  }

  /// A signal that connects when its first subscriber arrives, and disconnects when its last one
  /// has left; it never connects again. RAC: `autoconnect`.
  ///
  /// - Values: the source's, as the subject gives them.
  /// - Error: the source's.
  /// - Completion: with the source, or when the connection has been disposed.
  /// - Disposal: of the last subscriber, disposes the source.
  /// - Scheduler: the source's; what the subject replays arrives where the subscription is made.
  public func autoconnect() -> Signal<Value> {
    let subscribers = Mutex(0)
    return Signal { observer, subscription in
      subscribers.withLock { $0 += 1 }
      self.signal.observe(observer, in: subscription)
      subscription.addAsync { done in
        let isLast = subscribers.withLock { count in
          count -= 1
          return count == 0
        }
        if isLast { self.connection.dispose() }
        self.connection.whenEnded(done)
      }
      self.connect()
    }
  }
}

extension Subject {
  func end(_ termination: Termination) {
    core.send(termination)
  }
}
