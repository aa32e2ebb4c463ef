import Reactive
import ReactiveTesting
import Testing

@Suite("first, firstOrDefault, waitUntilCompleted, toArray")
struct WaitingTests {
  @Test("first returns the first value and disposes the source")
  func first() throws {
    let disposals = Counter()
    let source = Signal.from(1...).onDispose { disposals.increment() }
    #expect(try source.subscribeOn(.background()).first() == 1)
    #expect(disposals.value == 1)
  }

  @Test("first of nothing is nil, firstOrDefault the default")
  func nothing() throws {
    let empty = Signal<Int>.empty().subscribeOn(.background())
    #expect(try empty.first() == nil)
    #expect(try empty.firstOrDefault(7) == 7)
    #expect(try Signal.just(1).firstOrDefault(7) == 1)
  }

  @Test("toArray returns all values in order")
  func array() throws {
    #expect(try Signal.from([1, 2, 3]).subscribeOn(.background()).toArray() == [1, 2, 3])
    #expect(try Signal<Int>.empty().toArray() == [])
  }

  @Test("The error of the signal is thrown")
  func errors() {
    let failing = Signal<Int>.error(MarbleError.failure).subscribeOn(.background())
    #expect(throws: MarbleError.failure) { try failing.first() }
    #expect(throws: MarbleError.failure) { try failing.firstOrDefault(1) }
    #expect(throws: MarbleError.failure) { try failing.waitUntilCompleted() }
    #expect(throws: MarbleError.failure) { try failing.toArray() }
  }

  @Test("waitUntilCompleted returns after the end")
  func completed() throws {
    let count = Counter()
    let work = Signal.from(1...3).doNext { _ in count.increment() }.subscribeOn(.background())
    try work.waitUntilCompleted()
    #expect(count.value == 3)
  }

  @Test("A wait ends when the subject that it waits for is released", .timeLimit(.minutes(5)))
  func dropped() throws {
    let signal = Signal<Int>.create { subscriber in
      let subject = Subject<Int>()
      return Scheduler.background().schedule {
        subject.subscribe(completed: { subscriber.sendCompleted() })
      }
    }
    #expect(try signal.toArray() == [])
  }
}
