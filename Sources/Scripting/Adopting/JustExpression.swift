/// The text of an expression of a justfile, from the nested lists of the dump.
enum JustExpression {
  static func text(of value: JSONValue) -> String {
    if let string = value.string { return literal(string) }
    let parts = value.elements
    guard let operation = parts.first?.string else { return value.text }
    let operands = Array(parts.dropFirst())
    switch operation {
    case "variable": return operands.first?.string ?? ""
    case "evaluate": return "`\(operands.first?.string ?? "")`"
    case "call": return call(operands.first?.string ?? "", operands.dropFirst())
    case "concatenate": return infix(operands, "+")
    case "join": return infix(operands, "/")
    case "and": return infix(operands, "&&")
    case "or": return infix(operands, "||")
    case "assert" where operands.count == 2:
      return "assert(\(condition(operands[0])), \(text(of: operands[1])))"
    case "if" where operands.count >= 2: return conditional(operands)
    case "format": return format(operands)
    default: return value.text
    }
  }

  private static func call(_ name: String, _ arguments: some Sequence<JSONValue>) -> String {
    "\(name)(\(arguments.map(text(of:)).joined(separator: ", ")))"
  }

  /// An absent first operand belongs to `/ "folder"`.
  private static func infix(_ operands: [JSONValue], _ sign: String) -> String {
    operands.map { $0.isNull ? "" : text(of: $0) }.joined(separator: " \(sign) ")
      .trimmingSpaces
  }

  private static func conditional(_ operands: [JSONValue]) -> String {
    var text = "if \(condition(operands[0])) { \(self.text(of: operands[1])) }"
    guard operands.count > 2 else { return text }
    let other = operands[2]
    let isChain = other.elements.first?.string == "if"
    text += isChain ? " else \(self.text(of: other))" : " else { \(self.text(of: other)) }"
    return text
  }

  private static func condition(_ value: JSONValue) -> String {
    let parts = value.elements
    guard parts.count == 3, let sign = parts[0].string else { return text(of: value) }
    return "\(text(of: parts[1])) \(sign) \(text(of: parts[2]))"
  }

  /// Texts and expressions in turns.
  private static func format(_ parts: [JSONValue]) -> String {
    let inner = parts.enumerated().map { index, part in
      index % 2 == 0 ? part.string ?? "" : "{{\(text(of: part))}}"
    }
    return "f'\(inner.joined())'"
  }

  private static func literal(_ text: String) -> String {
    text.contains("'") ? "\"\(text)\"" : "'\(text)'"
  }
}

extension String {
  fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}
