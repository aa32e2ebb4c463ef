import Reactive
import ReactiveTesting
import Testing

@Suite("materialize and dematerialize")
struct MaterializeTests {
  let scheduler = TestScheduler()

  private func text(_ event: Event<String>) -> String {
    switch event {
    case .next(let value): "n" + value
    case .error: "E"
    case .completed: "C"
    }
  }

  @Test(
    "Every event becomes a value, and then it completes",
    arguments: [("-a-b|", "-'na'-'nb'(C|)"), ("-a#", "-'na'(E|)"), ("-a-!", "-'na'-!")])
  func materialize(source: String, expected: String) throws {
    let source = try scheduler.cold(source.filter { $0 != "!" })
    try scheduler.expect(source.materialize().map(text), expected)
  }

  @Test("A terminal event among the values ends it and disposes the source")
  func dematerialize() throws {
    let values: [String: Event<String>] = [
      "a": .next("a"), "c": .completed, "e": .error(MarbleError.failure),
    ]
    let completing = try scheduler.cold("-a-c-a", values)
    try scheduler.expect(completing.dematerialize(), "-a-|")
    #expect(completing.subscriptions == ["^--!"])
    let other = TestScheduler()
    try other.expect(other.cold("-a-e-a", values).dematerialize(), "-a-#")
  }

  @Test("The source's own end comes through", arguments: ["-a|", "-a#"])
  func sourceEnd(diagram: String) throws {
    let source = try scheduler.cold(diagram, ["a": Event.next("a")])
    try scheduler.expect(source.dematerialize(), diagram)
  }

  @Test("A terminal event from a synchronous source ends it once")
  func synchronous() {
    let events = Signal<Event<Int>>.from([.next(1), .completed, .next(2), .completed])
    let recorder = Recorder(events.dematerialize())
    #expect(recorder.diagram == "(1|)")
    #expect(recorder.violations == [])
  }
}
