import Reactive

/// W4: a value makes a signal of one value, and what all of them send is merged.
func flatMapWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 200_000,
    ours: sendThroughFlatMap(type),
    floor: {
      let sink = Sink<Value>()
      let subject = HandWrittenSubject<Value>()
      let merging = HandWrittenMerging<Value> { sink.receive($0) }
      subject.subscribe { merging.add(HandWrittenValue($0.plus(1))) }
      return { for number in 0..<$0 { subject.send(Value(number: number)) } }
    })
}

/// W4 beside closures under locks.
func flatMapOfClosuresWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 200_000,
    ours: sendThroughFlatMap(type),
    floor: {
      let sink = Sink<Value>()
      let subject = HandWrittenSubject<Value>()
      let merging = ClosureMerging<Value>({ sink.receive($0) }, {})
      subject.subscribe { merging.add(ClosureSignal(just: $0.plus(1))) }
      return { for number in 0..<$0 { subject.send(Value(number: number)) } }
    })
}

private func sendThroughFlatMap<Value: BenchmarkValue>(
  _ type: Value.Type
) -> () -> (_ units: Int) -> Void {
  {
    let sink = Sink<Value>()
    let subject = Subject<Value>()
    subject.flatMap { .just($0.plus(1)) }.subscribe(next: { sink.receive($0) })
    return { for number in 0..<$0 { subject.sendNext(Value(number: number)) } }
  }
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
      first.subscribe { combining.sendFirst($0) }
      second.subscribe { combining.sendSecond($0) }
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
    ours: liveThroughSignals(type),
    floor: {
      let sink = Sink<Value>()
      return { units in
        for number in 0..<units {
          let block = HandWrittenBlock<Value> { subscriber in
            subscriber.send(Value(number: number))
            subscriber.end()
          }
          block.subscribe({ sink.receive($0) }, { sink.receive(Value(number: 1)) }).dispose()
        }
      }
    })
}

/// W7 beside closures, which put nothing in order.
func lifeOfClosuresWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 200_000,
    ours: liveThroughSignals(type),
    floor: {
      let sink = Sink<Value>()
      return { units in
        for number in 0..<units {
          let signal = ClosureSignal<Value> { receive, complete in
            receive(Value(number: number))
            complete()
          }
          signal.subscribe({ sink.receive($0) }, { sink.receive(Value(number: 1)) }).dispose()
        }
      }
    })
}

private func liveThroughSignals<Value: BenchmarkValue>(
  _ type: Value.Type
) -> () -> (_ units: Int) -> Void {
  {
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
  }
}
