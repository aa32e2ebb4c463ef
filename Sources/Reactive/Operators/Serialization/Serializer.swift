/// The downstream of an operator with several sources. It handles their events one at a time, in
/// one order, whatever threads they arrive on; no thread blocks.
///
/// A source that finds it free becomes the owner (see `Turns`), handles its event, including state
/// and delivery, and releases it. A source that arrives meanwhile queues its event. So the state of
/// an operator changes in the same order in which its results are delivered, and no lock is held
/// while user code runs.
///
/// Subscribing to a source is not part of handling an event: values sent synchronously would only
/// accumulate in the queue.
@usableFromInline
final class Serializer<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the owner owns `hasEnded`.
  @usableFromInline let observer: Observer<Value>
  @usableFromInline let subscription: CompoundDisposable
  @usableFromInline let turns = Turns()
  /// Set by the owner with the terminal event; nothing is handled after it.
  @exclusivity(unchecked)
  @usableFromInline var hasEnded = false

  @usableFromInline
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    self.observer = observer
    self.subscription = subscription
  }

  // MARK: For sources, on any thread

  /// Delivers a value in its turn.
  @inlinable
  func sendNext(_ value: Value) {
    if turns.gate.acquire() {
      if !hasEnded { observer.next(value) }
      release()
    } else {
      enqueueNext(value)
    }
  }

  /// Delivers several values in their turn, in one call; nil if the observer takes them one by one.
  @usableFromInline
  var sendBatch: (@Sendable (Batch<Value>) -> Void)? {
    guard let deliver = observer.batch else { return nil }
    return { batch in self.submit(batch, to: deliver) }
  }

  /// Ends the stream in its turn.
  @usableFromInline
  func sendEnd(_ termination: Termination) {
    submit(termination) { self.end($0) }
  }

  /// Ends the stream in its turn, if it is an error.
  @usableFromInline
  func sendError(of termination: Termination) {
    if case .error = termination { sendEnd(termination) }
  }

  /// Calls `handle` with an event in its turn. It may deliver with `next` and `end`.
  @inlinable
  func submit<Input: Sendable>(_ input: Input, to handle: @escaping @Sendable (Input) -> Void) {
    if turns.gate.acquire() {
      if !hasEnded { handle(input) }
      release()
    } else {
      enqueue(input, to: handle)
    }
  }

  // MARK: For handlers, in their turn

  /// Delivers a value.
  @inlinable
  func next(_ value: Value) {
    observer.next(value)
  }

  /// Ends the stream; no handler runs after this one.
  @usableFromInline
  func end(_ termination: Termination) {
    guard !hasEnded, !subscription.isDisposed else { return }
    hasEnded = true
    observer.end(termination)
  }

  // MARK: The gate

  @inlinable
  func release() {
    if !turns.gate.release() { drain() }
  }

  // Out of line, so that a stage whose events need not wait takes no stack for those that do.

  @inlinable
  @inline(never)
  func enqueueNext(_ value: Value) {
    enqueue { [observer] in observer.next(value) }
  }

  @inlinable
  @inline(never)
  func enqueue<Input: Sendable>(
    _ input: Input, to handle: @escaping @Sendable (Input) -> Void
  ) {
    enqueue { handle(input) }
  }

  @usableFromInline
  @inline(never)
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    if turns.enqueue(work) { drain() }
  }

  @usableFromInline
  @inline(never)
  func drain() {
    var stretch = Stretch()
    while case .work(let work) = turns.nextStep() {
      // The end or a disposal may have overtaken the queued work.
      if !hasEnded && !subscription.isDisposed { work() }
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause): return pause.end { self.drain() }
      case .fail(let error): end(.error(error))
      }
    }
  }
}
