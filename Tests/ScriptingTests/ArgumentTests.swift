import Testing

@testable import Scripting

/// Every function of the API, called with something of a wrong type in each place.
@Suite("Arguments") struct ArgumentTests {
  /// A call that is right but for what a test changes.
  struct Call: CustomTestStringConvertible, Sendable {
    /// `rac.just` or `signal:map`.
    let name: String
    /// What makes the object, for a method.
    let object: String?
    let function: APIFunction

    var testDescription: String { name }
  }

  static let objects: [ObjectKind: String] = [
    .signal: "rac.empty()", .subject: "rac.subject()", .disposable: "rac.empty():subscribe()",
    .command: "rac.command(rac.just)", .execution: "rac.command(rac.empty):execute()",
    .group: "rac.just(1):group_by(function() return 1 end):first()",
    .connection: "rac.empty():publish()", .scheduler: "rac.scheduler.main",
    .testScheduler: "rac.test_scheduler()",
    .lazy: "rac.lazy(function() return 1 end)",
    .subscriber:
      "(function() local s; rac.create(function(x) s = x end):subscribe():dispose() return s end)()",
  ]

  static let calls: [Call] =
    ([Library.root] + Library.modules).flatMap { module in
      module.functions.map { Call(name: "\(module.path).\($0.name)", object: nil, function: $0) }
    }
    + Library.objects.flatMap { object in
      object.methods.map {
        Call(
          name: "\(object.kind.rawValue):\($0.name)", object: Self.objects[object.kind],
          function: $0)
      }
    }

  @Test("of a wrong type are refused in Lua's words", arguments: calls)
  func wrongType(_ call: Call) throws {
    for (position, parameter) in call.function.parameters.enumerated()
    where !parameter.type.isAny {
      let wrongs = [("true", "boolean"), ("coroutine.create(print)", "thread")]
      for (wrong, type) in wrongs where !parameter.type.takesBooleans {
        let before = call.function.parameters.prefix(position).map(\.type.sample)
        let message = try message(of: call, arguments: before + [wrong])
        #expect(
          message
            == "test:1: bad argument #\(position + 1) to '\(call.function.name)' "
            + "(\(parameter.type.name) expected, got \(type))")
      }
    }
  }

  @Test("that are missing are told of", arguments: calls)
  func missing(_ call: Call) throws {
    let required = call.function.parameters.prefix { !$0.isOptional }
    for position in required.indices where !required[position].type.isAny {
      let before = required.prefix(position).map(\.type.sample)
      let expected = required[position].type.name
      let start =
        "test:1: bad argument #\(position + 1) to '\(call.function.name)' (\(expected) expected, got "
      for (arguments, got) in [(before, "no value"), (before + ["nil"], "nil")] {
        #expect(try message(of: call, arguments: arguments) == start + got + ")")
      }
    }
  }

  @Test(
    "Methods are refused on what is not their object", arguments: calls.filter { $0.object != nil })
  func wrongObject(_ call: Call) throws {
    let object = try #require(call.object)
    let arguments = ["io.stdout"] + call.function.parameters.map(\.type.sample)
    let code = "local f = (\(object)).\(call.function.name) f(\(arguments.joined(separator: ", ")))"
    let message = try Script.run(code).failure?.message ?? "none"
    #expect(message.hasPrefix("test:1: bad argument #1 to 'f' ("), "\(message)")
    #expect(message.hasSuffix(" expected, got FILE*)"), "\(message)")
  }

  @Test("Properties are refused what they cannot be")
  func wrongProperty() throws {
    let result = try Script.run(
      "local c = rac.command(rac.just) c.allows_concurrent_execution = 'yes'")
    #expect(result.failure?.message.contains("must be a boolean, got string") == true)
  }

  private func message(of call: Call, arguments: [String]) throws -> String {
    let callee = call.object.map { "(\($0)):\(call.function.name)" } ?? call.name
    let code = "return \(callee)(\(arguments.joined(separator: ", ")))"
    // A tail call would have no place.
    return try Script.run("local r = " + code.dropFirst("return ".count)).failure?.message ?? "none"
  }
}

extension APIType {
  /// Lua code of a value of the type.
  fileprivate var sample: String {
    switch self {
    case .any: "1"
    case .boolean: "true"
    case .integer, .number: "1"
    case .string: "'text'"
    case .table: "{'true'}"
    case .function: "print"
    case .object(let kind): ArgumentTests.objects[kind] ?? "nil"
    case .either(let one, _): one.sample
    case .noted(let type, _): type.sample
    }
  }

  fileprivate var takesBooleans: Bool { self == .boolean || isAny }
}
