/// The type of a parameter or result of the Lua library, for checks, stubs and documentation.
enum APIType: Sendable, Equatable {
  case any, boolean, integer, number, string, table, function
  case object(ObjectKind)
  /// Either type.
  indirect case either(APIType, APIType)
  /// A type of which an editor and a reader know more than the check looks at: `fun(value: T): U`.
  /// Single capital letters are type variables.
  indirect case noted(APIType, String)

  /// As Lua's own messages name it.
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

  /// As the Lua language server writes it.
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

  /// What there is of either type, without the notes.
  var isAny: Bool {
    switch self {
    case .any, .noted(.any, _): true
    default: false
    }
  }

  /// Whether it is a signal, with or without notes.
  var isSignal: Bool {
    switch self {
    case .object(.signal), .noted(.signal, _): true
    default: false
    }
  }

  static let signal = APIType.object(.signal)

  /// A signal of values of a type.
  static func signal(of value: String) -> APIType { .noted(.signal, "rac.Signal<\(value)>") }

  /// A function, by its signature.
  static func callback(_ signature: String) -> APIType { .noted(.function, signature) }

  /// Any value, by the name of its type.
  static func value(_ type: String) -> APIType { .noted(.any, type) }

  /// A table, by the name of its type.
  static func table(_ type: String) -> APIType { .noted(.table, type) }
}

/// The kinds of userdata that scripts meet.
enum ObjectKind: String, Sendable, CaseIterable {
  case signal, subject, command, execution, group, connection, scheduler, disposable, subscriber
  case testScheduler = "test scheduler"

  /// The kind whose members this one has too.
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

  /// Whether the class has a type variable, the type of its values.
  var isGeneric: Bool {
    switch self {
    case .signal, .subject, .group, .connection, .subscriber: true
    default: false
    }
  }
}
