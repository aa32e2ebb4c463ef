/// What was typed, taken apart: a `:` command or code, and whether it is to run in the background.
struct Entry {
  /// The text without a trailing `&`.
  let code: [UInt8]
  let isMeta: Bool
  /// Whether it ends in `&`; for a `:` command the command itself looks.
  let isBackground: Bool

  init(_ text: [UInt8]) {
    isMeta =
      text.first { !LuaTokens.isSpace($0) } == UInt8(ascii: ":") && !text.starts(with: [58, 58])
    guard !isMeta else {
      (code, isBackground) = (text, false)
      return
    }
    var last: LuaTokens.Token?
    for token in LuaTokens(text) where token.kind != .comment { last = token }
    if let last, last.kind == .symbol, text[last.range.lowerBound] == UInt8(ascii: "&") {
      isBackground = true
      code = Array(text[..<last.range.lowerBound])
    } else {
      isBackground = false
      code = text
    }
  }

  var isEmpty: Bool { code.allSatisfy(LuaTokens.isSpace) }

  /// The code as a job is called.
  var title: String {
    let words = String(decoding: code, as: UTF8.self).split { $0.isWhitespace }
    let text = words.joined(separator: " ")
    return text.count > 40 ? text.prefix(39) + "…" : text
  }
}
