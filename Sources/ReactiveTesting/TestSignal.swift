import Reactive
import Synchronization

/// A signal that sends what a marble diagram says, and remembers who subscribed and for how long.
public final class TestSignal<Value: Sendable>: Signal<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.
  private let log: SubscriptionLog

  fileprivate init(
    log: SubscriptionLog,
    source: @escaping @Sendable (Observer<Value>, CompoundDisposable) -> Void
  ) {
    self.log = log
    super.init { observer, subscription in
      log.begin(subscription)
      source(observer, subscription)
    }
  }

  /// A diagram for each subscription, in their order, with `^` in the frame in which it was made
  /// and `!` in the one in which it was disposed or ended: `"--^--!"`.
  public var subscriptions: [String] { log.diagrams.map(\.description) }
}

/// The life of each subscription of a source.
private final class SubscriptionLog: Sendable {
  private struct Life {
    let begin: Int
    var end: Int?
  }

  private let scheduler: TestScheduler
  private let lives = Mutex<[Life]>([])

  init(_ scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  func begin(_ subscription: CompoundDisposable) {
    let frame = scheduler.currentFrame
    let index = lives.withLock { lives in
      lives.append(Life(begin: frame))
      return lives.count - 1
    }
    subscription.add { [self] in end(index) }
  }

  private func end(_ index: Int) {
    let frame = scheduler.currentFrame
    lives.withLock { $0[index].end = frame }
  }

  var diagrams: [SubscriptionDiagram] {
    lives.withLock { $0.map { SubscriptionDiagram(begin: $0.begin, end: $0.end) } }
  }
}

/// When a subscription was made and disposed; unlike other diagrams it shows a `^` in frame zero.
private struct SubscriptionDiagram: CustomStringConvertible {
  let begin: Int
  let end: Int?

  var description: String {
    let before = String(repeating: "-", count: begin)
    guard let end else { return before + "^" }
    if end == begin { return before + "(^!)" }
    return before + "^" + String(repeating: "-", count: end - begin - 1) + "!"
  }
}

extension TestScheduler {
  /// A signal that sends the events of a diagram to each subscriber, counted from its subscription.
  /// The events of the first frame are sent inside the call that subscribes.
  ///
  /// - Parameters:
  ///   - marbles: the diagram; see `MarbleDiagram`.
  ///   - values: the value for each mark.
  ///   - error: what `#` stands for.
  /// - Throws: `MarbleSyntaxError`, or `MarbleSourceError` if a mark has no value.
  public func cold<Value: Sendable>(
    _ marbles: String, _ values: [String: Value], error: any Error = MarbleError.failure
  ) throws -> TestSignal<Value> {
    try cold(Script(marbles, error: error) { values[$0] })
  }

  /// A cold signal whose values are written in the diagram itself, such as integers.
  public func cold<Value: MarbleValue>(
    _ marbles: String, _ type: Value.Type, error: any Error = MarbleError.failure
  ) throws -> TestSignal<Value> {
    try cold(Script(marbles, error: error, Value.init(marble:)))
  }

  /// A cold signal of strings, one for each mark.
  public func cold(
    _ marbles: String, error: any Error = MarbleError.failure
  ) throws -> TestSignal<String> {
    try cold(marbles, String.self, error: error)
  }

  /// A signal that sends the events of a diagram once, at their time, to whoever is subscribed then.
  ///
  /// - Parameters:
  ///   - marbles: the diagram, whose first frame is the scheduler's current one; with a `^`, that is
  ///     the current frame, and what stands before it is past.
  ///   - values: the value for each mark.
  ///   - error: what `#` stands for.
  /// - Throws: `MarbleSyntaxError`, or `MarbleSourceError` if a mark has no value.
  public func hot<Value: Sendable>(
    _ marbles: String, _ values: [String: Value], error: any Error = MarbleError.failure
  ) throws -> TestSignal<Value> {
    try hot(Script(marbles, error: error) { values[$0] })
  }

  /// A hot signal whose values are written in the diagram itself, such as integers.
  public func hot<Value: MarbleValue>(
    _ marbles: String, _ type: Value.Type, error: any Error = MarbleError.failure
  ) throws -> TestSignal<Value> {
    try hot(Script(marbles, error: error, Value.init(marble:)))
  }

  /// A hot signal of strings, one for each mark.
  public func hot(
    _ marbles: String, error: any Error = MarbleError.failure
  ) throws -> TestSignal<String> {
    try hot(marbles, String.self, error: error)
  }

  private func cold<Value>(_ script: Script<Value>) throws -> TestSignal<Value> {
    if let mark = script.firstMisplacedMark(allowing: []) {
      throw MarbleSourceError.misplacedMark(mark, diagram: script.text)
    }
    return TestSignal(log: SubscriptionLog(self)) { observer, subscription in
      for (frame, events) in script.frames where frame > 0 {
        subscription.add(
          self.schedule(after: self.frame * frame) {
            for event in events where !subscription.isDisposed { observer.send(event) }
          })
      }
      for (frame, events) in script.frames where frame == 0 {
        for event in events where !subscription.isDisposed { observer.send(event) }
      }
    }
  }

  private func hot<Value>(_ script: Script<Value>) throws -> TestSignal<Value> {
    if let mark = script.firstMisplacedMark(allowing: [.subscription]) {
      throw MarbleSourceError.misplacedMark(mark, diagram: script.text)
    }
    let subject = Subject<Value>()
    // Without this a diagram without an end would end when its signal is released.
    keep(subject)
    let present = currentFrame - (script.diagram.frame(of: .subscription) ?? 0)
    for (frame, events) in script.frames where frame + present >= currentFrame {
      self.script(atFrame: frame + present) {
        for event in events { subject.forward(event) }
      }
    }
    return TestSignal(log: SubscriptionLog(self)) { observer, subscription in
      subject.observe(observer, in: subscription)
    }
  }
}

/// The events of a diagram, with their values.
private struct Script<Value: Sendable>: Sendable {
  let text: String
  let diagram: MarbleDiagram
  /// Only the frames in which something is sent.
  let frames: [(Int, [Event<Value>])]

  init(_ text: String, error: any Error, _ value: (String) -> Value?) throws {
    self.text = text
    diagram = try MarbleDiagram(text)
    var frames: [(Int, [Event<Value>])] = []
    for (number, marks) in diagram.frames.enumerated() {
      let events = try marks.compactMap { mark -> Event<Value>? in
        switch mark {
        case .value(let marble):
          guard let value = value(marble) else {
            throw MarbleSourceError.unknownValue(marble, diagram: text)
          }
          return .next(value)
        case .completed: return .completed
        case .error: return .error(error)
        case .subscription, .disposal: return nil
        }
      }
      if !events.isEmpty { frames.append((number, events)) }
    }
    self.frames = frames
  }

  func firstMisplacedMark(allowing allowed: [MarbleDiagram.Mark]) -> String? {
    let misplaced = diagram.frames.joined().first { mark in
      (mark == .subscription || mark == .disposal) && !allowed.contains(mark)
    }
    return misplaced.map { MarbleDiagram.text(of: [$0]) }
  }
}

extension Subject {
  fileprivate func forward(_ event: Event<Value>) {
    switch event {
    case .next(let value): sendNext(value)
    case .error(let error): sendError(error)
    case .completed: sendCompleted()
    }
  }
}
