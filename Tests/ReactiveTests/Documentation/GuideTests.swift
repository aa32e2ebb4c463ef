import Reactive
import ReactiveTesting
import Testing
import TextFiles

/// The examples of the guide, as they stand there.
@Suite("The guide")
struct GuideTests {
  @Test("Every example of the guide is among these tests")
  func examples() throws {
    let guide = try Guide("Sources/Reactive/Reactive.docc/Reactive.md")
    #expect(guide.examples.count == 7)
    #expect(try guide.examples(missingIn: #filePath) == [])
  }

  @Test("Subscribing")
  func subscribing() {
    let lines = Log()
    let prices = Subject<Int>()
    let subscription =
      prices
      .filter { $0 > 10 }
      .map { "costs \($0)" }
      .subscribe(
        next: { lines.add($0) },
        error: { lines.add("failed: \($0)") },
        completed: { lines.add("done") })
    prices.sendNext(5)
    prices.sendNext(12)
    subscription.dispose()
    prices.sendNext(20)
    #expect(lines.lines == ["costs 12"])
  }

  @Test("Values in async code")
  func asyncValues() async throws {
    var sum = 0
    for try await number in Signal.from(1...4).map({ $0 * 10 }).values {
      sum += number
    }
    #expect(sum == 100)
  }

  @Test("Making a signal of one's own")
  func create() throws {
    let scheduler = TestScheduler()
    let ticks = Signal<Int>.create { subscriber in
      let timer = scheduler.schedule(every: .seconds(1), leeway: .zero) {
        subscriber.sendNext(1)
      }
      return timer
    }
    let count = ticks.scan(0) { $0 + $1 }.take(3)
    try scheduler.expect(count, "-12(3|)")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A send from inside a subscriber")
  func nested() {
    let received = Log()
    let numbers = Subject<Int>()
    numbers.subscribe(next: { if $0 < 3 { numbers.sendNext($0 + 1) } })
    numbers.subscribe(next: { received.add("\($0)") })
    numbers.sendNext(1)
    #expect(received.lines == ["1", "2", "3"])
  }

  @Test("Forwarding to a subject")
  func forwarding() {
    let scheduler = TestScheduler()
    let latest = Subject<Duration>()
    Signal.interval(.seconds(1), on: scheduler).subscribe(latest)
    latest.sendCompleted()
    let timersLeft = scheduler.pendingCount
    #expect(timersLeft == 0)
  }

  @Test("Schedulers", .timeLimit(.minutes(5)))
  func schedulers() throws {
    let background = Scheduler.background()
    let places = try Signal.just(1)
      .deliverOn(background)
      .map { _ in Scheduler.current === background }
      .toArray()
    #expect(places == [true])
  }

  @Test("Testing")
  func testing() throws {
    let scheduler = TestScheduler()
    let source = try scheduler.cold("-a-b---c|")
    try scheduler.expect(source.throttle(.seconds(2), on: scheduler), "-----b--(c|)")
    #expect(source.subscriptions == ["^-------!"])
  }
}
