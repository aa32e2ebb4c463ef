import LuaRuntime
import Reactive

extension Library {
  static let signalObject = APIObject(
    kind: .signal,
    summary: "A stream of values that ends with an error, with completion, or never.",
    methods: [subscribe] + operators + waiting, properties: [],
    metamethods: [
      APIFunction("__tostring", "The signal's name.") { call in
        let object = try call.lua.object(at: 1, Userdata.signal)
        return call.returning(.string("signal" + (object.name.map { ": \($0)" } ?? "")))
      }
    ])

  /// Operators, under RAC's meaning of the name.
  private static let operators: [APIFunction] = [
    APIFunction("map", [.required("f", .function)], returns: .signal, "Transforms each value.") {
      call in
      try call.newSignal { upstream, node, fail in upstream.map(node.transform(2, fail)) }
    },
    APIFunction(
      "filter", [.required("f", .function)], returns: .signal,
      "Lets values through that pass a test."
    ) { call in
      try call.newSignal { upstream, node, fail in upstream.filter(node.predicate(2, fail)) }
    },
    APIFunction(
      "scan", [.optional("seed", .any), .required("f", .function)], returns: .signal,
      "Combines each value with the result before, and sends every result."
    ) { call in
      let seed = call.value(at: 2)
      return try call.newSignal { upstream, node, fail in
        upstream.scan(seed, node.combine(3, fail))
      }
    },
    APIFunction(
      "take", [.required("count", .integer)], returns: .signal, "The first values, then completion."
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.newSignal { $0.take(count) }
    },
    APIFunction(
      "merge", [.variadic("signals", .signal)], returns: .signal,
      "The values of this and other signals as they come."
    ) { call in
      let signals = try call.signals(1...)
      return call.newSignal(holding: 1..<(call.count + 1)) { _ in .merge(signals) }
    },
  ]
}

extension APICall {
  /// A signal made of the one at 1 by an operator that calls no Lua function.
  fileprivate func newSignal(
    _ lift: (Signal<LuaValue>) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let upstream = try signal(at: 1)
    return newSignal(holding: [1]) { _ in lift(upstream) }
  }

  /// A signal made of the one at 1 by an operator whose functions, the other arguments, may fail.
  fileprivate func newSignal(
    _ lift:
      @escaping @Sendable (
        Signal<LuaValue>, SignalNode, @escaping SignalNode.Fail
      ) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let upstream = try signal(at: 1)
    return newSignal(holding: 1..<(count + 1)) { node in
      node.fallible { fail in lift(upstream, node, fail) }
    }
  }
}
