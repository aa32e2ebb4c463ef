import Reactive
import Synchronization

/// W4: a value makes a signal of one value, and what all of them send is merged.
func flatMapWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 200_000,
    ours: {
      let sink = Sink<Value>()
      let subject = Subject<Value>()
      subject.flatMap { .just($0.plus(1)) }.subscribe(next: { sink.receive($0) })
      return { for number in 0..<$0 { subject.sendNext(Value(number: number)) } }
    },
    floor: {
      let sink = Sink<Value>()
      let subject = HandWrittenSubject<Value>()
      let merging = HandWrittenMerging<Value>({ sink.receive($0) }, {})
      subject.subscribe { merging.add(HandWrittenSignal(just: $0.plus(1))) }
      return { for number in 0..<$0 { subject.send(Value(number: number)) } }
    })
}

/// W5: two subjects, whose latest values go to a sink in pairs.
func combineLatestWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 500_000,
    ours: {
      let sink = Sink<Value>()
      let first = Subject<Value>()
      let second = Subject<Value>()
      Signal.combineLatest(first, second).subscribe(next: { pair in
        sink.receive(pair.0)
        sink.receive(pair.1)
      })
      second.sendNext(Value(number: 0))
      return { units in
        for number in 0..<units / 2 {
          first.sendNext(Value(number: number))
          second.sendNext(Value(number: number))
        }
      }
    },
    floor: {
      let sink = Sink<Value>()
      let first = HandWrittenSubject<Value>()
      let second = HandWrittenSubject<Value>()
      let combining = HandWrittenCombining<Value> { one, other in
        sink.receive(one)
        sink.receive(other)
      }
      first.subscribe { value in combining.update { $0.first = value } }
      second.subscribe { value in combining.update { $0.second = value } }
      second.send(Value(number: 0))
      return { units in
        for number in 0..<units / 2 {
          first.send(Value(number: number))
          second.send(Value(number: number))
        }
      }
    })
}

/// W7: a signal from a block, from its creation to the disposal of its subscription.
func lifeWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 200_000,
    ours: {
      let sink = Sink<Value>()
      return { units in
        for number in 0..<units {
          let signal = Signal<Value>.create { subscriber in
            subscriber.sendNext(Value(number: number))
            subscriber.sendCompleted()
            return nil
          }
          signal.subscribe(
            next: { sink.receive($0) }, completed: { sink.receive(Value(number: 1)) }
          ).dispose()
        }
      }
    },
    floor: {
      let sink = Sink<Value>()
      return { units in
        for number in 0..<units {
          let signal = HandWrittenSignal<Value> { receive, complete in
            receive(Value(number: number))
            complete()
          }
          signal.subscribe({ sink.receive($0) }, { sink.receive(Value(number: 1)) }).dispose()
        }
      }
    })
}

/// What one would write by hand for a cold stream: a closure to start it, and for each subscription an
/// object that lets events through until it is over.
private final class HandWrittenSignal<Value: Sendable>: Sendable {
  typealias Receive = @Sendable (Value) -> Void
  typealias Complete = @Sendable () -> Void

  private let start: @Sendable (@escaping Receive, @escaping Complete) -> Void

  @inline(never)
  init(_ start: @escaping @Sendable (@escaping Receive, @escaping Complete) -> Void) {
    self.start = start
  }

  convenience init(just value: Value) {
    self.init { receive, complete in
      receive(value)
      complete()
    }
  }

  @inline(never)
  func subscribe(
    _ receive: @escaping Receive, _ complete: @escaping Complete
  ) -> HandWrittenSubscription {
    let subscription = HandWrittenSubscription()
    start(
      { if !subscription.isDisposed { receive($0) } },
      { if subscription.dispose() { complete() } })
    return subscription
  }
}

private final class HandWrittenSubscription: Sendable {
  private let disposed = Atomic<Bool>(false)

  var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  @discardableResult
  func dispose() -> Bool { !disposed.exchange(true, ordering: .acquiringAndReleasing) }
}

/// What one would write by hand to merge streams: a count and the subscriptions under a lock, and
/// another lock around the delivery.
private final class HandWrittenMerging<Value: Sendable>: Sendable {
  private struct State {
    var active = 1
    var number = 0
    var subscriptions: [Int: HandWrittenSubscription] = [:]
  }

  private let receive: @Sendable (Value) -> Void
  private let complete: @Sendable () -> Void
  private let state = Mutex(State())
  private let delivery = Mutex(())

  init(_ receive: @escaping @Sendable (Value) -> Void, _ complete: @escaping @Sendable () -> Void) {
    self.receive = receive
    self.complete = complete
  }

  @inline(never)
  func add(_ signal: HandWrittenSignal<Value>) {
    let number = state.withLock { state in
      state.active += 1
      state.number += 1
      return state.number
    }
    let subscription = signal.subscribe(
      { value in self.delivery.withLock { _ in self.receive(value) } },
      { self.leave(number) })
    if !subscription.isDisposed { state.withLock { $0.subscriptions[number] = subscription } }
  }

  private func leave(_ number: Int) {
    let isLast = state.withLock { state in
      state.active -= 1
      if !state.subscriptions.isEmpty { state.subscriptions[number] = nil }
      return state.active == 0
    }
    if isLast { complete() }
  }
}

/// What one would write by hand to combine two streams: the latest values under a lock, and a queue
/// for pairs that come while one is being delivered.
private final class HandWrittenCombining<Value: Sendable>: Sendable {
  struct State {
    var first: Value?
    var second: Value?
    var isDelivering = false
    var waiting: [(Value, Value)] = []

    var pair: (Value, Value)? {
      if let first, let second { (first, second) } else { nil }
    }
  }

  private let receive: @Sendable (Value, Value) -> Void
  private let state = Mutex(State())

  init(_ receive: @escaping @Sendable (Value, Value) -> Void) {
    self.receive = receive
  }

  @inline(__always)
  func update(_ change: (inout State) -> Void) {
    var next = state.withLock { state -> (Value, Value)? in
      change(&state)
      guard let pair = state.pair else { return nil }
      guard !state.isDelivering else {
        state.waiting.append(pair)
        return nil
      }
      state.isDelivering = true
      return pair
    }
    while let pair = next {
      receive(pair.0, pair.1)
      next = state.withLock { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.isDelivering = false
        return nil
      }
    }
  }
}
