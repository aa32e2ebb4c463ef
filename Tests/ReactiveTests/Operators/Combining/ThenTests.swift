import Reactive
import ReactiveTesting
import Testing

@Suite("then")
struct ThenTests {
  let scheduler = TestScheduler()

  @Test("The source's values are left out, and the next signal begins at its completion")
  func values() throws {
    let source = try scheduler.cold("-a-b|")
    let next = try scheduler.cold("x-y|")
    try scheduler.expect(source.then { next }, "----x-y|")
    #expect(next.subscriptions == ["----^--!"])
  }

  @Test("After an error the next signal is not made")
  func error() throws {
    let made = Counter()
    let source = try scheduler.cold("-a#")
    let then = source.then {
      made.increment()
      return Signal.just(1)
    }
    try scheduler.expect(then, "--#")
    #expect(made.value == 0)
  }

  @Test("What the making throws is the error")
  func throwing() {
    let then = Signal<Int>.empty().then { () throws -> Signal<Int> in throw MarbleError.failure }
    #expect(Recorder(then).diagram == "#")
  }

  @Test("Disposal in the middle disposes whichever is running")
  func disposal() throws {
    let source = try scheduler.cold("--|")
    let next = try scheduler.cold("x-y-z|")
    try scheduler.expect(source.then { next }, "--x-y!")
    #expect(next.subscriptions == ["--^--!"])
  }
}
