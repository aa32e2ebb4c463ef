import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let limiting = OperatorFamily(title: "Limiting", samples: byCount + byTest + byTime)

  private static let byCount: [OperatorSample] = [
    OperatorSample("take") { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.take(2))
    },
    OperatorSample("takeLast") { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.takeLast(2))
    },
    OperatorSample("skip") { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.skip(2))
    },
  ]

  private static let byTest: [OperatorSample] = [
    OperatorSample("takeWhile") { stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.takeWhile { $0 < 3 })
    },
    OperatorSample("takeUntil, a test", of: "takeUntil", in: "TakeWhile") { stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.takeUntil { $0 > 2 })
    },
    OperatorSample("skipWhile") { stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.skipWhile { $0 < 3 })
    },
    OperatorSample("skipUntil") { stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.skipUntil { $0 > 2 })
    },
    OperatorSample("distinctUntilChanged", of: "distinctUntilChanged()") { stage in
      let source = try stage.cold("-1-1-2-2-1|")
      try stage.record(source.distinctUntilChanged())
    },
  ]

  private static let byTime: [OperatorSample] = [
    OperatorSample("throttle") { stage in
      let (source, scheduler) = (try stage.cold("-123---4-|"), stage.scheduler)
      try stage.record(source.throttle(.seconds(2), on: scheduler))
    },
    OperatorSample("delay") { stage in
      let (source, scheduler) = (try stage.cold("-1-2|"), stage.scheduler)
      try stage.record(source.delay(.seconds(3), on: scheduler))
    },
    OperatorSample("timeout") { stage in
      let (source, scheduler) = (try stage.cold("-1-2-3-4|"), stage.scheduler)
      try stage.record(source.timeout(.seconds(4), on: scheduler))
    },
  ]
}
