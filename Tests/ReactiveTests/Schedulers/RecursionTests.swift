import Reactive
import ReactiveTesting
import Testing

@Suite("Recursive scheduling", .timeLimit(.minutes(5)))
struct RecursionTests {
  @Test("Work that repeats uses no stack per round, however often it does")
  func repetition() {
    let rounds = Counter()
    let work = ScheduledWork { rounds.increment() }
    for _ in 0..<200_000 { work.run() }
    #expect(rounds.value == 200_000)
  }

  @Test("Ten million rounds on the immediate scheduler use no stack", .measuresStack)
  func immediate() async {
    await onSmallStack {
      let rounds = Counter()
      Scheduler.immediate.scheduleRecursively { again in
        if rounds.increment() < 10_000_000 { again() }
      }
      #expect(rounds.value == 10_000_000)
    }
  }

  @Test("Work may ask for another round at any time, though nobody keeps the disposable")
  func later() {
    let scheduler = TestScheduler()
    let rounds = Counter()
    scheduler.scheduleRecursively { again in
      guard rounds.increment() < 3 else { return }
      scheduler.schedule(after: .seconds(1), again)
    }
    scheduler.advance(by: .seconds(10))
    #expect(rounds.value == 3)
  }

  /// A scheduler whose `schedule` returns only after the work has run, and asked for more.
  private final class LateScheduler: Scheduler, @unchecked Sendable {
    override func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
      let item = ScheduledWork(work)
      item.runOnce()
      return item
    }
  }

  @Test("A round asked for before the scheduler has returned is not lost")
  func early() {
    let rounds = Counter()
    let pending = Held<@Sendable () -> Void>()
    let recursion = LateScheduler().scheduleRecursively { again in
      rounds.increment()
      pending.value = again
    }
    for _ in 1..<5 { pending.value?() }
    #expect(rounds.value == 5)
    recursion.dispose()
    pending.value?()
    #expect(rounds.value == 5)
  }

  @Test("Ten million rounds on a background scheduler use no stack")
  func background() async {
    let rounds = Counter()
    let scheduler = Scheduler.background()
    await withCheckedContinuation { continuation in
      scheduler.scheduleRecursively { again in
        if rounds.increment() < 10_000_000 { again() } else { continuation.resume() }
      }
    }
    #expect(rounds.value == 10_000_000)
  }
}
