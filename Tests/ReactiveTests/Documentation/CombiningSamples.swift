import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let combining = OperatorFamily(
    title: "Combining", samples: together + inTurn + untilAnother)

  private static let together: [OperatorSample] = [
    OperatorSample("combineLatest", law: { source, other in Signal.combineLatest(source, other) }) {
      stage in
      let (a, b) = (
        try stage.cold("-1---2---|", "a"), try stage.cold("--a-b|", "b", of: String.self)
      )
      try stage.record(Signal.combineLatest(a, b), as: { "\($0.0)\($0.1)" })
    },
    OperatorSample("combineLatest with a function", of: "combineLatest(_:reduce:)") { stage in
      let (a, b) = (try stage.cold("-1---2---|", "a"), try stage.cold("--5-6|", "b"))
      try stage.record(Signal.combineLatest(a, b, reduce: { $0 + $1 }))
    },
    OperatorSample("zip", law: { source, other in Signal.zip(source, other) }) { stage in
      let (a, b) = (
        try stage.cold("-1-2-3-4|", "a"), try stage.cold("--a----b|", "b", of: String.self)
      )
      try stage.record(Signal.zip(a, b), as: { "\($0.0)\($0.1)" })
    },
    OperatorSample("zip with a function", of: "zip(_:reduce:)") { stage in
      let (a, b) = (try stage.cold("-1-2-3-4|", "a"), try stage.cold("--5----6|", "b"))
      try stage.record(Signal.zip(a, b, reduce: { $0 + $1 }))
    },
    OperatorSample("merge", law: { source, other in source.merge(other) }) { stage in
      let (a, b) = (try stage.cold("-1---2|", "a"), try stage.cold("--7-8--9|", "b"))
      try stage.record(Signal.merge(a, b))
    },
    OperatorSample("sample", law: { source, other in source.sample(other) }) { stage in
      let (source, sampler) = (
        try stage.cold("-1---2-3-|"), try stage.cold("--x-x--x-x", "sampler", of: String.self)
      )
      try stage.record(source.sample(sampler))
    },
  ]

  private static let inTurn: [OperatorSample] = [
    OperatorSample("concat", of: "concat(_:)", law: { source, other in source.concat(other) }) {
      stage in
      let (a, b) = (try stage.cold("-1-2|", "a"), try stage.cold("-7-8|", "b"))
      try stage.record(a.concat(b))
    },
    OperatorSample("merge of a signal of signals", of: "merge()") { stage in
      let source = try stage.signals(
        "-ab|", ["a": stage.cold("1-2|", "a"), "b": stage.cold("7-8|", "b")])
      try stage.record(source.merge())
    },
    OperatorSample("concat of a signal of signals", of: "concat()") { stage in
      let source = try stage.signals(
        "-ab|", ["a": stage.cold("1-2|", "a"), "b": stage.cold("7-8|", "b")])
      try stage.record(source.concat())
    },
    OperatorSample("startWith", law: { source, _ in source.startWith(0) }) { stage in
      let source = try stage.cold("-1-2|")
      try stage.record(source.startWith(0))
    },
    OperatorSample("then", law: { source, other in source.then { other } }) { stage in
      let (source, other) = (try stage.cold("-1-2|"), try stage.cold("-7-8|", "other"))
      try stage.record(source.then { other })
    },
    OperatorSample(
      "if, then, else", of: "if",
      law: { source, other in .if(source.map { $0 > 1 }, then: other, else: .never()) }
    ) { stage in
      let condition = try stage.cold("-t---f---|", "condition", of: Bool.self)
      let (a, b) = (try stage.cold("1-2-3-4|", "a"), try stage.cold("7-8-9|", "b"))
      try stage.record(Signal.if(condition, then: a, else: b))
    },
    OperatorSample(
      "switch, cases, default", of: "switch",
      law: { source, other in .switch(source, cases: [1: .never()], default: other) }
    ) { stage in
      let keys = try stage.cold("-a---z-|", "keys", of: String.self)
      let (a, other) = (try stage.cold("1-2-3-4|", "a"), try stage.cold("7-8|", "other"))
      try stage.record(Signal.switch(keys, cases: ["a": a], default: other))
    },
  ]

  private static let untilAnother: [OperatorSample] = [
    OperatorSample(
      "takeUntil, a trigger", of: "takeUntil", in: "TakeUntil",
      law: { source, other in source.takeUntil(other.filter { $0 > 100 }) }
    ) { stage in
      let source = try stage.cold("-1-2-3-4|")
      let trigger = try stage.cold("----x-x", "trigger", of: String.self)
      try stage.record(source.takeUntil(trigger))
    },
    OperatorSample(
      "takeUntilReplacement", law: { source, other in source.takeUntilReplacement(other) }
    ) { stage in
      let source = try stage.cold("-1-2-3-4|")
      let replacement = try stage.cold("----7--8|", "replacement")
      try stage.record(source.takeUntilReplacement(replacement))
    },
  ]
}
