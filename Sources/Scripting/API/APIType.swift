/// The type of a parameter or result of the Lua library, for checks, stubs and documentation.
enum APIType: Sendable, Equatable {
  case any, boolean, integer, number, string, table, function
  case object(ObjectKind)
  /// Either type.
  indirect case either(APIType, APIType)
  /// A type with more detail for editors and readers than the check uses: `fun(value: T): U`.
  /// Single capital letters are type variables.
  indirect case noted(APIType, String)

  /// The name in Lua's own messages.
  var name: String {
    switch self {
    case .any: "value"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .table: "table"
    case .function: "function"
    case .object(let kind): kind.rawValue
    case .either(let one, let other): "\(one.name) or \(other.name)"
    case .noted(let type, _): type.name
    }
  }

  /// The notation of the Lua language server.
  var annotation: String {
    switch self {
    case .any: "any"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .table: "table"
    case .function: "function"
    case .object(let kind): kind.className + (kind.isGeneric ? "<any>" : "")
    case .either(let one, let other): "\(one.annotation)|\(other.annotation)"
    case .noted(_, let text): text
    }
  }

  /// True if it is the type of any value, with or without notes.
  var isAny: Bool {
    switch self {
    case .any, .noted(.any, _): true
    default: false
    }
  }

  /// True if it is a signal, with or without notes.
  var isSignal: Bool {
    switch self {
    case .object(.signal), .noted(.signal, _): true
    default: false
    }
  }

  static let signal = APIType.object(.signal)

  /// Returns the type of a signal whose values have a type.
  static func signal(of value: String) -> APIType { .noted(.signal, "rac.Signal<\(value)>") }

  /// Returns the type of a function with a signature.
  static func callback(_ signature: String) -> APIType { .noted(.function, signature) }

  /// Returns the type of any value, with a name.
  static func value(_ type: String) -> APIType { .noted(.any, type) }

  /// Returns the type of a table, with a name.
  static func table(_ type: String) -> APIType { .noted(.table, type) }
}

/// The kinds of userdata that scripts use.
enum ObjectKind: String, Sendable, CaseIterable {
  case signal, subject, command, execution, group, connection, scheduler, disposable, subscriber
  case lazy
  case testScheduler = "test scheduler"

  /// The kind whose members this one inherits.
  var parent: ObjectKind? {
    switch self {
    case .subject, .execution, .group: .signal
    case .testScheduler: .scheduler
    default: nil
    }
  }

  /// The name of its class for editors: `rac.TestScheduler`.
  var className: String {
    "rac."
      + rawValue.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined()
  }

  /// True if the class has a type variable, the type of its values.
  var isGeneric: Bool {
    switch self {
    case .signal, .subject, .group, .connection, .subscriber: true
    default: false
    }
  }
}
