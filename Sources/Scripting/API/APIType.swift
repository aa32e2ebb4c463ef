/// The type of a parameter or result of the Lua library, for checks, stubs and documentation.
enum APIType: Sendable, Equatable {
  case any, boolean, integer, number, string, table, function
  case object(ObjectKind)
  /// Either type.
  indirect case either(APIType, APIType)

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
    }
  }

  static let signal = APIType.object(.signal)
}

/// The kinds of userdata that scripts meet.
enum ObjectKind: String, Sendable, CaseIterable {
  case signal, subject, command, execution, group, connection, scheduler, disposable, subscriber

  /// The kind whose members this one has too.
  var parent: ObjectKind? {
    switch self {
    case .subject, .execution, .group: .signal
    default: nil
    }
  }
}
