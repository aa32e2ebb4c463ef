import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// How many are inside, and how many were at most.
private final class Occupancy: Sendable {
  private let counts = Mutex((inside: 0, most: 0))

  var most: Int { counts.withLock { $0.most } }

  func enter() {
    counts.withLock { counts in
      counts.inside += 1
      counts.most = max(counts.most, counts.inside)
    }
  }

  func leave() {
    counts.withLock { $0.inside -= 1 }
  }
}

@Suite("Operators with several sources under contention", .timeLimit(.minutes(5)))
struct OperatorContentionTests {
  private let rounds = 1_000

  @Test("merge loses nothing, keeps each source's order, and never overlaps")
  func merge() async {
    let sources = (0..<4).map { _ in Subject<Int>() }
    let recorder = Recorder(Signal.merge(sources))
    await onThreads(4) { [rounds] number in
      for round in 0..<rounds { sources[number].sendNext(round * 4 + number) }
      sources[number].sendCompleted()
    }
    #expect(recorder.violations == [])
    #expect(recorder.isCompleted)
    for number in 0..<4 {
      let own = recorder.values.filter { $0 % 4 == number }
      #expect(own == (0..<rounds).map { $0 * 4 + number })
    }
  }

  @Test("combineLatest sends every change once and ends on the last values of all")
  func combineLatest() async {
    let a = Subject<Int>()
    let b = Subject<Int>()
    let recorder = Recorder(Signal.combineLatest([a, b]))
    a.sendNext(0)
    b.sendNext(0)
    await onThreads(2) { [rounds] number in
      let own = number == 0 ? a : b
      for round in 1...rounds { own.sendNext(round) }
      own.sendCompleted()
    }
    #expect(recorder.violations == [])
    #expect(recorder.isCompleted)
    #expect(recorder.values.count == 2 * rounds + 1)
    for (before, after) in zip(recorder.values, recorder.values.dropFirst()) {
      #expect(after[0] + after[1] == before[0] + before[1] + 1)
    }
    #expect(recorder.values.last == [rounds, rounds])
  }

  @Test("zip pairs the nth values and completes with the shorter one")
  func zipping() async {
    let a = Subject<Int>()
    let b = Subject<Int>()
    let recorder = Recorder(Signal.zip([a, b]))
    await onThreads(2) { [rounds] number in
      let own = number == 0 ? a : b
      for round in 0..<(number == 0 ? rounds : rounds + 100) { own.sendNext(round) }
      own.sendCompleted()
    }
    #expect(recorder.violations == [])
    #expect(recorder.isCompleted)
    #expect(recorder.values == (0..<rounds).map { [$0, $0] })
  }

  @Test(
    "flatten never runs more signals than allowed, and runs all", .tags(.racDefect),
    arguments: [1, 2, 3])
  func flattenLimit(limit: Int) async {
    let occupancy = Occupancy()
    let schedulers = (0..<3).map { _ in Scheduler.background() }
    let recorder = Recorder<Int>()
    let done = AsyncStream<Void>.makeStream()
    let flattened = Signal.from(0..<500).flatMap(maxConcurrent: limit) { number in
      Signal<Int>.create { subscriber in
        occupancy.enter()
        return schedulers[number % 3].schedule {
          subscriber.sendNext(number)
          occupancy.leave()
          subscriber.sendCompleted()
        }
      }
    }
    .finally { done.continuation.finish() }
    recorder.observe(flattened)
    for await _ in done.stream {}
    #expect(recorder.violations == [])
    #expect(recorder.values.sorted() == Array(0..<500))
    #expect(occupancy.most <= limit)
  }

  @Test("switchToLatest never sends an old value after a new signal's")
  func switchToLatest() async {
    let outer = Subject<Signal<Int>>()
    let sources = (0..<3).map { _ in Subject<Int>() }
    let recorder = Recorder(outer.switchToLatest())
    await onThreads(4) { [rounds] number in
      if number == 3 {
        for switches in 0..<rounds {
          outer.sendNext(sources[switches % 3].map { _ in switches })
        }
      } else {
        for round in 0..<rounds { sources[number].sendNext(round) }
      }
    }
    #expect(recorder.violations == [])
    #expect(recorder.values == recorder.values.sorted())
    outer.sendCompleted()
    for source in sources { source.sendCompleted() }
    #expect(recorder.isCompleted)
  }

  @Test("takeUntil sends nothing after its trigger's completion")
  func takeUntil() async {
    for _ in 0..<50 {
      let source = Subject<Int>()
      let trigger = Subject<Int>()
      let recorder = Recorder(source.takeUntil(trigger))
      await onThreads(2) { number in
        if number == 0 {
          for round in 0..<50 { source.sendNext(round) }
        } else {
          trigger.sendNext(0)
        }
      }
      #expect(recorder.violations == [])
      #expect(recorder.isCompleted)
    }
  }

  @Test("A subscription disposed by another thread goes quiet and releases everything")
  func disposal() async {
    for _ in 0..<30 {
      let lives = Lives()
      let sources = (0..<2).map { _ in Subject<Int>() }
      let merged = Signal.combineLatest(sources).merge(Signal.zip(sources))
      let subscription = merged.subscribe(next: { [token = lives.token()] _ in token.touch() })
      await onThreads(3) { number in
        if number == 2 { return subscription.dispose() }
        for round in 0..<50 { sources[number].sendNext(round) }
      }
      #expect(lives.count == 0)
    }
  }
}
