import LuaRuntime
import Reactive

extension Library {
  /// Operators on booleans, alone and in tuples.
  static let truths: [APIFunction] = [
    APIFunction(
      "negate", needs: [], returns: .signal(of: "boolean"),
      "Sends the negation of each value. RAC: `not`.",
      example: """
        rac.from{true, false}:negate():subscribe(print)
        --> false, true
        """
    ) {
      call in
      try call.lift { upstream in upstream.map { .bool(!$0.isTruthy) } }
    },
    APIFunction(
      "all_true", needs: [], returns: .signal(of: "boolean"),
      "Sends whether all elements of each tuple are true. RAC: `and`.",
      example: """
        rac.combine_latest(rac.just(true), rac.from{false, true}):all_true():subscribe(print)
        --> false, true
        """
    ) { call in
      try call.liftTruths("all_true") { $0.allSatisfy(\.isTruthy) }
    },
    APIFunction(
      "any_true", needs: [], returns: .signal(of: "boolean"),
      "Sends whether any element of each tuple is true. RAC: `or`.",
      example: """
        rac.combine_latest(rac.just(false), rac.from{false, true}):any_true():subscribe(print)
        --> false, true
        """
    ) { call in
      try call.liftTruths("any_true") { $0.contains(where: \.isTruthy) }
    },
    APIFunction(
      "any", needs: [], [.optional("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "boolean"),
      "Sends true at the first value that passes the test, otherwise false at completion.",
      example: """
        rac.from{"ok", "FAIL"}:any(function(line) return line == "FAIL" end):subscribe(print)
        --> true
        """
    ) { call in
      let hasTest = call.has(2)
      return try call.lift { upstream, node, fail in
        let verdict = hasTest ? upstream.any(node.predicate(2, fail)) : upstream.any()
        return verdict.map { .bool($0) }
      }
    },
    APIFunction(
      "all", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "boolean"),
      "Sends false at the first value that fails the test or at an error, otherwise true at completion.",
      example: """
        rac.from{"ok", "FAIL"}:all(function(line) return line == "ok" end):subscribe(print)
        --> false
        """
    ) { call in
      try call.lift { upstream, node, fail in
        upstream.all(node.predicate(2, fail)).map { LuaValue.bool($0) }
      }
    },
  ]
}

extension APICall {
  fileprivate func liftTruths(
    _ name: String, _ verdict: @escaping @Sendable ([LuaValue]) -> Bool
  ) throws -> LuaOutcome {
    let place = place
    return try lift { upstream, node, _ in
      upstream.tryMap { .bool(verdict(try node.host.tupleElements($0, for: name, at: place))) }
    }
  }
}
