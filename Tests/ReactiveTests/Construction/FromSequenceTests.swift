import Reactive
import ReactiveTesting
import Testing

@Suite("from(_:on:)")
struct FromSequenceTests {
  private struct Endless: Sequence, IteratorProtocol {
    let taken: Counter

    func next() -> Int? { taken.increment() }
  }

  let scheduler = TestScheduler()

  @Test("Sends one element in each turn, and the completion in one of its own")
  func turns() {
    let recorder = Recorder(Signal.from(["a", "b"], on: scheduler), on: scheduler)
    #expect(recorder.entries.isEmpty)
    for expected in [["a"], ["a", "b"]] {
      #expect(scheduler.step())
      #expect(recorder.values == expected)
      #expect(!recorder.isCompleted)
    }
    #expect(scheduler.step())
    #expect(recorder.isCompleted)
    #expect(!scheduler.step())
  }

  @Test("Other work has its turn between two elements")
  func others() {
    let log = Log()
    Signal.from(1...2, on: scheduler).subscribe { log.add("a\($0)") }
    Signal.from(1...2, on: scheduler).subscribe { log.add("b\($0)") }
    scheduler.advance()
    #expect(log.lines == ["a1", "b1", "a2", "b2"])
  }

  @Test("Disposal drops the turn that is due, and takes no further element")
  func disposal() {
    let taken = Counter()
    let recorder = Recorder(Signal.from(Endless(taken: taken), on: scheduler), on: scheduler)
    scheduler.step(3)
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
    #expect(recorder.values == [1, 2, 3])
    #expect(taken.value == 3)
  }

  @Test("Many elements use no stack, on a scheduler that runs work inline either")
  func stack() {
    for inline in [Scheduler.immediate, .subscription] {
      let last = Held(0)
      // The other one runs work inline only where a scheduler is current.
      scheduler.schedule {
        Signal.from(1...200_000, on: inline).subscribe { last.value = $0 }
      }
      scheduler.step()
      #expect(last.value == 200_000)
    }
  }

  @Test("All elements arrive in order from a queue", .timeLimit(.minutes(5)))
  func queue() throws {
    let numbers = try Signal.from(1...5_000, on: .background()).toArray()
    #expect(numbers == Array(1...5_000))
  }
}
