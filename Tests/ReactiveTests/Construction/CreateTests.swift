import Reactive
import ReactiveTesting
import Testing

@Suite("create")
struct CreateTests {
  @Test("The block runs for each subscription and its events arrive in order")
  func order() {
    let count = Counter()
    let signal = Signal<Int>.create { subscriber in
      count.increment()
      subscriber.sendNext(1)
      subscriber.sendNext(2)
      subscriber.sendCompleted()
      return nil
    }
    #expect(Recorder(signal).diagram == "(12|)")
    #expect(Recorder(signal).diagram == "(12|)")
    #expect(count.value == 2)
  }

  @Test("Nothing arrives after the end")
  func afterEnd() {
    let signal = Signal<Int>.create { subscriber in
      subscriber.sendError(MarbleError.failure)
      subscriber.sendNext(1)
      subscriber.sendCompleted()
      return nil
    }
    #expect(Recorder(signal).diagram == "#")
  }

  @Test("Nothing arrives after disposal")
  func afterDisposal() {
    let held = Held<Subscriber<Int>>()
    let recorder = Recorder(
      Signal<Int>.create { subscriber in
        held.value = subscriber
        return nil
      })
    held.value?.sendNext(1)
    recorder.dispose()
    held.value?.sendNext(2)
    held.value?.sendCompleted()
    #expect(recorder.diagram == "(1!)")
    #expect(held.value?.isDisposed == true)
  }

  @Test("What the block returns is disposed once: at the end or at disposal")
  func teardown() {
    let count = Counter()
    let ending = Signal<Int>.create { subscriber in
      subscriber.sendCompleted()
      return ActionDisposable { count.increment() }
    }
    ending.subscribe().dispose()
    #expect(count.value == 1)
    let open = Signal<Int>.create { _ in ActionDisposable { count.increment() } }
    let subscription = open.subscribe()
    #expect(count.value == 1)
    subscription.dispose()
    subscription.dispose()
    #expect(count.value == 2)
  }

  @Test("The subscription is disposed before its end is told")
  func rac() {
    let log = Log()
    let signal = Signal<Int>.create { subscriber in
      subscriber.disposable.add { log.add("disposed") }
      subscriber.sendCompleted()
      return nil
    }
    signal.subscribe(completed: { log.add("completed") })
    #expect(log.lines == ["disposed", "completed"])
  }

  @Test("A subscriber that outlives its subscription holds nothing downstream")
  func release() {
    let lives = Lives()
    let held = Held<Subscriber<Int>>()
    let signal = Signal<Int>.create { subscriber in
      held.value = subscriber
      return nil
    }
    let subscription = signal.subscribe(next: { [token = lives.token()] _ in token.touch() })
    #expect(lives.count == 1)
    subscription.dispose()
    #expect(lives.count == 0)
    signal.subscribe(next: { [token = lives.token()] _ in token.touch() })
    held.value?.sendCompleted()
    #expect(lives.count == 0)
  }

