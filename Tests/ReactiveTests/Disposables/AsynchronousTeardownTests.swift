import Reactive
import Synchronization
import Testing

@Suite struct AsynchronousTeardownTests {
  /// Teardown that ends when the test says so.
  private final class SlowTeardown: Sendable {
    private let done = Mutex<(@Sendable () -> Void)?>(nil)

    var hasBegun: Bool { done.withLock { $0 != nil } }

    func add(to subscription: CompoundDisposable) {
      subscription.addAsync { finish in self.done.withLock { $0 = finish } }
    }

    func finish() {
      done.withLock { $0 }?()
    }

    func forget() {
      let forgotten = done.withLock { stored in
        defer { stored = nil }
        return stored
      }
      _ = forgotten
    }
  }

  private final class Flag: Sendable {
    private let count = Atomic<Int>(0)
    var isSet: Bool { count.load(ordering: .relaxed) > 0 }
    var times: Int { count.load(ordering: .relaxed) }
    func set() { count.wrappingAdd(1, ordering: .relaxed) }
  }

  private func tornDown(_ subscription: CompoundDisposable) -> Flag {
    let flag = Flag()
    subscription.whenTornDown { flag.set() }
    return flag
  }

  @Test func aSubscriptionWithoutItIsTornDownAtOnce() {
    let subscription = CompoundDisposable()
    subscription.add {}
    subscription.dispose()
    #expect(tornDown(subscription).isSet)
  }

