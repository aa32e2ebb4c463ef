import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let limiting = OperatorFamily(title: "Limiting", samples: byCount + byTest + byTime)

  private static let byCount: [OperatorSample] = [
    OperatorSample("take", singleSource: { source, _ in source.take(5) }) { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.take(2))
    },
    OperatorSample("takeLast", singleSource: { source, _ in source.takeLast(2) }) { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.takeLast(2))
    },
    OperatorSample("skip", singleSource: { source, _ in source.skip(1) }) { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.skip(2))
    },
  ]

  private static let byTest: [OperatorSample] = [
    OperatorSample("takeWhile", singleSource: { source, _ in source.takeWhile { $0 < 9 } }) {
      stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.takeWhile { $0 < 3 })
    },
    OperatorSample(
      "takeUntil, a test", of: "takeUntil", in: "TakeWhile",
      singleSource: { source, _ in source.takeUntil { $0 > 9 } }
    ) { stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.takeUntil { $0 > 2 })
    },
    OperatorSample("skipWhile", singleSource: { source, _ in source.skipWhile { $0 < 1 } }) {
      stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.skipWhile { $0 < 3 })
    },
    OperatorSample("skipUntil", singleSource: { source, _ in source.skipUntil { $0 > 1 } }) {
      stage in
      let source = try stage.cold("-1-2-3-1|")
      try stage.record(source.skipUntil { $0 > 2 })
    },
    OperatorSample(
      "distinctUntilChanged", of: "distinctUntilChanged()",
      singleSource: { source, _ in source.distinctUntilChanged() }
    ) { stage in
      let source = try stage.cold("-1-1-2-2-1|")
      try stage.record(source.distinctUntilChanged())
    },
  ]

  private static let byTime: [OperatorSample] = [
    OperatorSample(
      "throttle", singleSource: { source, scheduler in source.throttle(.seconds(1), on: scheduler) }
    ) { stage in
      let (source, scheduler) = (try stage.cold("-123---4-|"), stage.scheduler)
      try stage.record(source.throttle(.seconds(2), on: scheduler))
    },
    OperatorSample(
      "delay", singleSource: { source, scheduler in source.delay(.seconds(1), on: scheduler) }
    ) { stage in
      let (source, scheduler) = (try stage.cold("-1-2|"), stage.scheduler)
      try stage.record(source.delay(.seconds(3), on: scheduler))
    },
    OperatorSample(
      "timeout", singleSource: { source, scheduler in source.timeout(.seconds(99), on: scheduler) }
    ) { stage in
      let (source, scheduler) = (try stage.cold("-1-2-3-4|"), stage.scheduler)
      try stage.record(source.timeout(.seconds(4), on: scheduler))
    },
  ]
}
