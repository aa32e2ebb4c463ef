import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite("share")
struct ShareTests {
  let scheduler = TestScheduler()

  @Test("Subscribers at one time share one subscription, and the next ones make a new one")
  func shares() throws {
    let source = try scheduler.cold("-a-b-c-d-e")
    let shared = source.share()
    let first = try scheduler.record(shared, "^--!")
    let second = try scheduler.record(shared, "--^---!")
    let third = try scheduler.record(shared, "-------^--!")
    try scheduler.run()
    try first.expect("-a-!")
    try second.expect("--^b-c!")
    try third.expect("-------^a-!")
    #expect(source.subscriptions == ["^-----!", "-------^--!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("After an end the next subscriber subscribes to the source again", arguments: ["a|", "a#"])
  func restarts(diagram: String) throws {
    let source = try scheduler.cold(diagram)
    let shared = source.share()
    let first = try scheduler.record(shared, "^")
    let second = try scheduler.record(shared, "---^")
    try scheduler.run()
    try first.expect(diagram)
    try second.expect("---(^a)" + diagram.dropFirst())
    #expect(source.subscriptions.count == 2)
  }

  @Test("A synchronous source goes anew to each subscriber")
  func synchronous() {
    let shared = Signal.from([1, 2]).share()
    #expect(Recorder(shared).diagram == "(12|)")
    #expect(Recorder(shared).diagram == "(12|)")
  }

  @Test("A subscriber that subscribes again from inside the end starts a new round")
  func again() throws {
    let count = Counter()
    let shared = Signal<Int>.defer { .just(count.increment()) }.share()
    let inner = Recorder<Int>()
    shared.subscribe(completed: { inner.observe(shared) })
    #expect(inner.diagram == "(2|)")
  }

  @Test("An endless synchronous source stops when its subscriber leaves")
  func endless() {
    #expect(Recorder(Signal.from(0...).share().take(2)).diagram == "(01|)")
  }

  @Test("Nothing is kept once the last subscriber has left")
  func lifetime() {
    let lives = Lives()
    let subject = Subject<Int>()
    let shared = subject.share()
    let subscription = shared.subscribe(next: { [token = lives.token()] _ in token.touch() })
    subject.sendNext(1)
    #expect(lives.count == 1)
    subscription.dispose()
    #expect(lives.count == 0)
  }

  @Test(
    "However threads come and go, at most one subscription at a time delivers to a subscriber",
    .timeLimit(.minutes(5)))
  func contention() async {
    let subject = Subject<Int>()
    let subscriptions = Counter()
    let disposals = Counter()
    let shared = subject.initially { subscriptions.increment() }
      .onDispose { disposals.increment() }.share()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let received = Counter()
            let subscription = shared.subscribe(next: { _ in received.increment() })
            subject.sendNext(1)
            subscription.dispose()
          }
          return true
        }
      }
    }
    #expect(subscriptions.value == disposals.value)
    #expect(subscriptions.value > 0)
  }
}
