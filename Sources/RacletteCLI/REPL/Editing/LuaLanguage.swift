import LineEditor
import LuaRuntime

/// Lua and the `:` commands, as the editor needs to know them.
final class LuaLanguage: EditorDelegate {
  private unowned let repl: Repl

  init(_ repl: Repl) { self.repl = repl }

  private var members: LuaMembers { LuaMembers(repl.workspace) }

  func isComplete(_ text: String) -> Bool { repl.isWhole(Array(text.utf8)) }

  func completions(of buffer: EditBuffer) -> CompletionList {
    Completer(repl.workspace).completions(of: buffer.textBeforeCursor).list
  }

  func highlights(of buffer: EditBuffer) -> [StyledRange] {
    guard !Entry(Array(buffer.text.utf8)).isMeta else { return [] }
    let members = members
    return LuaHighlighter(isKnown: members.isKnown).highlights(of: buffer)
  }

  /// The signature of the library's function whose arguments are being typed.
  func hint(for buffer: EditBuffer) -> String? {
    guard buffer.cursor <= 10_000 else { return nil }
    let before = Array(buffer.textBeforeCursor.utf8)
    guard !Entry(before).isMeta else { return nil }
    let tokens = Array(LuaTokens(before))
    if let last = tokens.last, last.kind == .unfinished || last.kind == .comment { return nil }
    guard let call = innermostCall(before, tokens), call > 0,
      let path = MemberPath(
        Array(before[..<tokens[call].range.lowerBound]), Array(tokens[..<call])),
      !path.typed.isEmpty, let entry = members.entry(of: path)
    else { return nil }
    return "\(entry.signature)  \(entry.firstSentence)"
  }

  /// The token that opens the arguments in which a text ends.
  private func innermostCall(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) -> Int? {
    var depth = 0
    for (index, token) in tokens.enumerated().reversed() where token.kind == .symbol {
      switch bytes[token.range.lowerBound] {
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth += 1
      case UInt8(ascii: "("):
        if depth == 0 { return index }
        depth -= 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 0 { return nil }
        depth -= 1
      default: break
      }
    }
    return nil
  }

  // MARK: Indentation

  func indentation(after text: String, of line: String) -> Int {
    let bytes = Array(text.utf8)
    let tokens = LuaTokens(bytes)
    var depth = 0
    for token in tokens {
      switch token.kind {
      case .name, .symbol: depth = max(0, depth + Nesting.change(by: tokens.text(token)))
      // Inside a long string the text is the user's.
      case .unfinished: return 0
      default: break
      }
    }
    let first = line.prefix { $0.isLetter || ")]}".contains($0) }
    if closesBlock(String(first)) { depth -= 1 }
    // A method chain goes on a step to the right.
    if line.hasPrefix(":") { depth += 1 }
    return 2 * max(0, depth)
  }

  func closesBlock(_ word: String) -> Bool {
    ["end", "else", "elseif", "until", ")", "]", "}"].contains(word)
  }
}
