/// A chain of members at the end of a text: `rac.commands.build:ex`.
struct MemberPath {
  struct Step {
    let name: String
    /// Whether the member is called there, so that what follows belongs to its result.
    var isCalled = false
  }

  private(set) var steps: [Step] = []
  /// What stands between the last step and what is typed: `.`, `:` or nothing for a bare name.
  private(set) var separator = ""
  /// The beginning of the name looked for.
  private(set) var typed = ""

  /// - Returns: nil where no name can stand.
  init?(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) {
    let text = { (token: LuaTokens.Token) in String(decoding: bytes[token.range], as: UTF8.self) }
    var rest = tokens.filter { $0.kind != .comment }[...]
    if let last = rest.last, last.kind == .name, last.range.upperBound == bytes.count {
      typed = text(last)
      rest.removeLast()
    } else if let last = rest.last, last.kind == .number, last.range.upperBound == bytes.count {
      return nil
    }
    guard let mark = rest.last, mark.kind == .symbol, [".", ":"].contains(text(mark)) else {
      return
    }
    separator = text(mark)
    rest.removeLast()
    while let last = rest.popLast() {
      var step: Step
      if last.kind == .symbol, text(last) == ")" {
        var depth = 1
        while depth > 0, let inner = rest.popLast() {
          if inner.kind == .symbol { depth += text(inner) == ")" ? 1 : text(inner) == "(" ? -1 : 0 }
        }
        guard let function = rest.popLast(), function.kind == .name else { return nil }
        step = Step(name: text(function), isCalled: true)
      } else {
        guard last.kind == .name else { return nil }
        step = Step(name: text(last))
      }
      steps.insert(step, at: 0)
      guard let mark = rest.last, mark.kind == .symbol, [".", ":"].contains(text(mark)) else {
        return
      }
      rest.removeLast()
    }
    return nil
  }
}
