import Reactive
import ReactiveTesting
import Testing

@Suite("defer, try, from(sequence)")
struct DeferredTests {
  @Test("defer makes a signal for each subscription, and not before")
  func makes() {
    let count = Counter()
    let signal = Signal<Int>.defer { .just(count.increment()) }
    #expect(count.value == 0)
    #expect(Recorder(signal).diagram == "(1|)")
    #expect(Recorder(signal).diagram == "(2|)")
  }

  @Test("defer fails with what its block throws")
  func makeThrows() {
    let signal = Signal<Int>.defer { throw MarbleError.failure }
    #expect(Recorder(signal).error as? MarbleError == .failure)
  }

  @Test("defer passes the end of its signal on, and its disposal")
  func ends() throws {
    let scheduler = TestScheduler()
    let failing = try scheduler.cold("a-#")
    try scheduler.expect(.defer { failing }, "a-#")
    let disposed = try scheduler.cold("a-b-c")
    let later = try scheduler.record(.defer { disposed }, "---^-!")
    try scheduler.run()
    #expect(later.values == ["a"])
    #expect(disposed.subscriptions == ["---^-!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("try sends what its block returns, or fails with what it throws")
  func attempt() {
    #expect(Recorder(Signal.try { 3 }).diagram == "(3|)")
    #expect(Recorder(Signal<Int>.try { throw MarbleError.failure }).diagram == "#")
  }

  @Test("try calls its block for each subscription")
  func attemptAnew() {
    let count = Counter()
    let signal = Signal.try { count.increment() }
    #expect(Recorder(signal).values + Recorder(signal).values == [1, 2])
  }

  @Test("try disposed from inside its value does not complete")
  func attemptDisposed() {
    #expect(disposedByFirst(Signal.try { 1 }).diagram == "(1!)")
  }

  @Test("from sends the elements in order and completes")
  func elements() {
    #expect(Recorder(Signal.from(1...3)).diagram == "(123|)")
    #expect(Recorder(Signal.from([Int]())).diagram == "|")
  }

  @Test("from stops in the middle of an endless sequence when it is disposed")
  func endless() {
    let recorder = disposed(Signal.from(0...), by: { $0 == 2 })
    #expect(recorder.diagram == "(012!)")
  }
}
