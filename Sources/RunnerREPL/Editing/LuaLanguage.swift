import LineEditor
import LuaRuntime
import RunnerCore

/// Editor support for Lua and the `:` commands.
final class LuaLanguage: EditorDelegate {
  private unowned let repl: Repl

  init(_ repl: Repl) { self.repl = repl }

  func isComplete(_ text: String) -> Bool { repl.isWhole(Array(text.utf8)) }

  func completions(of buffer: EditBuffer) -> CompletionList {
    Completer(repl.workspace).completions(of: buffer.textBeforeCursor).list
  }

  func highlights(of buffer: EditBuffer) -> [StyledRange] {
    guard !Entry(Array(buffer.text.utf8)).isMeta else { return [] }
    let members = LuaMembers(repl.workspace)
    return LuaHighlighter(isKnown: members.isKnown).highlights(of: buffer)
  }

  /// The signature of the function whose arguments are being typed.
  func hint(for buffer: EditBuffer) -> String? {
    guard 1...10_000 ~= buffer.cursor else { return nil }
    let before = Array(buffer.textBeforeCursor.utf8)
    guard !Entry(before).isMeta else { return nil }
    let tokens = Array(LuaTokens(before))
    if let last = tokens.last, last.kind == .unfinished || last.kind == .comment { return nil }
    guard let call = innermostCall(before, tokens), call > 0 else { return nil }
    let lead = Array(tokens[..<call])
    let members = LuaMembers(repl.workspace, EntryScope(before, lead))
    guard
      let path = MemberPath(Array(before[..<tokens[call].range.lowerBound]), lead),
      !path.typed.isEmpty
    else { return nil }
    return members.signature(of: path)
  }

  /// The opening token of the innermost argument list that is open at the end of a text.
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

  /// The rest of the name, if only one name is possible.
  func suggestion(for text: String) -> String? {
    let bytes = Array(text.utf8)
    guard let last = bytes.last, LuaTokens.isName(last), !Entry(bytes).isMeta else { return nil }
    let tokens = Array(LuaTokens(bytes))
    guard tokens.last?.kind == .name, let path = MemberPath(bytes, tokens), path.typed.count >= 2
    else { return nil }
    let members = LuaMembers(repl.workspace, EntryScope(bytes, Array(tokens.dropLast())))
    let names = Set(members.candidates(of: path).map(\.text).filter { $0.hasPrefix(path.typed) })
    guard names.count == 1, let name = names.first, LuaQuoting.isIdentifier(name) else {
      return nil
    }
    return String(name.dropFirst(path.typed.count))
  }

  // MARK: Indentation

  func indentation(after text: String, of line: String) -> Int? {
    let bytes = Array(text.utf8)
    let tokens = LuaTokens(bytes)
    var depth = 0
    for token in tokens {
      switch token.kind {
      case .name, .symbol: depth = max(0, depth + LuaBlock.change(by: tokens.text(token)))
      case .unfinished: return nil
      default: break
      }
    }
    let first = line.prefix { $0.isLetter || ")]}".contains($0) }
    if closesBlock(String(first)) { depth -= 1 }
    // A method chain is indented by one more step.
    if line.hasPrefix(":") { depth += 1 }
    return 2 * max(0, depth)
  }

  func reindents(_ word: String) -> Bool { word == ":" || closesBlock(word) }

  private func closesBlock(_ word: String) -> Bool {
    ["end", "else", "elseif", "until", ")", "]", "}"].contains(word)
  }
}
