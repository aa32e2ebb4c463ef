import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let construction = OperatorFamily(
    title: "Making signals",
    samples: [
      OperatorSample("create") { stage in
        try stage.record(
          Signal<Int>.create { subscriber in
            subscriber.sendNext(1)
            subscriber.sendNext(2)
            subscriber.sendCompleted()
            return nil
          })
      },
      OperatorSample("just") { try $0.record(Signal.just(1)) },
      OperatorSample("empty") { try $0.record(Signal<Int>.empty()) },
      OperatorSample("never") { try $0.record(Signal<Int>.never()) },
      OperatorSample("error") { try $0.record(Signal<Int>.error(MarbleError.failure)) },
      OperatorSample("defer") { stage in
        let (source, make) = (try stage.cold("-1-2|"), stage.effect("made"))
        let signal = try stage.apply(
          Signal.defer {
            make()
            return source
          })
        try stage.record(signal, from: 1)
      },
      OperatorSample("try, a call", of: "try", in: "Deferred") { stage in
        try stage.record(Signal.try { try parsed("7") })
      },
      OperatorSample("from, a sequence", of: "from(_:)", in: "FromSequence") { stage in
        try stage.record(Signal.from(1...3))
      },
      OperatorSample("from, on a scheduler", of: "from(_:on:)") { stage in
        let scheduler = stage.scheduler
        try stage.record(Signal.from(1...3, on: scheduler))
      },
      OperatorSample("from, an async sequence", of: "from", in: "AsyncValues") { stage in
        let elements = AsyncStream<Int> { continuation in
          for number in 1...3 { continuation.yield(number) }
          continuation.finish()
        }
        try await stage.recordInRealTime(Signal.from(elements))
      },
      OperatorSample("startEagerly") { stage in
        let (scheduler, work) = (stage.scheduler, stage.effect("started"))
        let signal = try stage.apply(
          Signal<Int>.startEagerly(on: scheduler) { subscriber in
            work()
            subscriber.sendNext(1)
            subscriber.sendCompleted()
          })
        try stage.record(signal, from: 3)
      },
      OperatorSample("startLazily") { stage in
        let (scheduler, work) = (stage.scheduler, stage.effect("started"))
        let signal = try stage.apply(
          Signal<Int>.startLazily(on: scheduler) { subscriber in
            work()
            subscriber.sendNext(1)
            subscriber.sendCompleted()
          })
        try stage.record(signal, from: 3)
      },
      OperatorSample("interval", frames: 8) { stage in
        let scheduler = stage.scheduler
        try stage.record(
          Signal.interval(.seconds(2), on: scheduler), as: { "\($0.components.seconds)" })
      },
      OperatorSample("timer") { stage in
        let scheduler = stage.scheduler
        try stage.record(
          Signal.timer(after: .seconds(4), on: scheduler), as: { "\($0.components.seconds)" })
      },
    ])
}

/// The integer that a text is.
private func parsed(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw MarbleError.failure }
  return number
}
