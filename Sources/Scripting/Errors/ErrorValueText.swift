import LuaRuntime

/// The text of a table that a script has raised: its fields in one line of limited length, with
/// control characters escaped and secrets masked. Calls no metamethods.
struct ErrorValueText {
  private let stack: LuaStack

  private static let deepest = 3
  private static let mostFields = 20
  private static let longest = 300

  init(_ stack: LuaStack) { self.stack = stack }

  /// Returns the text of the table at an index; nil for any other value. [-0, +0]
  func text(at index: Int) -> String? {
    guard stack.type(at: index) == .table else { return nil }
    let text = table(at: stack.absolute(index), depth: 1)
    return text.unicodeScalars.count <= Self.longest
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest - 1))) + "…"
  }

  private func table(at index: Int, depth: Int) -> String {
    guard depth <= Self.deepest, stack.ensure(16) else { return "{…}" }
    var elements: [(position: Int64, text: String)] = []
    var fields: [(key: String, text: String)] = []
    var isWhole = true
    try? stack.forEachPair(at: index) { stack throws(LuaError) in
      guard elements.count + fields.count < Self.mostFields else {
        isWhole = false
        return false
      }
      let text = self.value(at: stack.top, depth: depth)
      switch stack.value(at: -2) {
      case .integer(let position): elements.append((position, text))
      case .string(let name):
        fields.append((LuaLiteral.key(Secrets.masked(name.exactText)), text))
      case let key: fields.append(("[\(key.description)]", text))
      }
      return true
    }
    elements.sort { $0.position < $1.position }
    fields.sort { $0.key < $1.key }
    var parts = elements.enumerated().map { offset, element in
      element.position == offset + 1 ? element.text : "[\(element.position)] = \(element.text)"
    }
    parts += fields.map { "\($0.key) = \($0.text)" }
    if !isWhole { parts.append("…") }
    return "{\(parts.joined(separator: ", "))}"
  }

  private func value(at index: Int, depth: Int) -> String {
    switch stack.value(at: index) {
    // Masked before it is cut, so that no part of a secret is left.
    case .string(let text): LuaLiteral.text(Secrets.masked(text.exactText), limit: 100)
    case .reference(let reference) where reference.type == .table:
      table(at: index, depth: depth + 1)
    case let value: value.description
    }
  }
}
