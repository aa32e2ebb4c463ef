import Reactive
import ReactiveTesting
import Testing

@Suite("subscribe")
struct SubscribingTests {
  let log = Log()

  @Test("A closure without a label receives values")
  func values() {
    Signal.from([1, 2]).subscribe { log.add("\($0)") }
    Signal.from([3]).subscribe { value in
      let double = value * 2
      log.add("\(double)")
    }
    #expect(log.lines == ["1", "2", "6"])
  }

  @Test("The closure labelled onEvent receives events, the end among them")
  func events() {
    Signal.from([1, 2]).subscribe(onEvent: { log.add("\($0)") })
    Signal<Int>.error(MarbleError.failure).subscribe(onEvent: { log.add("\($0.isTerminal)") })
    #expect(log.lines == ["next(1)", "next(2)", "completed", "true"])
  }
}

@Suite("Event")
struct EventTests {
  private struct Problem: Error {
    let text: String
  }
  private struct Other: Error {
    let text: String
  }

  @Test("Events are equal when kind and value are")
  func values() {
    #expect(Event.next(1) == .next(1))
    #expect(Event.next(1) != .next(2))
    #expect(Event<Int>.completed == .completed)
    #expect(Event.next(1) != .completed)
    #expect([Event.next("a"), .completed] == [.next("a"), .completed])
  }

  @Test("Errors are equal when their type and their reflection are")
  func errors() {
    #expect(Event<Int>.error(Problem(text: "a")) == .error(Problem(text: "a")))
    #expect(Event<Int>.error(Problem(text: "a")) != .error(Problem(text: "b")))
    #expect(Event<Int>.error(Problem(text: "a")) != .error(Other(text: "a")))
    #expect(Event<Int>.error(Problem(text: "a")) != .completed)
    #expect(Termination.error(MarbleError.failure) == .error(MarbleError.failure))
    #expect(Termination.completed != .error(MarbleError.failure))
  }
}
