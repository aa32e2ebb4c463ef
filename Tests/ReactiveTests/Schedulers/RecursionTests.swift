import Reactive
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
