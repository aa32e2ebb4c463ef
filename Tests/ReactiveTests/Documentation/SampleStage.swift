import Reactive
import ReactiveTesting
import Synchronization

/// Where a sample is played: sources and subscribers in virtual time, and a row of the diagram for
/// each, filled by what happens.
final class SampleStage: Sendable {
  private enum Content {
    case timeline(Timeline)
    case text(String)
  }

  private struct State {
    var sources: [(label: String, content: Content)] = []
    var results: [(label: String, content: Content)] = []
    var expression: [String] = []
    var recordings: [any Recording] = []
  }

  let scheduler = TestScheduler()
  private let state = Mutex(State())

  // MARK: Sources

  /// A cold source; its row shows the subscriptions it gets and what it sends in them.
  func cold<Value: MarbleValue>(
    _ marbles: String, _ label: String = "source", of type: Value.Type = Int.self
  ) throws -> Signal<Value> {
    watch(label, try scheduler.cold(marbles, type))
  }

  /// A hot source; its row shows all that it sends.
  func hot<Value: MarbleValue>(
    _ marbles: String, _ label: String = "source", of type: Value.Type = Int.self
  ) throws -> Signal<Value> {
    let timeline = Timeline(scheduler, try MarbleDiagram(marbles))
    state.withLock { $0.sources.append((label, .timeline(timeline))) }
    return try scheduler.hot(marbles, type)
  }

  /// A source of signals, each of which is a mark in its diagram.
  func signals<Value>(
    _ marbles: String, _ inner: @autoclosure () throws -> [String: Signal<Value>]
  ) throws -> Signal<Signal<Value>> {
    let names = try cold(marbles, of: String.self)
    // Made after the source, so that their rows stand below its own.
    let inner = try inner()
    return names.map { inner[$0]! }
  }

  /// The same signal, with a row for what it sends.
  func watch<Value>(_ label: String, _ signal: Signal<Value>) -> Signal<Value> {
    let timeline = Timeline(scheduler)
    state.withLock { $0.sources.append((label, .timeline(timeline))) }
    return timeline.watch(signal)
  }

  /// A closure, with a row for the frames in which it is called.
  func effect(_ label: String = "effect") -> @Sendable () -> Void {
    let timeline = Timeline(scheduler)
    state.withLock { $0.results.append((label, .timeline(timeline))) }
    return { timeline.note(.value("x")) }
  }

  // MARK: The operator and its results

  /// Takes the text of its argument from the file of the sample as what the page shows.
  func apply<Applied>(
    _ applied: Applied, file: String = #filePath, line: Int = #line
  ) throws -> Applied {
    try keepExpression(file, line)
    return applied
  }

  /// Subscribes, with a row for what is received; its argument is what the page shows unless
  /// something was applied before.
  func record<Value>(
    _ signal: Signal<Value>, _ label: String = "result", from start: Int = 0, until end: Int? = nil,
    as render: @escaping @Sendable (Value) -> String = { MarbleDiagram.text(ofValue: $0) },
    file: String = #filePath, line: Int = #line
  ) throws {
    try keepExpression(file, line)
    let recorder = Recorder<Value>(on: scheduler, render: render)
    let timeline = Timeline(scheduler) { recorder.marbles }
    state.withLock { state in
      state.results.append((label, .timeline(timeline)))
      state.recordings.append(recorder)
    }
    if start == 0 {
      recorder.observe(signal)
    } else {
      scheduler.schedule(after: scheduler.frame * start) { recorder.observe(signal) }
    }
    if let end { scheduler.schedule(after: scheduler.frame * end) { recorder.dispose() } }
  }

  /// Subscribes, with a row for what is received, to a signal that came as a result.
  func watchResult<Value>(_ label: String, _ signal: Signal<Value>) {
    let timeline = Timeline(scheduler)
    state.withLock { $0.results.append((label, .timeline(timeline))) }
    timeline.watch(signal).subscribe()
  }

  /// Waits for the end of a signal that does not run in virtual time, with a row for what it sends.
  func recordInRealTime<Value>(
    _ signal: Signal<Value>, file: String = #filePath, line: Int = #line
  ) async throws {
    try keepExpression(file, line)
    let timeline = Timeline(scheduler)
    state.withLock { $0.results.append(("result", .timeline(timeline))) }
    for try await _ in timeline.watch(signal).values {}
  }

  /// A row of text; its argument is what the page shows unless something was applied before.
  func note(
    _ label: String, _ value: some Sendable, file: String = #filePath, line: Int = #line
  ) throws {
    try keepExpression(file, line)
    state.withLock { $0.results.append((label, .text("\(value)"))) }
  }

  private func keepExpression(_ file: String, _ line: Int) throws {
    guard state.withLock({ $0.expression.isEmpty }) else { return }
    let expression = try SourceExpression.firstArgument(inFile: file, line: line)
    state.withLock { $0.expression = expression }
  }

  // MARK: The diagram

  /// Plays so many frames.
  func advance(frames: Int) {
    scheduler.advance(by: scheduler.frame * frames)
  }

  /// The rules that a subscription of the sample has broken.
  var violations: [RuleViolation] {
    state.withLock { $0.recordings }.flatMap(\.violations)
  }

  /// The diagram of what has happened: sources, the code, results.
  var diagram: [String] {
    let (sources, results, expression) = state.withLock {
      ($0.sources, $0.results, $0.expression)
    }
    let rows = sources + results
    let indent = (rows.map(\.label.count).max() ?? 0) + 2
    let frames = rows.map { row -> [[MarbleDiagram.Mark]] in
      if case .timeline(let timeline) = row.content { timeline.frames } else { [] }
    }
    let texts = FrameTable(frames).lines
    var lines: [String] = []
    for (number, row) in rows.enumerated() {
      if number == sources.count {
        lines += expression.map { String(repeating: " ", count: indent) + $0 }
      }
      let text = if case .text(let text) = row.content { text } else { texts[number] }
      lines.append(
        row.label + String(repeating: " ", count: indent - row.label.count) + text)
    }
    return lines
  }

  /// Ends what still runs, after the diagram has been taken.
  func close() {
    for recording in state.withLock({ $0.recordings }) { recording.dispose() }
  }
}

/// A recorder of whatever values.
private protocol Recording: Sendable {
  var violations: [RuleViolation] { get }
  func dispose()
}

extension Recorder: Recording {}
