import LuaRuntime
import RunnerCore

/// A member chain at the end of a text: `rac.commands.build:ex`.
struct MemberPath {
  struct Step {
    let name: String
    /// True if the member is called, so that the next step belongs to its result.
    var isCalled = false
  }

  private(set) var steps: [Step] = []
  /// The separator between the last step and the typed name: `.`, `:`, or empty for a bare name.
  private(set) var separator = ""
  /// The typed beginning of the name.
  private(set) var typed = ""
  /// True if the chain begins with a string: `("%d"):`.
  private(set) var beginsWithString = false

  /// Parses the chain at the end of a text, up to the name that is being typed.
  ///
  /// - Returns: nil if no name can be there.
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
    // Two dots concatenate strings.
    if separator == ".", let before = rest.last, text(before) == ".",
      before.range.upperBound == mark.range.lowerBound
    {
      separator = ""
      return
    }
    guard readSteps(rest, text) else { return nil }
  }

  /// Parses the chain at the end of a text as a complete value.
  ///
  /// - Returns: nil if the text ends with another expression.
  init?(whole bytes: [UInt8], _ tokens: [LuaTokens.Token]) {
    let rest = tokens.filter { $0.kind != .comment }[...]
    guard !rest.isEmpty, readSteps(rest, { String(decoding: bytes[$0.range], as: UTF8.self) })
    else { return nil }
  }

  private mutating func readSteps(
    _ tokens: ArraySlice<LuaTokens.Token>, _ text: (LuaTokens.Token) -> String
  ) -> Bool {
    var rest = tokens
    while let last = rest.popLast() {
      var isCalled = false
      var name = last
      if last.kind == .string, let before = rest.last, before.kind == .name,
        !LuaMembers.keywords.contains(text(before))
      {
        // A call with a string: sh"ls".
        isCalled = true
        name = rest.removeLast()
      } else if last.kind == .string {
        beginsWithString = true
        return true
      } else if last.kind == .symbol, [")", "}"].contains(text(last)) {
        let closing = text(last)
        let start = rest
        guard Self.skip(to: closing == ")" ? "(" : "{", from: closing, &rest, text) else {
          return false
        }
        if let before = rest.last, before.kind == .name,
          !LuaMembers.keywords.contains(text(before))
        {
          isCalled = true
          name = rest.removeLast()
        } else {
          // ("text"):
          let inside = start.dropFirst(rest.count + 1)
          guard closing == ")", inside.count == 1, inside.first?.kind == .string else {
            return false
          }
          beginsWithString = true
          return true
        }
      } else if last.kind == .symbol, text(last) == "]" {
        guard let key = rest.popLast(), key.kind == .string, let open = rest.popLast(),
          text(open) == "[", !text(key).contains("\\"), text(key).first != "["
        else { return false }
        steps.insert(Step(name: String(text(key).dropFirst().dropLast())), at: 0)
        continue
      }
      guard name.kind == .name else { return false }
      steps.insert(Step(name: text(name), isCalled: isCalled), at: 0)
      guard let mark = rest.last, mark.kind == .symbol, [".", ":"].contains(text(mark)) else {
        return true
      }
      rest.removeLast()
    }
    return false
  }

  /// Skips the content between brackets, and the opening one.
  private static func skip(
    to open: String, from close: String, _ rest: inout ArraySlice<LuaTokens.Token>,
    _ text: (LuaTokens.Token) -> String
  ) -> Bool {
    var depth = 1
    while depth > 0 {
      guard let token = rest.popLast() else { return false }
      guard token.kind == .symbol else { continue }
      if text(token) == close { depth += 1 }
      if text(token) == open { depth -= 1 }
    }
    return true
  }
}
