import LuaRuntime
import Reactive

extension Library {
  /// Operators on signals of signals.
  static let flattening: [APIFunction] = [
    APIFunction(
      "flat_map", needs: [], [.required("f", .callback("fun(value: T): rac.Signal<U>"))],
      returns: .signal(of: "U"),
      "The values of the signals that a function makes of each value, as they come."
    ) { call in
      try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.flatMap(into: { value, merging in
          do {
            switch try callback.made(of: value) {
            case .just(let value): merging.send(value)
            case .signal(let signal): merging.add(signal)
            case .other(let type):
              throw callback.returned(
                type, from: "the function of flat_map", insteadOf: "a signal")
            }
          } catch { fail(error) }
        })
      }
    },
    APIFunction(
      "bind", needs: [],
      [.required("f", .callback("fun(): (fun(value: T): rac.Signal<U>?, boolean?)"))],
      returns: .signal(of: "U"),
      "The values of the signals that a function makes of each value, as they come, until it returns nil or, as a second result, true. `f` makes that function, one for each subscription."
    ) { call in
      try call.bound()
    },
    APIFunction(
      "flatten", needs: [], [.optional("max_concurrent", .integer)], returns: .signal(of: "any"),
      "The values of the signals that this one sends; of at most so many at a time, all without."
    ) { call in
      let limit = call.has(2) ? try call.count(at: 2, atLeast: 0) : 0
      return try call.liftInner("flatten") { $0.flatten(limit) }
    },
    APIFunction(
      "switch_to_latest", needs: [], returns: .signal(of: "any"),
      "The values of the latest signal that this one sent."
    ) { call in
      try call.liftInner("switch_to_latest") { $0.switchToLatest() }
    },
    APIFunction(
      "concat", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "This signal's values and then those of others; of the signals that this one sends without."
    ) { call in
      guard call.count > 1 else { return try call.liftInner("concat") { $0.concat() } }
      let signals = try call.signals(1...)
      return try call.join { _ in .concat(signals) }
    },
    APIFunction(
      "merge", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "This signal's values and those of others as they come; of the signals that this one sends without."
    ) { call in
      guard call.count > 1 else { return try call.liftInner("merge") { $0.flatten() } }
      let signals = try call.signals(1...)
      return try call.join { _ in .merge(signals) }
    },
    APIFunction(
      "group_by", needs: [],
      [
        .required("f", .callback("fun(value: T): any")),
        .optional("transform", .callback("fun(value: T): U")),
      ],
      returns: .signal(of: "rac.Group<T>"),
      "A signal with a `key` for each key that a function makes of the values, with what `transform` makes of them."
    ) { call in
      let hasTransform = call.has(3)
      return try call.lift { upstream, node, fail in
        let key = node.transform(2, fail)
        let groups =
          hasTransform
          ? upstream.groupBy(key, transform: node.transform(3, fail)) : upstream.groupBy(key)
        return groups.map { group in
          node.host.value { $0.push(GroupObject(group), as: Userdata.group) }
        }
      }
    },
  ]

  static let groupObject = APIObject(
    kind: .group, summary: "The values of one key, as `group_by` sends them.",
    properties: [
      APIProperty("key", needs: [], .any, "What the values have in common.") { call in
        call.returning(try call.lua.object(at: 1, Userdata.group).key)
      }
    ])
}

extension APICall {
  fileprivate func bound() throws -> LuaOutcome {
    try lift { upstream, node, fail in
      let makeBinding = node.callback(2)
      let make: @Sendable () -> LuaValue? = {
        do {
          let binding = try makeBinding.call()
          if binding.type == .function { return binding }
          fail(
            makeBinding.returned(
              binding.type, from: "the function of bind", insteadOf: "a function"))
        } catch { fail(error) }
        return nil
      }
      return upstream.bind {
        let binding = make()
        return { value, stop in
          guard let binding else { return nil }
          do {
            let results = try node.host.interpreter.call(binding, [value], results: 2)
            stop = results[1].isTruthy
            return results[0].isNil
              ? nil : try makeBinding.signal(results[0], from: "the function made for bind")
          } catch {
            fail(error)
            return nil
          }
        }
      }
    }
  }

  /// Pushes a signal that an operator makes from a signal of signals.
  fileprivate func liftInner(
    _ name: String, _ lift: @escaping @Sendable (Signal<Signal<LuaValue>>) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let (host, place) = (host, place)
    return try self.lift { upstream in
      lift(
        upstream.tryMap { value in
          guard let signal = host.signal(from: value) else {
            throw place.failure("\(name) needs a signal of signals, got \(value.type.name)")
          }
          return signal.waitingForItsTurn(in: host)
        })
    }
  }
}
