import Reactive
import Synchronization

/// Subscribes to a signal and keeps what it sends, when, and which rules it breaks.
public final class Recorder<Value: Sendable>: Sendable {
  /// An event and when it came.
  public struct Entry: Sendable {
    /// The scheduler's time, or zero without one.
    public let time: Duration
    /// What was received.
    public let event: Event<Value>
  }

  private struct State {
    var entries: [Entry] = []
    /// Everything that happened, for the diagram.
    var marks: [(time: Duration, mark: MarbleDiagram.Mark)] = []
    var violations: [RuleViolation] = []
    var isReceiving = false
    var hasEnded = false
    var isDisposed = false

    mutating func note(_ violation: RuleViolation) {
      if !violations.contains(violation) { violations.append(violation) }
    }
  }

  private let scheduler: TestScheduler?
  private let render: @Sendable (Value) -> String
  private let react: @Sendable (Value) -> Void
  private let state = Mutex(State())
  /// The subscription.
  public let subscription = CompoundDisposable()

  /// A recorder that has not subscribed.
  ///
  /// - Parameters:
  ///   - scheduler: gives the times; without one everything happens in frame zero.
  ///   - render: the text of a value in a diagram; by default its `marble`, or its description.
  ///   - react: called with each value while it is being received; for what a subscriber does back
  ///     to its source.
  public init(
    on scheduler: TestScheduler? = nil,
    render: @escaping @Sendable (Value) -> String = { MarbleDiagram.text(ofValue: $0) },
    react: @escaping @Sendable (Value) -> Void = { _ in }
  ) {
    self.scheduler = scheduler
    self.render = render
    self.react = react
  }

  /// Subscribes to `signal` here and now.
  ///
  /// - Parameters:
  ///   - signal: what is recorded.
  ///   - scheduler: gives the times; without one everything happens in frame zero.
  public convenience init(_ signal: Signal<Value>, on scheduler: TestScheduler? = nil) {
    self.init(on: scheduler)
    observe(signal)
  }

  /// Subscribes to `signal` here and now; for one signal only.
  public func observe(_ signal: Signal<Value>) {
    if let scheduler, scheduler.currentFrame > 0 {
      let now = scheduler.now
      state.withLock { $0.marks.append((now, .subscription)) }
    }
    // Below `subscribe`, so that nothing hides what a source does wrong.
    signal.observe(
      Observer(
        next: { self.receive(.next($0)) },
        end: {
          self.subscription.dispose()
          self.receive(Event($0))
        }), in: subscription)
  }

  /// Disposes the subscription.
  public func dispose() {
    let now = scheduler?.now ?? .zero
    state.withLock { state in
      guard !state.isDisposed else { return }
      state.isDisposed = true
      if !state.hasEnded { state.marks.append((now, .disposal)) }
    }
    subscription.dispose()
  }

  private func receive(_ event: Event<Value>) {
    let now = scheduler?.now ?? .zero
    let mark = mark(for: event)
    state.withLock { state in
      if state.isReceiving { state.note(.overlappingEvents) }
      if state.hasEnded { state.note(.eventAfterEnd) }
      if state.isDisposed { state.note(.eventAfterDisposal) }
      state.isReceiving = true
      state.hasEnded = state.hasEnded || event.isTerminal
      state.entries.append(Entry(time: now, event: event))
      state.marks.append((now, mark))
    }
    if case .next(let value) = event { react(value) }
    state.withLock { $0.isReceiving = false }
  }

  private func mark(for event: Event<Value>) -> MarbleDiagram.Mark {
    switch event {
    case .next(let value): .value(render(value))
    case .error: .error
    case .completed: .completed
    }
  }

  /// What was received, in order.
  public var entries: [Entry] { state.withLock { $0.entries } }

  /// The values received.
  public var values: [Value] { entries.compactMap(\.event.value) }

  /// The error that ended the stream.
  public var error: (any Error)? { entries.lazy.compactMap(\.event.error).first }

  /// Whether the stream ended without an error.
  public var isCompleted: Bool {
    entries.contains { if case .completed = $0.event { true } else { false } }
  }

  /// The rules of a subscription that the signal broke.
  public var violations: [RuleViolation] { state.withLock { $0.violations } }

  /// What happened so far. A frame counts from the scheduler's time zero.
  public var marbles: MarbleDiagram {
    var diagram = MarbleDiagram()
    for (time, mark) in state.withLock({ $0.marks }) {
      diagram.add(mark, atFrame: scheduler.map { Int(time / $0.frame) } ?? 0)
    }
    return diagram
  }

  /// What happened so far as the shortest diagram: `"-a-b|"`.
  public var diagram: String { marbles.description }

  /// Compares what happened so far with a diagram.
  ///
  /// - Throws: `MarbleMismatch`, whose text shows both diagrams, or `MarbleSyntaxError`.
  public func expect(_ marbles: String) throws {
    let expected = try MarbleDiagram(marbles)
    let actual = self.marbles
    let violations = violations
    if expected != actual || !violations.isEmpty {
      throw MarbleMismatch(expected: expected, actual: actual, violations: violations)
    }
  }
}