  @Test("Disposing the subscriber ends the subscription, also behind an operator")
  func disposingSubscriber() throws {
    for isBehindOperator in [false, true] {
      let log = Log()
      let block = Signal<Int>.create { subscriber in
        subscriber.sendNext(1)
        subscriber.dispose()
        subscriber.sendNext(2)
        subscriber.sendCompleted()
        return nil
      }
      let signal = isBehindOperator ? block.map { $0 } : block
      let subscription = try #require(
        signal.subscribe(onEvent: { log.add("\($0)") }) as? CompoundDisposable)
      #expect(log.lines == ["next(1)"])
      #expect(subscription.isDisposed)
    }
  }

  @Test("Returning the subscriber from the block changes nothing")
  func returningSubscriber() throws {
    for isBehindOperator in [false, true] {
      let count = Counter()
      let block = Signal<Int>.create { $0 }
      let signal = isBehindOperator ? block.map { $0 } : block
      let subscription = try #require(signal.subscribe() as? CompoundDisposable)
      subscription.addAsync { done in done() }
      subscription.dispose()
      subscription.whenTornDown { count.increment() }
      #expect(count.value == 1)
    }
  }

  @Test(
    "A subscriber to which its own subscription was added has an end", .timeLimit(.minutes(1)))
  func ownSubscription() throws {
    let count = Counter()
    let signal = Signal<Int>.create { subscriber in
      subscriber.add(subscriber.disposable)
      subscriber.addAsync { done in done() }
      return nil
    }
    let subscription = try #require(signal.map { $0 }.subscribe() as? CompoundDisposable)
    subscription.dispose()
    subscription.whenTornDown { count.increment() }
    #expect(count.value == 1)
  }

  @Test("Disposal from inside a value stops a synchronous block")
  func inside() {
    let signal = Signal<Int>.create { subscriber in
      for value in 0..<10 { subscriber.sendNext(value) }
      subscriber.sendCompleted()
      return nil
    }
    #expect(disposed(signal, by: { $0 == 2 }).diagram == "(012!)")
  }

  @Test("A re-entrant send is delivered after the event that it was sent from")
  func reentrantSend() {
    let log = Log()
    let signal = Signal<Int>.create { subscriber in
      subscriber.disposable.add { log.add("disposed") }
      subscriber.sendNext(3)
      log.add("sent 3")
      return nil
    }
    let held = Held<Subscriber<Int>>()
    Signal<Int>.create { subscriber in
      held.value = subscriber
      return signal.subscribe(next: { subscriber.sendNext($0) })
    }
    .subscribe(
      next: { value in
        log.add("begin \(value)")
        if value > 0 { held.value?.sendNext(value - 1) } else { held.value?.sendCompleted() }
        log.add("end \(value)")
      }, completed: { log.add("completed") })
    #expect(
      log.lines == [
        "begin 3", "end 3", "begin 2", "end 2", "begin 1", "end 1", "begin 0", "end 0",
        "completed", "sent 3", "disposed",
      ])
  }

  @Test("What waits is dropped and released by an end that was sent before it, and by disposal")
  func droppedWhileWaiting() {
    let lives = Lives()
    let ends = Counter()
    let held = Held<Subscriber<Lives.Token>>()
    let signal = Signal<Lives.Token>.create { subscriber in
      held.value = subscriber
      return nil
    }
    let received = Counter()
    signal.subscribe(
      next: { _ in
        received.increment()
        held.value?.sendCompleted()
        held.value?.sendNext(lives.token())
        held.value?.sendCompleted()
        #expect(held.value?.isDisposed == false)
      }, completed: { ends.increment() })
    held.value?.sendNext(lives.token())
    #expect((received.value, ends.value, lives.count) == (1, 1, 0))

    let subscription = SerialDisposable()
    subscription.inner = signal.subscribe(next: { _ in
      received.increment()
      held.value?.sendNext(lives.token())
      subscription.dispose()
      held.value?.sendNext(lives.token())
    })
    held.value?.sendNext(lives.token())
    #expect((received.value, lives.count) == (2, 0))
    #expect(held.value?.isDisposed == true)
  }

  @Test("Threads that send at once are received one event at a time", .timeLimit(.minutes(5)))
  func concurrentSends() async {
    let rounds = 2_000
    for _ in 0..<5 {
      let held = Held<Subscriber<Int>>()
      let signal = Signal<Int>.create { subscriber in
        held.value = subscriber
        return nil
      }
      let recorder = Recorder(signal.scan([]) { $0.suffix(10) + [$1] })
      await onThreads(4) { number in
        for place in 0..<rounds { held.value?.sendNext(number * rounds + place) }
      }
      #expect(recorder.values.count == 4 * rounds)
      held.value?.sendCompleted()
      #expect(recorder.violations == [])
      #expect(recorder.entries.last?.event.isTerminal == true)
    }
  }

  @Test(
    "An end that is sent beside values comes after those received, once", .timeLimit(.minutes(5)))
  func concurrentEnd() async {
    for _ in 0..<100 {
      let lives = Lives()
      let held = Held<Subscriber<Int>>()
      let signal = Signal<Int>.create { subscriber in
        held.value = subscriber
        return nil
      }
      let recorder = Recorder(
        signal.collect().map { [token = lives.token()] values in
          token.touch()
          return values.count
        })
      await onThreads(4) { _ in
        for place in 0..<20 { held.value?.sendNext(place) }
        held.value?.sendCompleted()
      }
      #expect(recorder.violations == [])
      #expect(recorder.values.count == 1)
      #expect(lives.count == 0)
    }
  }

  @Test(
    "A disposal while another thread sends cuts the stream once and releases everything",
    .timeLimit(.minutes(5)))
  func contention() async {
    for _ in 0..<300 {
      let lives = Lives()
      let held = Held<Subscriber<Int>>()
      let signal = Signal<Int>.create { subscriber in
        held.value = subscriber
        return nil
      }
      let ends = Counter()
      let subscription = signal.subscribe(
        next: { [token = lives.token()] _ in token.touch() }, completed: { ends.increment() })
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for value in 0..<50 { held.value?.sendNext(value) }
          held.value?.sendCompleted()
          held.value?.sendCompleted()
        }
        group.addTask { subscription.dispose() }
      }
      #expect(lives.count == 0)
      #expect(ends.value <= 1)
      #expect(held.value?.isDisposed == true)
    }
  }
}
