import LuaRuntime
import Reactive

extension Library {
  /// Operators on several signals.
  static let combining: [APIFunction] = [
    APIFunction(
      "combine_latest", needs: [],
      [.variadic("signals", .either(.signal, .callback("fun(...: any): any")))],
      returns: .signal(of: "any"),
      "Like `rac.combine_latest` with this signal and others.",
      example: """
        rac.just("main"):combine_latest(rac.from{1, 2}):subscribe(print)
        --> (main, 1), (main, 2)
        """
    ) { call in
      try call.combined { .combineLatest($0) }
    },
    APIFunction(
      "zip", needs: [], [.variadic("signals", .either(.signal, .callback("fun(...: any): any")))],
      returns: .signal(of: "any"),
      "Like `rac.zip` with this signal and others.",
      example: """
        rac.from{"a", "b"}:zip(rac.range(1, 9), function(s, n) return s .. n end):subscribe(print)
        --> a1, b2
        """
    ) { call in
      try call.combined { .zip($0) }
    },
    APIFunction(
      "start_with", needs: [], [.optional("value", .value("T"))], returns: .signal(of: "T"),
      "Sends a value before all others.",
      example: """
        rac.range(1, 2):start_with("counting"):subscribe(print)
        --> counting, 1, 2
        """
    ) { call in
      try call.lift(values: [2]) { upstream, node, _ in upstream.startWith(node.userValue(2)) }
    },
    APIFunction(
      "and_then", needs: [],
      [.required("next", .either(.signal(of: "U"), .callback("fun(): rac.Signal<U>")))],
      returns: .signal(of: "U"),
      "Omits all values and, at completion, continues with another signal, or with the one that a function returns. RAC: `then`.",
      example: """
        rac.exec{"true"}:and_then(rac.just("built")):subscribe(print)
        --> built
        """
    ) { call in
      guard call.stack.type(at: 2) == .function else {
        let next = try call.signal(at: 2)
        return try call.join { $0.then { next } }
      }
      return try call.lift { upstream, node, _ in
        let callback = node.callback(2)
        return upstream.then {
          try callback.signal(try callback.call(), from: "the function of and_then")
        }
      }
    },
    APIFunction(
      "sample", needs: [], [.required("sampler", .signal)], returns: .signal(of: "T"),
      "Sends the latest value whenever another signal sends.",
      example: """
        local position, ask = rac.behavior_subject(1), rac.subject()
        position:sample(ask):subscribe(print)
        position:send_next(2)
        ask:send_next()
        --> 2
        """
    ) { call in
      let sampler = try call.signal(at: 2)
      return try call.join { $0.sample(sampler) }
    },
    APIFunction(
      "when", needs: [],
      [.required("if_true", .signal(of: "U")), .required("if_false", .signal(of: "U"))],
      returns: .signal(of: "U"),
      "Sends the values of one signal while this one's latest value is true, and of the other while it is false. RAC: `if:then:else:`.",
      example: """
        rac.just(false):when(rac.just("yes"), rac.just("no")):subscribe(print)
        --> no
        """
    ) { call in
      try call.choice()
    },
    APIFunction(
      "switch", needs: [],
      [
        .required("cases", .table("table<any, rac.Signal<U>>")),
        .optional("default", .signal(of: "U")),
      ], returns: .signal(of: "U"),
      "Sends the values of the signal that a table maps the latest value to, or of the default.",
      example: """
        rac.from{"start", "stop"}
          :switch{start = rac.just("running"), stop = rac.just("stopped")}:subscribe(print)
        --> running, stopped
        """
    ) { call in
      try call.switched()
    },
  ]

  /// The same operators as functions.
  static let choices: [APIFunction] = [
    APIFunction(
      "when", needs: [],
      [
        .required("condition", .signal), .required("if_true", .signal(of: "U")),
        .required("if_false", .signal(of: "U")),
      ], returns: .signal(of: "U"),
      "Sends the values of one signal while the condition's latest value is true, and of another while it is false. RAC: `if:then:else:`.",
      example: """
        local online = rac.from{true, false}
        rac.when(online, rac.just("fetch"), rac.just("use the cache")):subscribe(print)
        --> fetch, use the cache
        """
    ) { call in
      try call.choice()
    },
    APIFunction(
      "switch", needs: [],
      [
        .required("signal", .signal), .required("cases", .table("table<any, rac.Signal<U>>")),
        .optional("default", .signal(of: "U")),
      ],
      returns: .signal(of: "U"),
      "Sends the values of the signal that a table maps the latest value of another signal to, or of the default.",
      example: """
        local mode = rac.from{"fast", "unheard of"}
        rac.switch(mode, {fast = rac.just("-O3")}, rac.just("-O0")):subscribe(print)
        --> -O3, -O0
        """
    ) { call in
      try call.switched()
    },
  ]
}

extension APICall {
  fileprivate func choice() throws -> LuaOutcome {
    let first = try signal(at: 2)
    let second = try signal(at: 3)
    return try join { .if($0.map(\.isTruthy), then: first, else: second) }
  }

  fileprivate func switched() throws -> LuaOutcome {
    let fallback = has(3) ? try signal(at: 3) : nil
    let upstream = try signal(at: 1)
    stack.top = 3
    var cases: [LuaValue: Signal<LuaValue>] = [:]
    var problem: LuaArgumentError?
    // The signals are stored apart from the table, which may change.
    try stack.forEachPair(at: 2) { stack throws(LuaError) in
      guard let object = stack.object(at: -1, Userdata.signal) else {
        problem = .value(
          at: 2, problem: "the cases must be signals, got \(stack.type(at: -1).name)")
        return false
      }
      host.noteObserved(object)
      cases[stack.value(at: -2)] = object.signal
      return true
    }
    if let problem { throw problem }
    let first = stack.top + 1
    guard stack.ensure(cases.count + 10), cases.count < 100 else {
      throw LuaArgumentError.value(at: 2, problem: "at most 99 cases expected")
    }
    try stack.forEachPair(at: 2) { stack throws(LuaError) in
      stack.copy(from: -1)
      stack.insert(at: first)
      return true
    }
    let place = place
    let held = [1, 3] + Array(first..<(stack.top + 1))
    return newSignal(holding: held) { [cases] node in
      node.fallible { fail in
        upstream.map { key -> Signal<LuaValue> in
          if let signal = cases[key] ?? fallback { return signal }
          let text = node.host.describe(key)
          fail(place.failure("switch has no signal for the key '\(text)', and no default"))
          return .never()
        }.switchToLatest()
      }
    }
  }

  /// Returns signals, optionally followed by a function that reduces their values to one.
  func combined(
    _ combine: @escaping @Sendable ([Signal<LuaValue>]) -> Signal<[LuaValue]>
  ) throws -> LuaOutcome {
    let hasReducer = count > 0 && stack.type(at: count) == .function
    let signalCount = hasReducer ? count - 1 : count
    let signals = try (0..<signalCount).map { try signal(at: $0 + 1) }
    let slot = count
    return newSignal(holding: 1..<(count + 1)) { node in
      guard hasReducer else { return combine(signals).map { node.host.tuple($0) } }
      let reducer = node.callback(slot)
      return node.fallible { fail in
        combine(signals).map { values in
          do { return try reducer.call(values) } catch {
            fail(error)
            return .nil
          }
        }
      }
    }
  }
}