  @Test func disposalBeginsItAndReturns() {
    let subscription = CompoundDisposable()
    let teardown = SlowTeardown()
    teardown.add(to: subscription)
    #expect(!teardown.hasBegun)
    subscription.dispose()
    #expect(teardown.hasBegun)
    let flag = tornDown(subscription)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func allOfThemAreWaitedFor() {
    let subscription = CompoundDisposable()
    let teardowns = [SlowTeardown(), SlowTeardown()]
    for teardown in teardowns { teardown.add(to: subscription) }
    subscription.dispose()
    let flag = tornDown(subscription)
    teardowns[1].finish()
    #expect(!flag.isSet)
    teardowns[0].finish()
    #expect(flag.times == 1)
  }

  @Test("Teardown of a create block's subscriber is waited for, also behind an operator")
  func subscriber() throws {
    for isBehindOperator in [false, true] {
      let teardown = SlowTeardown()
      let block = Signal<Int>.create { subscriber in
        teardown.add(to: subscriber)
        return nil
      }
      let signal = isBehindOperator ? block.map { $0 } : block
      let subscription = try #require(signal.subscribe() as? CompoundDisposable)
      #expect(!tornDown(subscription).isSet)
      subscription.dispose()
      let flag = tornDown(subscription)
      #expect(teardown.hasBegun && !flag.isSet)
      teardown.finish()
      #expect(flag.isSet)
    }
  }

  @Test func finishingTwiceCountsOnce() {
    let subscription = CompoundDisposable()
    let teardowns = [SlowTeardown(), SlowTeardown()]
    for teardown in teardowns { teardown.add(to: subscription) }
    subscription.dispose()
    let flag = tornDown(subscription)
    teardowns[0].finish()
    teardowns[0].finish()
    #expect(!flag.isSet)
  }

  @Test func teardownThatIsForgottenIsDone() {
    let subscription = CompoundDisposable()
    let teardown = SlowTeardown()
    teardown.add(to: subscription)
    subscription.dispose()
    let flag = tornDown(subscription)
    teardown.forget()
    #expect(flag.isSet)
  }

  @Test func oneAddedToADisposedSubscriptionBeginsAtOnce() {
    let subscription = CompoundDisposable()
    subscription.dispose()
    let teardown = SlowTeardown()
    teardown.add(to: subscription)
    #expect(teardown.hasBegun)
    let flag = tornDown(subscription)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func aParentWaitsForItsChildren() {
    let parent = CompoundDisposable()
    let child = parent.makeChild().makeChild()
    let teardown = SlowTeardown()
    teardown.add(to: child)
    parent.dispose()
    let flag = tornDown(parent)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func aParentWaitsForAChildThatWasDisposedBefore() {
    let parent = CompoundDisposable()
    let child = parent.makeChild()
    let teardown = SlowTeardown()
    teardown.add(to: child)
    child.dispose()
    parent.dispose()
    let flag = tornDown(parent)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func aSubscriptionWaitsForOneThatWasAddedToIt() {
    let outer = CompoundDisposable()
    let inner = CompoundDisposable()
    let before = SlowTeardown()
    let after = SlowTeardown()
    before.add(to: inner)
    outer.add(inner)
    after.add(to: inner)
    outer.dispose()
    let flag = tornDown(outer)
    before.finish()
    #expect(!flag.isSet)
    after.finish()
    #expect(flag.isSet)
  }

  @Test func anInnerSignalOfFlatMapHoldsTheOuterSubscription() {
    let teardown = SlowTeardown()
    let inner = Signal<Int> { _, subscription in teardown.add(to: subscription) }
    let subscription = CompoundDisposable()
    Signal.just(1).flatMap { _ in inner }.observe(
      Observer(next: { _ in }, end: { _ in }), in: subscription)
    subscription.dispose()
    #expect(teardown.hasBegun)
    let flag = tornDown(subscription)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func anInnerSignalThatWasSwitchedAwayHoldsTheOuterSubscription() {
    let teardown = SlowTeardown()
    let inner = Signal<Int> { _, subscription in teardown.add(to: subscription) }
    let outer = Subject<Signal<Int>>()
    let subscription = CompoundDisposable()
    outer.switchToLatest().observe(
      Observer(next: { _ in }, end: { _ in }), in: subscription)
    outer.sendNext(inner)
    outer.sendNext(.never())
    #expect(teardown.hasBegun)
    subscription.dispose()
    let flag = tornDown(subscription)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test func theSubscriptionThatABlockReturnsHoldsTheOuterOne() {
    let teardown = SlowTeardown()
    let inner = Signal<Int> { _, subscription in teardown.add(to: subscription) }
    let subscription = CompoundDisposable()
    Signal<Int>.create { subscriber in
      inner.subscribe(next: { subscriber.sendNext($0) })
    }.observe(Observer(next: { _ in }, end: { _ in }), in: subscription)
    subscription.dispose()
    let flag = tornDown(subscription)
    #expect(!flag.isSet)
    teardown.finish()
    #expect(flag.isSet)
  }

  @Test(
    "A multicast signal passes on the teardown of its source",
    arguments: [
      ("share", { @Sendable (source: Signal<Int>) in source.share() }),
      ("autoconnect", { @Sendable source in source.publish().autoconnect() }),
      ("replayLazily", { @Sendable source in Signal.defer { source.replayLazily() } }),
      ("replay", { @Sendable source in Signal.defer { source.replay() } }),
      ("nested", { @Sendable source in Signal.just(0).flatMap { _ in source.share() } }),
    ] as [(String, @Sendable (Signal<Int>) -> Signal<Int>)])
  func multicasting(name: String, multicast: @Sendable (Signal<Int>) -> Signal<Int>) {
    let slow = SlowTeardown()
    let shared = multicast(Signal<Int> { _, subscription in slow.add(to: subscription) })
    let first = CompoundDisposable()
    let last = CompoundDisposable()
    shared.observe(Observer(next: { _ in }, end: { _ in }), in: first)
    if name == "share" || name == "autoconnect" {
      // One who leaves while others stay has nothing to wait for.
      shared.observe(Observer(next: { _ in }, end: { _ in }), in: last)
      last.dispose()
      #expect(tornDown(last).isSet)
    }
    first.dispose()
    #expect(slow.hasBegun)
    let flag = tornDown(first)
    #expect(!flag.isSet)
    slow.finish()
    #expect(flag.isSet)
  }
}
