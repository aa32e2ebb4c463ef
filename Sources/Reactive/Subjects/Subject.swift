/// A signal that is controlled by hand: it forwards events sent to it to all its subscribers.
///
/// It remembers its terminal event and sends it to late subscribers. Sends from any thread, also
/// re-entrant and concurrent ones, are queued and delivered in one order that all subscribers
/// share. Its end disposes the subscriptions that forward signals to it. When the subject is
/// released, its subscribers complete, since no more events can be sent. RAC: `RACSubject`.
open class Subject<Value: Sendable>: Signal<Value>, @unchecked Sendable {
  // Unchecked only because it is open: the property that it adds is immutable.

  @usableFromInline final let core: SubjectCore<Value>

  /// A subject without subscribers.
  @inlinable
  public convenience init() {
    self.init(core: SubjectCore())
  }

  @inlinable
  init(core: SubjectCore<Value>) {
    self.core = core
    // Captures the core, not the subject: a subscription must not keep the sender alive.
    super.init { observer, subscription in core.add(observer, subscription) }
  }

  deinit {
    if !core.hasEnded.load(ordering: .acquiring) { core.send(.completed) }
  }

  /// Sends a value to all subscribers, on the calling thread. If another send is in progress, that
  /// one delivers the value afterwards.
  @inlinable
  public final func sendNext(_ value: Value) {
    core.sendNext(value)
  }

  /// Ends the stream with an error; later events are ignored.
  @inlinable
  public final func sendError(_ error: any Error) {
    core.send(.error(error))
  }

  /// Ends the stream; later events are ignored.
  @inlinable
  public final func sendCompleted() {
    core.send(.completed)
  }

  /// Takes a subscription that forwards a signal to this subject, and disposes it when the subject
  /// ends, or at once if it has ended. RAC: `didSubscribeWithDisposable:`.
  public final func didSubscribe(with disposable: any Disposable) {
    core.add(upstream: disposable)
  }
}

extension Subject: SubscriberProtocol {}

/// A subject that sends late subscribers the past events first, then new ones, then its terminal
/// event. RAC: `RACReplaySubject`.
///
/// A late subscriber sees the same order as a live one, even if events are sent meanwhile.
open class ReplaySubject<Value: Sendable>: Subject<Value>, @unchecked Sendable {
  // Unchecked only because it is open: it adds no property.

  /// - Parameter capacity: the number of latest values kept; nil for all, 0 for the terminal event
  ///   only.
  @inlinable
  public init(capacity: Int? = nil) {
    super.init(core: SubjectCore(capacity: capacity))
  }
}

/// A subject with a current value, which each subscriber receives first. RAC: `RACBehaviorSubject`.
///
/// After its end a late subscriber receives the last value and the terminal event, as from a replay
/// subject of capacity one.
open class BehaviorSubject<Value: Sendable>: Subject<Value>, @unchecked Sendable {
  // Unchecked only because it is open: it adds no property.

  /// - Parameter initial: the value until one is sent.
  @inlinable
  public init(_ initial: Value) {
    super.init(core: SubjectCore(capacity: 1, initial: initial))
  }

  /// The latest value; after the end, the last one. Any thread.
  ///
  /// A value sent while another is being delivered is queued and becomes the current one when its
  /// turn comes: this property is the value that a new subscriber would receive first.
  public final var value: Value { core.latest! }
}
