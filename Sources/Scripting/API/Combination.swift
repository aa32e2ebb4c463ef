import LuaRuntime
import Reactive

extension Library {
  /// Functions that combine several signals into one.
  static let combination: [APIFunction] = [
    APIFunction(
      "merge", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "Returns a signal of the values of several signals as they arrive; it completes when all of them have.",
      example: """
        rac.merge(rac.timer(0.02):map_replace("slow"), rac.just("fast")):subscribe(print)
        --> fast, slow
        """
    ) { call in
      let signals = try call.signals(1...)
      return call.newSignal(holding: 1..<(call.count + 1)) { _ in .merge(signals) }
    },
    APIFunction(
      "concat", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "Returns a signal of the values of several signals, one signal after the other.",
      example: """
        rac.concat(rac.timer(0.02):map_replace("slow"), rac.just("fast")):subscribe(print)
        --> slow, fast
        """
    ) { call in
      let signals = try call.signals(1...)
      return call.newSignal(holding: 1..<(call.count + 1)) { _ in .concat(signals) }
    },
    APIFunction(
      "combine_latest", needs: [],
      [.variadic("signals", .either(.signal, .callback("fun(...: any): any")))],
      returns: .signal(of: "any"),
      "Whenever one of several signals sends, sends a tuple of the latest value of each, or the result of a function given as the last argument.",
      example: """
        local width, height = rac.behavior_subject(3), rac.behavior_subject(4)
        rac.combine_latest(width, height, function(w, h) return w * h end):subscribe(print)
        width:send_next(5)
        --> 12, 20
        """
    ) { call in
      try call.combined { .combineLatest($0) }
    },
    APIFunction(
      "zip", needs: [], [.variadic("signals", .either(.signal, .callback("fun(...: any): any")))],
      returns: .signal(of: "any"),
      "Sends a tuple of the first values of each signal, then of the second, …, or the results of a function given as the last argument.",
      example: """
        rac.zip(rac.from{"red", "green"}, rac.from{0xF00, 0x0F0}):subscribe(print)
        --> (red, 3840), (green, 240)
        """
    ) { call in
      try call.combined { .zip($0) }
    },
    APIFunction(
      "tuple", needs: [], [.variadic("values", .any)], returns: .table("rac.Tuple"),
      "Returns a tuple: `.n`, `[i]`, `:unpack()`, compared by value.",
      example: """
        local point = rac.tuple(3, nil, 5)
        print(point, point.n, point == rac.tuple(3, nil, 5), point:unpack())
        --> (3, nil, 5)	3	true	3	nil	5
        """
    ) { call in
      call.returning(call.host.tuple((0..<call.count).map { call.value(at: $0 + 1) }))
    },
  ]
}

extension APICall {
  /// Returns the arguments from an index on, which must all be signals.
  func signals(_ range: PartialRangeFrom<Int>) throws -> [Signal<LuaValue>] {
    guard range.lowerBound <= count else { return [] }
    return try (range.lowerBound...count).map { try signal(at: $0) }
  }
}
