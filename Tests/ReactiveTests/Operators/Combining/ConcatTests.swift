import Reactive
import ReactiveTesting
import Testing

@Suite("concat")
struct ConcatTests {
  let scheduler = TestScheduler()

  @Test("The second signal begins when the first has completed")
  func values() throws {
    let a = try scheduler.cold("-a-b|")
    let b = try scheduler.cold("x-y|")
    try scheduler.expect(a.concat(b), "-a-bx-y|")
    #expect(a.subscriptions == ["^---!"])
    #expect(b.subscriptions == ["----^--!"])
  }

  @Test("After an error of the first, the second is not subscribed to")
  func error() throws {
    let b = try scheduler.cold("x|")
    try scheduler.expect(scheduler.cold("-a#").concat(b), "-a#")
    #expect(b.subscriptions == [])
  }

  @Test("Disposal disposes whichever is running", arguments: [("-a!", 1, 0), ("-a-bx-!", 1, 1)])
  func disposal(diagram: String, first: Int, second: Int) throws {
    let a = try scheduler.cold("-a-b|")
    let b = try scheduler.cold("x---y|")
    try scheduler.expect(a.concat(b), diagram)
    #expect(a.subscriptions.count == first)
    #expect(b.subscriptions.count == second)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Many signals run one after the other")
  func many() {
    let joined = Signal.concat(.from([1, 2]), .empty(), .just(3), .from([4]))
    #expect(Recorder(joined).diagram == "(1234|)")
    #expect(Recorder(Signal<Int>.concat([])).diagram == "|")
  }

  @Test("A signal of signals runs them one after the other, in the order in which they came")
  func nested() throws {
    let a = try scheduler.cold("a--b|")
    let b = try scheduler.cold("x|")
    let outer = try scheduler.hot("-a-b---|", ["a": a as Signal<String>, "b": b])
    try scheduler.expect(outer.concat(), "-a--bx-|")
    #expect(b.subscriptions == ["-----^!"])
  }

  @Test("Disposing from inside the completion of the first keeps the second from beginning")
  func disposalBetween() {
    let subject = Subject<Int>()
    let seconds = Counter()
    let subscription = CompoundDisposable()
    let second = Signal<Int>.defer {
      seconds.increment()
      return .just(2)
    }
    let first = subject.finally { subscription.dispose() }
    first.concat(second).observe(Observer(next: { _ in }, end: { _ in }), in: subscription)
    subject.sendCompleted()
    #expect(seconds.value == 0)
  }
}
