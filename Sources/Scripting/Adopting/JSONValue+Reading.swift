/// The parts of a document that another tool has written.
extension JSONValue {
  subscript(name: String) -> JSONValue? { fields.first { $0.0 == name }?.1 }

  var fields: [(String, JSONValue)] { if case .object(let fields) = self { fields } else { [] } }
  var elements: [JSONValue] { if case .list(let elements) = self { elements } else { [] } }
  var string: String? { if case .string(let string) = self { string } else { nil } }
  var isTrue: Bool { if case .bool(true) = self { true } else { false } }
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  var isNull: Bool { if case .null = self { true } else { false } }

  func text(or other: String) -> String { string ?? other }
}
