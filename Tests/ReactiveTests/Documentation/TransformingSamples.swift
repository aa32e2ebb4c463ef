import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let transforming = OperatorFamily(
    title: "Transforming", samples: elementwise + folding + flattening + asking)

  private static let elementwise: [OperatorSample] = [
    OperatorSample("map", law: { source, _ in source.map { $0 } }) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.map { $0 * 2 })
    },
    OperatorSample("mapReplace", law: { source, _ in source.mapReplace(1) }) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.mapReplace("x"))
    },
    OperatorSample("filter", law: { source, _ in source.filter { $0 > 0 } }) { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(source.filter { $0 > 2 })
    },
    OperatorSample("ignore", law: { source, _ in source.ignore(1) }) { stage in
      let source = try stage.cold("-1-2-1-3|")
      try stage.record(source.ignore(1))
    },
    OperatorSample("ignoreValues", law: { source, _ in source.ignoreValues() }) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.ignoreValues())
    },
    OperatorSample("combinePrevious", law: { source, _ in source.combinePrevious(0) { $0 + $1 } }) {
      stage in
      let source = try stage.cold("-1-3-4|")
      try stage.record(source.combinePrevious(0) { $1 - $0 })
    },
    OperatorSample("reduceEach") { stage in
      let (a, b) = (try stage.cold("-1-2|", "a"), try stage.cold("--3-4|", "b"))
      try stage.record(Signal.zip(a, b).reduceEach { $0 + $1 })
    },
    OperatorSample("not") { stage in
      let source = try stage.cold("-t-f|", of: Bool.self)
      try stage.record(source.not())
    },
    OperatorSample("and") { stage in
      let (a, b) = (
        try stage.cold("t-----f|", "a", of: Bool.self), try stage.cold("f--t|", "b", of: Bool.self)
      )
      try stage.record(Signal.combineLatest([a, b]).and())
    },
    OperatorSample("or") { stage in
      let (a, b) = (
        try stage.cold("t-----f|", "a", of: Bool.self),
        try stage.cold("f--t-f|", "b", of: Bool.self)
      )
      try stage.record(Signal.combineLatest([a, b]).or())
    },
    OperatorSample("materialize", law: { source, _ in source.materialize() }) { stage in
      let source = try stage.cold("-1-2-#")
      try stage.record(source.materialize())
    },
    OperatorSample("dematerialize", law: { source, _ in source.materialize().dematerialize() }) {
      stage in
      let source = try stage.cold("-1-2-'#'-3", of: Event<Int>.self)
      try stage.record(source.dematerialize())
    },
  ]

  private static let folding: [OperatorSample] = [
    OperatorSample("scan", of: "scan(_:_:)", law: { source, _ in source.scan(0) { $0 + $1 } }) {
      stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.scan(0) { $0 + $1 })
    },
    OperatorSample("scan with index", of: "scan(_:withIndex:)") { stage in
      let source = try stage.cold("-2-2-2|")
      try stage.record(source.scan(0, withIndex: { $0 + $1 * $2 }))
    },
    OperatorSample(
      "aggregate", of: "aggregate(_:_:)", law: { source, _ in source.aggregate(0) { $0 + $1 } }
    ) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.aggregate(0) { $0 + $1 })
    },
    OperatorSample("aggregate with index", of: "aggregate(_:withIndex:)") { stage in
      let source = try stage.cold("-2-2-2|")
      try stage.record(source.aggregate(0, withIndex: { $0 + $1 * $2 }))
    },
    OperatorSample("aggregate in place", of: "aggregate(into:_:)") { stage in
      let source = try stage.cold("-2-1-3|")
      try stage.record(source.aggregate(into: 0) { $0 = max($0, $1) })
    },
    OperatorSample("aggregate with a new seed", of: "aggregate(makeSeed:_:)") { stage in
      let (source, made) = (try stage.cold("-1-2-3|"), stage.effect("made"))
      let sum = try stage.apply(
        source.aggregate(makeSeed: {
          made()
          return 0
        }) { $0 + $1 })
      try stage.record(sum)
    },
    OperatorSample("collect", law: { source, _ in source.collect() }) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.collect())
    },
    OperatorSample("count", law: { source, _ in source.count() }) { stage in
      let source = try stage.cold("-7-8-9|")
      try stage.record(source.count())
    },
    OperatorSample("buffer", law: { source, _ in source.buffer(.seconds(1), on: TestScheduler()) })
    { stage in
      let (source, scheduler) = (try stage.cold("-12---3-|"), stage.scheduler)
      try stage.record(source.buffer(.seconds(3), on: scheduler))
    },
  ]

  private static let flattening: [OperatorSample] = [
    OperatorSample(
      "flatMap", of: "flatMap(_:)", law: { source, other in source.flatMap { _ in other } }
    ) { stage in
      let source = try stage.cold("-a---b-|", of: String.self)
      let inner = ["a": try stage.cold("1--2--3|", "a"), "b": try stage.cold("7-8|", "b")]
      try stage.record(source.flatMap { inner[$0]! })
    },
    OperatorSample("flatMap, limited", of: "flatMap(maxConcurrent:_:)") { stage in
      let source = try stage.cold("-ab|", of: String.self)
      let inner = ["a": try stage.cold("1--2|", "a"), "b": try stage.cold("7-8|", "b")]
      try stage.record(source.flatMap(maxConcurrent: 1) { inner[$0]! })
    },
    OperatorSample("bind") { stage in
      let source = try stage.cold("-1-2-3-4|")
      try stage.record(
        source.bind {
          { value, stop in
            stop = value == 3
            return .from([value, value * 2])
          }
        })
    },
    OperatorSample("flatten") { stage in
      let source = try stage.signals(
        "-abc|",
        [
          "a": stage.cold("1---2|", "a"), "b": stage.cold("3--4|", "b"),
          "c": stage.cold("5-6|", "c"),
        ])
      try stage.record(source.flatten(2))
    },
    OperatorSample(
      "switchToLatest", law: { source, other in source.map { _ in other }.switchToLatest() }
    ) { stage in
      let source = try stage.signals(
        "-a---b-|", ["a": stage.cold("1-2-3-4|", "a"), "b": stage.cold("7--8|", "b")])
      try stage.record(source.switchToLatest())
    },
    OperatorSample("groupBy", of: "groupBy(_:)", law: { source, _ in source.groupBy { $0 % 2 } }) {
      stage in
      let source = try stage.cold("-1-2-3-4|")
      let groups = try stage.apply(source.groupBy { $0 % 2 == 0 ? "even" : "odd" })
      try stage.record(
        groups.doNext { group in stage.watchResult(group.key, group) }, as: { $0.key })
    },
    OperatorSample("groupBy with transform", of: "groupBy(_:transform:)") { stage in
      let source = try stage.cold("-1-2-3-4|")
      let groups = try stage.apply(
        source.groupBy({ $0 % 2 == 0 ? "even" : "odd" }, transform: { $0 * 2 }))
      try stage.record(
        groups.doNext { group in stage.watchResult(group.key, group) }, as: { $0.key })
    },
  ]

  private static let asking: [OperatorSample] = [
    OperatorSample("any", of: "any()", law: { source, _ in source.any { $0 > 100 } }) { stage in
      let source = try stage.cold("---1-2|")
      try stage.record(source.any())
    },
    OperatorSample("any with a test", of: "any(_:)") { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.any { $0 > 1 })
    },
    OperatorSample("all", law: { source, _ in source.all { $0 < 100 } }) { stage in
      let source = try stage.cold("-1-2-3|")
      try stage.record(source.all { $0 > 0 })
    },
  ]
}
