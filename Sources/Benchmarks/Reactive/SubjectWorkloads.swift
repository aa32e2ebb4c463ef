import Reactive

/// W1: one value through a subject, four operators and a sink.
func pipelineWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 500_000,
    ours: {
      let sink = Sink<Value>()
      let subject = Subject<Value>()
      subject.map { $0.times(3) }.filter { $0.number & 7 != 5 }.map { $0.plus(1) }
        .scan(Value(number: 0)) { $0.plus($1.number) }
        .subscribe(next: { sink.receive($0) })
      return { for number in 0..<$0 { subject.sendNext(Value(number: number)) } }
    },
    floor: {
      let sink = Sink<Value>()
      let subject = HandWrittenSubject<Value>()
      subject.subscribe(
        Stage.map(
          { $0.times(3) },
          Stage.filter(
            { $0.number & 7 != 5 },
            Stage.map(
              { $0.plus(1) },
              Stage.scan(
                Value(number: 0), { $0.plus($1.number) }, { sink.receive($0) })))))
      return { for number in 0..<$0 { subject.send(Value(number: number)) } }
    })
}

/// W2: one value to a hundred subscribers.
func fanOutWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  Workload(
    units: 2_000_000,
    ours: {
      let subject = Subject<Value>()
      for _ in 0..<100 {
        let sink = Sink<Value>()
        subject.subscribe(next: { sink.receive($0) })
      }
      return { for number in 0..<$0 / 100 { subject.sendNext(Value(number: number)) } }
    },
    floor: {
      let subject = HandWrittenSubject<Value>()
      for _ in 0..<100 {
        let sink = Sink<Value>()
        subject.subscribe { sink.receive($0) }
      }
      return { for number in 0..<$0 / 100 { subject.send(Value(number: number)) } }
    })
}

/// W3: a hundred thousand recorded values to late subscribers, one after the other.
func replayWorkload<Value: BenchmarkValue>(_ type: Value.Type) -> Workload {
  let recorded = 100_000
  return Workload(
    units: 2_000_000,
    ours: {
      let subject = ReplaySubject<Value>()
      for number in 0..<recorded { subject.sendNext(Value(number: number)) }
      return { units in
        for _ in 0..<units / recorded {
          let sink = Sink<Value>()
          subject.subscribe(next: { sink.receive($0) }).dispose()
        }
      }
    },
    floor: {
      let subject = HandWrittenReplay<Value>()
      for number in 0..<recorded { subject.send(Value(number: number)) }
      return { units in
        for _ in 0..<units / recorded {
          let sink = Sink<Value>()
          subject.subscribe { sink.receive($0) }
        }
      }
    })
}
