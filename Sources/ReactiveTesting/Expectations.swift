import Reactive

extension TestScheduler {
  /// Records a signal from a later frame on.
  ///
  /// - Parameters:
  ///   - signal: what is recorded.
  ///   - marbles: `^` for the frame of the subscription and `!` for its disposal, counted from time
  ///     zero; nothing else in it matters. Without `^`, the subscription is made in the current
  ///     frame.
  /// - Returns: the recorder; it has received nothing until the scheduler advances.
  /// - Throws: `MarbleSyntaxError`.
  public func record<Value: Sendable>(
    _ signal: Signal<Value>, _ marbles: String = "^"
  ) throws -> Recorder<Value> {
    let recorder = Recorder<Value>(on: self)
    script(recorder, of: signal, by: try MarbleDiagram(marbles))
    return recorder
  }

  /// Subscribes to a signal, runs it, and compares what it sends with a diagram.
  ///
  /// The diagram counts from time zero. `^` in it says in which frame to subscribe (the current one
  /// without it), `!` in which to dispose. A diagram with neither an end nor `!` covers the frames it
  /// shows, and the subscription is disposed after them. Then everything that is still scheduled
  /// runs.
  ///
  /// - Parameters:
  ///   - signal: what is recorded.
  ///   - marbles: what is expected; values are compared by their texts.
  ///   - render: the text of a value; by default its `marble`, or its description.
  /// - Throws: `MarbleMismatch`, whose text shows both diagrams; `MarbleSyntaxError`; or
  ///   `TestSchedulerError.endless` if the signal leaves a timer behind.
  public func expect<Value: Sendable>(
    _ signal: Signal<Value>, _ marbles: String,
    render: @escaping @Sendable (Value) -> String = { MarbleDiagram.text(ofValue: $0) }
  ) throws {
    let expected = try MarbleDiagram(marbles)
    let recorder = Recorder<Value>(on: self, render: render)
    script(recorder, of: signal, by: expected)
    advance(toFrame: expected.lastFrame)
    let isOpen = ![.completed, .error, .disposal].contains { expected.frame(of: $0) != nil }
    if isOpen { recorder.subscription.dispose() }
    do {
      try run()
    } catch {
      // A wrong diagram says more about a signal that never ends than its timer does.
      try recorder.expect(marbles)
      throw error
    }
    try recorder.expect(marbles)
  }

  private func script<Value: Sendable>(
    _ recorder: Recorder<Value>, of signal: Signal<Value>, by diagram: MarbleDiagram
  ) {
    let start = max(diagram.frame(of: .subscription) ?? 0, currentFrame)
    script(atFrame: start, .first) { recorder.observe(signal) }
    guard let end = diagram.frame(of: .disposal) else { return }
    let comesFirst = diagram.frames[end].first == .disposal
    script(atFrame: max(end, start), comesFirst ? .first : .last) { recorder.dispose() }
  }
}
