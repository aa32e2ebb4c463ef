import Reactive
import ReactiveTesting
import Testing

@Suite("replay, replayLast, replayLazily")
struct ReplayTests {
  let scheduler = TestScheduler()

  @Test("replay subscribes at once and gives everything to everyone")
  func replay() throws {
    let source = try scheduler.cold("a-b-c|")
    let replayed = source.replay()
    #expect(source.subscriptions == ["^"])
    let live = try scheduler.record(replayed, "^")
    let late = try scheduler.record(replayed, "---^")
    let afterEnd = try scheduler.record(replayed, "--------^")
    try scheduler.run()
    try live.expect("a-b-c|")
    try late.expect("---(^ab)c|")
    try afterEnd.expect("--------(^abc|)")
    #expect(source.subscriptions == ["^----!"])
  }

  @Test("replayLast gives the latest value and what follows")
  func replayLast() throws {
    let source = try scheduler.cold("a-b-c#")
    let replayed = source.replayLast()
    let late = try scheduler.record(replayed, "---^")
    let afterEnd = try scheduler.record(replayed, "--------^")
    try scheduler.run()
    try late.expect("---(^b)c#")
    try afterEnd.expect("--------(^c#)")
    #expect(source.subscriptions.count == 1)
  }

  @Test("replayLazily subscribes with the first subscriber")
  func replayLazily() throws {
    let source = try scheduler.cold("a-b|")
    let replayed = source.replayLazily()
    #expect(source.subscriptions == [])
    let first = try scheduler.record(replayed, "-^")
    let second = try scheduler.record(replayed, "--^")
    try scheduler.run()
    try first.expect("-(^a)-b|")
    try second.expect("--(^a)b|")
    #expect(source.subscriptions == ["-^--!"])
  }

  @Test("A subscriber that leaves does not end the others")
  func leaving() throws {
    let replayed = try scheduler.cold("a-b-c|").replay()
    let leaving = try scheduler.record(replayed, "^-!")
    let staying = try scheduler.record(replayed, "^")
    try scheduler.run()
    try leaving.expect("a-!")
    try staying.expect("a-b-c|")
  }

  @Test(
    "The source is disposed when neither the replayed signal nor a subscriber is left",
    arguments: [
      ("replay", { @Sendable (source: Signal<Int>) in source.replay() }),
      ("replayLast", { @Sendable (source: Signal<Int>) in source.replayLast() }),
      ("replayLazily", { @Sendable (source: Signal<Int>) in source.replayLazily() }),
    ])
  func lease(name: String, replay: @Sendable (Signal<Int>) -> Signal<Int>) {
    let disposals = Counter()
    let lives = Lives()
    let subject = Subject<Int>()
    var replayed: Signal<Int>? = replay(
      subject.map { [token = lives.token()] value in
        token.touch()
        return value
      }.onDispose { disposals.increment() })
    let first = Recorder(replayed!)
    let second = Recorder(replayed!)
    subject.sendNext(1)
    first.dispose()
    replayed = nil
    subject.sendNext(2)
    #expect(second.values == [1, 2])
    #expect(disposals.value == 0)
    second.dispose()
    #expect(disposals.value == 1)
    #expect(lives.count == 0)
  }

  @Test("A replay that nobody keeps disposes its source at once")
  func unused() {
    let disposals = Counter()
    _ = Signal<Int>.never().onDispose { disposals.increment() }.replayLast()
    #expect(disposals.value == 1)
  }

  @Test("A signal derived from a replayed one keeps the source going")
  func derived() {
    let subject = Subject<Int>()
    let derived = subject.replayLast().map { $0 * 10 }
    subject.sendNext(1)
    #expect(Recorder(derived).values == [10])
  }

  @Test("A value sent from inside a subscriber comes after those that it follows, for all")
  func reentrant() {
    let subject = Subject<Int>()
    let replayed = subject.replay()
    let sender = Recorder<Int>(react: { if $0 == 1 { subject.sendNext(2) } })
    sender.observe(replayed)
    let live = Recorder(replayed)
    subject.sendNext(1)
    #expect(sender.values == [1, 2])
    #expect(live.values == [1, 2])
    #expect(Recorder(replayed).values == [1, 2])
  }
}
