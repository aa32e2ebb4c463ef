/// What the block of `Signal.create` sends its events to. RAC: `id<RACSubscriber>`.
///
/// It lets through any number of values and one terminal event, nothing after that, and nothing after
/// the subscription was disposed. The block may keep it as long as it likes: at the end of the
/// subscription it releases everything downstream.
///
/// Its methods may be called from any thread, also at the same time and from inside an event. Events
/// arrive one at a time: one that is sent while another is being received waits, and the thread that
/// delivers that one delivers it next.
public final class Subscriber<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `next` and `end` belong to the owner of the turns, for good to the last one.

  /// The subscription: teardown added to it runs when the stream ends or is disposed.
  public let disposable: CompoundDisposable

  /// Closed by the end of the stream and by its disposal.
  @usableFromInline let turns = Turns()
  // Apart, because a value should not cost a retain of both.
  @exclusivity(unchecked)
  @usableFromInline var next: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var end: (@Sendable (Termination) -> Void)?

  @inlinable
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    next = observer.next
    end = observer.end
    disposable = subscription
  }

  /// Whether nothing sent will arrive any more: after a terminal event or disposal.
  @inlinable
  public var isDisposed: Bool { turns.gate.isClosed }

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
    // Taken out, not copied: nobody else looks for it any more.
    end.take()?(termination)
    next = nil
  }

  // MARK: Events that wait

  // Out of line, so that a stage whose events need not wait takes no stack for those that do.

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

  /// The owner delivers what waited. The last one releases what is downstream.
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

  /// The owner ends the stream.
  private func close(with termination: Termination) {
    _ = turns.gate.close()
    end.take()?(termination)
  }

  /// For the last owner.
  private func release() {
    next = nil
    end = nil
  }
}

extension Subscriber: Gate {
  /// Lets nothing more through, and releases what is downstream as soon as no event is being received.
  @usableFromInline
  func shut() {
    if !isDisposed, turns.gate.close() { release() }
  }
}

extension Subscriber: SubscriberProtocol {
  /// Disposes a subscription of this subscriber to a signal together with its own.
  public func didSubscribe(with disposable: any Disposable) {
    self.disposable.add(disposable)
  }
}
