import LuaRuntime
import Reactive

extension Library {
  /// Functions that make one signal of several.
  static let combination: [APIFunction] = [
    APIFunction(
      "merge", [.variadic("signals", .signal)], returns: .signal,
      "The values of several signals as they come; it completes when all have."
    ) { call in
      let signals = try call.signals(1...)
      return call.newSignal(holding: 1..<(call.count + 1)) { _ in .merge(signals) }
    },
    APIFunction(
      "concat", [.variadic("signals", .signal)], returns: .signal,
      "The values of several signals, one signal after the other."
    ) { call in
      let signals = try call.signals(1...)
      return call.newSignal(holding: 1..<(call.count + 1)) { _ in .concat(signals) }
    },
    APIFunction(
      "combine_latest", [.variadic("signals", .either(.signal, .function))], returns: .signal,
      "A tuple of the latest value of each signal, or what a function given last makes of them, whenever one sends."
    ) { call in
      try call.combined { .combineLatest($0) }
    },
    APIFunction(
      "zip", [.variadic("signals", .either(.signal, .function))], returns: .signal,
      "A tuple of the first values of each signal, then of the second, …, or what a function given last makes of them."
    ) { call in
      try call.combined { .zip($0) }
    },
    APIFunction(
      "tuple", [.variadic("values", .any)], returns: .table,
      "A tuple: `.n`, `[i]`, `:unpack()`, compared by value."
    ) { call in
      call.returning(call.host.tuple((0..<call.count).map { call.value(at: $0 + 1) }))
    },
  ]
}

extension APICall {
  /// The arguments from an index on, all signals.
  func signals(_ range: PartialRangeFrom<Int>) throws -> [Signal<LuaValue>] {
    guard range.lowerBound <= count else { return [] }
    return try (range.lowerBound...count).map { try signal(at: $0) }
  }

  /// Signals, and after them perhaps a function that reduces their values to one.
  fileprivate func combined(
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
          do {
            return try reducer.call { stack in
              guard stack.ensure(values.count + 2) else { return 0 }
              for value in values { stack.push(value) }
              return values.count
            }
          } catch {
            fail(error)
            return .nil
          }
        }
      }
    }
  }
}
