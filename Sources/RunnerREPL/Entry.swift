import LuaRuntime
import RunnerCore

/// A parsed entry: a `:` command or code, in the foreground or the background.
struct Entry {
  /// The text without a trailing `&`.
  let code: [UInt8]
  let isMeta: Bool
  /// True if it ends in `&`; a `:` command checks this itself.
  let isBackground: Bool

  init(_ text: [UInt8]) {
    let text = Self.command(text) ?? text
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

  /// The `:` command that a non-Lua text stands for: `!ls`, `name?` and `name??`.
  private static func command(_ text: [UInt8]) -> [UInt8]? {
    let start = text.firstIndex { !LuaTokens.isSpace($0) } ?? text.endIndex
    if start < text.endIndex, text[start] == UInt8(ascii: "!") {
      return Array(":sh ".utf8) + text[(start + 1)...]
    }
    let end = (text.lastIndex { !LuaTokens.isSpace($0) } ?? -1) + 1
    let marks = text[..<end].reversed().prefix { $0 == UInt8(ascii: "?") }.count
    guard marks == 1 || marks == 2, start < end - marks else { return nil }
    let name = text[start..<end - marks]
    let isPath = name.allSatisfy { LuaTokens.isName($0) || ".:-".utf8.contains($0) }
    return isPath ? Array((marks == 1 ? ":doc " : ":source ").utf8) + name : nil
  }

  /// True for a call such as `rac.commands.build:execute{…}` and nothing else.
  var isExecution: Bool {
    let tokens = Array(LuaTokens(code)).filter { $0.kind != .comment }
    let words = tokens.map { String(decoding: code[$0.range], as: UTF8.self) }
    guard let path = MemberPath(whole: code, tokens), let last = path.steps.last, last.isCalled,
      last.name == "execute", path.steps.first?.name == words.first,
      let method = words.lastIndex(of: "execute")
    else { return false }
    return method > 0 && words[method - 1] == ":"
  }

  var isEmpty: Bool { code.allSatisfy(LuaTokens.isSpace) }

  /// The title of the code as a job.
  var title: String {
    let words = String(decoding: code, as: UTF8.self).split { $0.isWhitespace }
    let text = words.joined(separator: " ")
    return text.count > 40 ? text.prefix(39) + "…" : text
  }
}
