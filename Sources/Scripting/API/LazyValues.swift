import LuaRuntime

extension Library {
  static let lazyFunctions: [APIFunction] = [
    APIFunction(
      "lazy", needs: [], [.required("f", .callback("async fun(): any"))],
      returns: .object(.lazy),
      "Returns a value that a function computes once, when it is first used: `value()` returns it, and `..` joins it to a text, which then becomes lazy too. It may be the `default` of a parameter, a variable in `env`, a word, a line, a step, or one of `sources`, `outputs` and `depfile`. If the function returns a signal, the value is everything that the signal sends; several lines form one text.",
      example: """
        local version = rac.lazy(function()
          print("computing")
          return rac.sh("echo v1.2")
        end)
        rac.exec{"echo", "release " .. version}:subscribe(print)
        print(version(), version())
        --> computing, v1.2	v1.2, release v1.2
        """
    ) { call in
      call.pushLazy(holding: [1], at: call.place) { host, position in
        host.lazyValues.make { LazyObject(host, number: $0, position: position) }
      }
    }
  ]

  static let lazyObject = APIObject(
    kind: .lazy, summary: "A value that is computed once, when it is first used.",
    metamethods: [
      APIFunction("__call", needs: [], "Waits for the value and returns it.") { call in
        let object = try call.lua.object(at: 1, Userdata.lazy)
        try object.await(by: call.host.context.run?.computed)
        return try call.wait(for: object.signal) { wait, value in wait.finish(.success([value])) }
      },
      APIFunction("__concat", needs: [], "Joins it to a text that is computed when it is used.") {
        call in
        let parts = try (1...2).map { index in
          let value = call.value(at: index)
          guard let text = value.argumentBytes ?? call.stack.lazyText(at: index),
            value.argumentBytes?.contains(0) != true
          else {
            throw LuaArgumentError.value(
              at: index,
              problem: "a string, a number or a value of rac.lazy expected, got "
                + call.stack.type(at: index).name)
          }
          return text
        }
        return call.pushLazy(holding: [1, 2], at: call.place) { host, position in
          LazyObject(host, joined: parts[0] + parts[1], position: position)
        }
      },
      APIFunction("__tostring", needs: [], "The text of the value, once it is computed.") { call in
        let object = try call.lua.object(at: 1, Userdata.lazy)
        guard let value = object.value else {
          throw SourceLocation(text: object.position).failure(
            "the value of rac.lazy is not computed yet; a call computes it, as in 'version()'")
        }
        return call.returning(.string(call.host.describe(value)))
      },
    ], overloads: ["fun(): any"])
}

extension APICall {
  /// Pushes a value of `rac.lazy`, which keeps some arguments.
  fileprivate func pushLazy(
    holding arguments: [Int], at place: SourceLocation,
    _ make: (ScriptHost, String) -> LazyObject
  ) -> LuaOutcome {
    let object = make(host, place.text ?? "?")
    let held =
      arguments + Array(repeating: stack.top + 1, count: LazyObject.Slot.value - arguments.count)
    object.become(push(object, as: Userdata.lazy, holding: held))
    return .results(1)
  }
}
