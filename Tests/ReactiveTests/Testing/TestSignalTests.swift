import Reactive
import ReactiveTesting
import Testing

@Suite("Signals from marble diagrams")
struct TestSignalTests {
  let scheduler = TestScheduler()

  @Test("A cold signal counts from each subscription")
  func cold() throws {
    let source = try scheduler.cold("a-b|")
    let early = try scheduler.record(source, "^")
    let late = try scheduler.record(source, "--^")
    try scheduler.run()
    try early.expect("a-b|")
    try late.expect("--(^a)-b|")
    #expect(source.subscriptions == ["^--!", "--^--!"])
  }

  @Test("A cold signal sends its first frame inside the call that subscribes")
  func synchronous() throws {
    let recorder = Recorder(try scheduler.cold("(ab|)"), on: scheduler)
    #expect(recorder.diagram == "(ab|)")
  }

  @Test("A hot signal sends at its own time to whoever is there")
  func hot() throws {
    let source = try scheduler.hot("a-b-c|")
    try scheduler.expect(source, "-^b-c|")
    #expect(source.subscriptions == ["-^---!"])
  }

  @Test("What stands before ^ in a hot diagram is past")
  func past() throws {
    try scheduler.expect(try scheduler.hot("ab^-c|"), "--c|")
  }

  @Test("Values come from a dictionary or from the marks themselves")
  func values() throws {
    let named = Recorder(try scheduler.cold("(ab|)", ["a": 10, "b": 20]))
    #expect(named.values == [10, 20])
    let written = Recorder(try scheduler.cold("(1'23'|)", Int.self))
    #expect(written.values == [1, 23])
    #expect(throws: MarbleSourceError.unknownValue("b", diagram: "ab")) {
      try scheduler.cold("ab", ["a": 1])
    }
    #expect(throws: MarbleSourceError.unknownValue("x", diagram: "x")) {
      try scheduler.hot("x", Int.self)
    }
  }

  @Test("A source takes no disposal, and a cold one no subscription")
  func misplaced() {
    #expect(throws: MarbleSourceError.misplacedMark("!", diagram: "a!")) {
      try scheduler.hot("a!")
    }
    #expect(throws: MarbleSourceError.misplacedMark("^", diagram: "^a")) {
      try scheduler.cold("^a")
    }
  }

  @Test("The error is the test's own or the default one")
  func errors() throws {
    struct Custom: Error {}
    #expect(Recorder(try scheduler.cold("#")).error is MarbleError)
    #expect(Recorder(try scheduler.cold("#", error: Custom())).error is Custom)
  }

  @Test("Disposal comes before the events of its frame, in a group where it stands")
  func disposal() throws {
    try scheduler.expect(try scheduler.cold("-a-b-c|"), "-a-!")
    let later = TestScheduler()
    try later.expect(try later.cold("-a-b-c|"), "-a-(b!)")
    #expect(later.pendingCount == 0)
  }

  @Test("A diagram without an end covers the frames it shows")
  func window() throws {
    try scheduler.expect(try scheduler.cold("-a-b-c-d"), "-a-b-")
    let later = TestScheduler()
    #expect(throws: MarbleMismatch.self) {
      try later.expect(try later.cold("-a-b-c-d"), "-a---")
    }
  }

  @Test("Events after the expected end are a mismatch")
  func longer() throws {
    #expect(throws: MarbleMismatch.self) {
      try scheduler.expect(try scheduler.cold("-a-b|"), "-a|")
    }
  }

  @Test("A source that breaks a rule of subscriptions is told so")
  func violations() throws {
    let broken = Signal<Int> { observer, _ in
      observer.end(.completed)
      observer.next(1)
    }
    let error = #expect(throws: MarbleMismatch.self) { try scheduler.expect(broken, "(|)") }
    #expect(error?.violations == [.eventAfterEnd])
  }

  @Test("A source that sends from inside its subscriber overlaps")
  func overlap() {
    let reentrant = Signal<Int> { observer, _ in
      let held = observer.next
      holder.next = { held($0) }
      observer.next(1)
    }
    let recorder = Recorder<Int>(react: { if $0 == 1 { holder.next?(2) } })
    recorder.observe(reentrant)
    #expect(recorder.violations == [.overlappingEvents])
  }

  private let holder = Holder()

  private final class Holder: @unchecked Sendable {
    // Unchecked: used by one thread.
    var next: (@Sendable (Int) -> Void)?
  }
}
