import Reactive
import ReactiveTesting
import Testing

@Suite("Chains of operators with one source")
struct SingleSourceChainTests {
  /// The rule is for optimised code, whose frames are a third of the others.
  #if DEBUG
    static let stack = 2048 * 1024
  #else
    static let stack = 512 * 1024
  #endif

  @Test(
    "A thousand of each work on a small stack, from subscription to release", .measuresStack,
    .timeLimit(.minutes(1)), arguments: SingleSourceLifetimeTests.operators)
  func thousand(tested: SingleSourceOperator) async {
    await onSmallStack(Self.stack) {
      let scheduler = TestScheduler()
      let subject = Subject<Int>()
      var chain: Signal<Int> = subject
      for _ in 0..<1_000 { chain = tested.apply(chain, scheduler) }
      let recorder = Recorder(chain)
      // A scheduled subscription needs a turn for each of the thousand.
      scheduler.advance()
      subject.sendNext(1)
      subject.sendNext(2)
      subject.sendCompleted()
      scheduler.advance(by: .seconds(2_000))
      #expect(recorder.isCompleted)
      chain.subscribe().dispose()
      #expect(recorder.violations == [])
    }
  }
}
