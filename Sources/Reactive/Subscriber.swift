/// The receiver of events in the block of `Signal.create`. RAC: `id<RACSubscriber>`.
///
/// It accepts any number of values and one terminal event. It ignores events after that and after
/// the subscription was disposed. The block may retain it for any length of time: at the end of the
/// subscription it releases everything downstream.
///
/// Its methods may be called from any thread, concurrently and from inside an event. Events arrive
/// one at a time: an event sent while another is being received is queued, and the thread that
/// delivers the current one delivers it next.
///
/// Disposing it disposes the subscription. It is itself the subscription if the signal was subscribed
/// without an operator in between; behind an operator, what is added to it is disposed when the
/// block's own stream ends, at the latest.
public final class Subscriber<Value: Sendable>: CompoundDisposable, @unchecked Sendable {
  // Unchecked: the owner of the turns owns the closures; the last owner keeps them for good.

  /// Nil if this is the subscription itself.
  @usableFromInline let subscription: CompoundDisposable?

  @usableFromInline
  override var outer: CompoundDisposable? { subscription }

  /// The subscription: teardown added to it runs when the stream ends or is disposed.
  public var disposable: CompoundDisposable { subscription ?? self }

  /// Closed by the end of the stream and by its disposal.
  @usableFromInline let turns = Turns()
  // Stored separately, so that a value does not cost a retain of both.
  @exclusivity(unchecked)
  @usableFromInline var next: (@Sendable (Value) -> Void)?
  /// Receives the end, if there is an outer subscription.
  @exclusivity(unchecked)
  @usableFromInline var end: (@Sendable (Termination) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var error: (@Sendable (any Error) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var completed: (@Sendable () -> Void)?

  /// The source of a subscription.
  @inlinable
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    next = observer.next
    end = observer.end
    self.subscription = subscription
    super.init(isGate: true)
  }

  /// The source and the subscription in one. Inlined, so that the closures are retained once.
  @inlinable
  @inline(__always)
  init(
    _ next: @escaping @Sendable (Value) -> Void, _ error: (@Sendable (any Error) -> Void)?,
    _ completed: (@Sendable () -> Void)?
  ) {
    self.next = next
    self.error = error
    self.completed = completed
    subscription = nil
    super.init(isGate: true)
  }

  /// Sends a value.
  @inlinable
  public func sendNext(_ value: Value) {
    guard turns.gate.acquire() else { return enqueue(value) }
    next?(value)
    if !turns.gate.release() { drain() }
  }

  /// Ends the stream with an error.
  @inlinable
  public func sendError(_ error: any Error) {
    finish(.error(error))
  }

  /// Ends the stream.
  @inlinable
  public func sendCompleted() {
    finish(.completed)
  }

  /// Sends an event.
  public func send(_ event: Event<Value>) {
    switch event {
    case .next(let value): sendNext(value)
    case .error(let error): sendError(error)
    case .completed: sendCompleted()
    }
  }

  @inlinable
  func finish(_ termination: Termination) {
    guard turns.gate.acquireAndClose() else { return enqueue(termination) }
    deliver(termination)
    next = nil
  }

  /// Delivers the end; called by the owner of the closed gate.
  @inlinable
  func deliver(_ termination: Termination) {
    // RAC's order: the work is torn down before its end is delivered. Of the source of another
    // subscription this only notes that nothing can follow.
    dispose()
    // Moved out, not copied: no other code looks for them any more.
    if subscription != nil { return end.take()?(termination) ?? () }
    switch termination {
    case .completed:
      error = nil
      completed.take()?()
    case .error(let failure):
      completed = nil
      error.take()?(failure)
    }
  }

  // MARK: Events that wait

  // Out of line, so that a stage whose events never queue uses no stack for those that do.

  @inlinable
  @inline(never)
  func enqueue(_ value: Value) {
    if turns.enqueue({ self.next?(value) }) { drain() }
  }

  @usableFromInline
  @inline(never)
  func enqueue(_ termination: Termination) {
    if turns.enqueue({ self.close(with: termination) }) { drain() }
  }

  /// Delivers queued events; called by the owner. The last owner releases everything downstream.
  @usableFromInline
  @inline(never)
  func drain() {
    var stretch = Stretch()
    while true {
      switch turns.nextStep() {
      case .work(let deliver): deliver()
      case .released: return
      case .closed: return release()
      }
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause): return pause.end { self.drain() }
      case .fail(let error): close(with: .error(error))
      }
    }
  }

  /// Ends the stream; called by the owner.
  private func close(with termination: Termination) {
    _ = turns.gate.close()
    deliver(termination)
  }

  /// Stops all further events, and releases everything downstream as soon as no event is being
  /// received.
  @usableFromInline
  override func shut() {
    // Closed by the end of the stream: what disposes the subscription is behind the end.
    if turns.gate.isClosed { return }
    if turns.gate.close() { release() }
    subscription?.dispose()
  }

  /// Releases everything downstream; called by the last owner.
  private func release() {
    next = nil
    end = nil
    error = nil
    completed = nil
  }
}

extension Subscriber: SubscriberProtocol {
  /// Disposes a subscription of this subscriber to a signal together with its own.
  public func didSubscribe(with disposable: any Disposable) {
    self.disposable.add(disposable)
  }
}
