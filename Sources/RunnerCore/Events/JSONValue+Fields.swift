import Scripting

/// The parts of a JSON document that another program has written; nil for those of another type.
extension JSONValue {
  package subscript(field name: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.0 == name }?.1
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }

  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  package var seconds: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
}
