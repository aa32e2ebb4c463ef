import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let combining = OperatorFamily(
    title: "Combining", samples: together + inTurn + untilAnother)

  private static let together: [OperatorSample] = [
    OperatorSample("combineLatest") { stage in
      let (a, b) = (
        try stage.cold("-1---2---|", "a"), try stage.cold("--a-b|", "b", of: String.self)
      )
      try stage.record(Signal.combineLatest(a, b), as: { "\($0.0)\($0.1)" })
    },
    OperatorSample("combineLatest with a function", of: "combineLatest(_:reduce:)") { stage in
      let (a, b) = (try stage.cold("-1---2---|", "a"), try stage.cold("--5-6|", "b"))
      try stage.record(Signal.combineLatest(a, b, reduce: { $0 + $1 }))
    },
    OperatorSample("zip") { stage in
      let (a, b) = (
        try stage.cold("-1-2-3-4|", "a"), try stage.cold("--a----b|", "b", of: String.self)
      )
      try stage.record(Signal.zip(a, b), as: { "\($0.0)\($0.1)" })
    },
    OperatorSample("zip with a function", of: "zip(_:reduce:)") { stage in
      let (a, b) = (try stage.cold("-1-2-3-4|", "a"), try stage.cold("--5----6|", "b"))
      try stage.record(Signal.zip(a, b, reduce: { $0 + $1 }))
    },
    OperatorSample("merge") { stage in
      let (a, b) = (try stage.cold("-1---2|", "a"), try stage.cold("--7-8--9|", "b"))
      try stage.record(Signal.merge(a, b))
    },
    OperatorSample("sample") { stage in
      let (source, sampler) = (
        try stage.cold("-1---2-3-|"), try stage.cold("--x-x--x-x", "sampler", of: String.self)
      )
      try stage.record(source.sample(sampler))
    },
  ]

  private static let inTurn: [OperatorSample] = [
    OperatorSample("concat", of: "concat(_:)") { stage in
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
    OperatorSample("startWith") { stage in
      let source = try stage.cold("-1-2|")
      try stage.record(source.startWith(0))
    },
    OperatorSample("then") { stage in
      let (source, other) = (try stage.cold("-1-2|"), try stage.cold("-7-8|", "other"))
      try stage.record(source.then { other })
    },
    OperatorSample("if, then, else", of: "if") { stage in
      let condition = try stage.cold("-t---f---|", "condition", of: Bool.self)
      let (a, b) = (try stage.cold("1-2-3-4|", "a"), try stage.cold("7-8-9|", "b"))
      try stage.record(Signal.if(condition, then: a, else: b))
    },
    OperatorSample("switch, cases, default", of: "switch") { stage in
      let keys = try stage.cold("-a---z-|", "keys", of: String.self)
      let (a, other) = (try stage.cold("1-2-3-4|", "a"), try stage.cold("7-8|", "other"))
      try stage.record(Signal.switch(keys, cases: ["a": a], default: other))
    },
  ]

  private static let untilAnother: [OperatorSample] = [
    OperatorSample("takeUntil, a trigger", of: "takeUntil", in: "TakeUntil") { stage in
      let source = try stage.cold("-1-2-3-4|")
      let trigger = try stage.cold("----x-x", "trigger", of: String.self)
      try stage.record(source.takeUntil(trigger))
    },
    OperatorSample("takeUntilReplacement") { stage in
      let source = try stage.cold("-1-2-3-4|")
      let replacement = try stage.cold("----7--8|", "replacement")
      try stage.record(source.takeUntilReplacement(replacement))
    },
  ]
}
