import LuaRuntime
import RunnerCore

/// Turns the locals of an entry into session variables, so that later entries can use them.
///
/// `local x = 1` outside any block becomes `x = 1`, with `x` declared as a variable of the
/// session's environment and not of the globals: loaded files and modules do not see it. A variable
/// with the attribute `<close>` stays a local, and is closed at the end of its entry.
struct SessionLocals {
  /// The text without the declarations, with the same lines.
  private(set) var text: [UInt8]
  /// The declared names, in order, and whether each is a constant.
  private(set) var names: [(name: String, isConstant: Bool)] = []

  init(_ source: [UInt8]) {
    text = source
    var scanner = LuaTokens(source)
    let tokens = Array(scanner).filter { $0.kind != .comment }
    scanner = LuaTokens(source)
    let words = tokens.map { $0.kind == .name || $0.kind == .symbol ? scanner.text($0) : "" }
    var depth = 0
    // Inserted from the end, so that ranges stay valid.
    var insertions: [Int] = []
    for index in tokens.indices where tokens[index].kind == .name {
      depth += LuaBlock.change(by: words[index])
      guard words[index] == "local", depth == 0,
        let declaration = Declaration(words, tokens, after: index)
      else { continue }
      names += declaration.names
      for range in declaration.attributes + [tokens[index].range] {
        text.replaceSubrange(range, with: repeatElement(32, count: range.count))
      }
      if let end = declaration.endWithoutValue { insertions.append(tokens[end].range.upperBound) }
    }
    for place in insertions.reversed() { text.insert(contentsOf: " = nil".utf8, at: place) }
  }
}

/// The declaration after a `local`.
private struct Declaration {
  private(set) var names: [(name: String, isConstant: Bool)] = []
  private(set) var attributes: [Range<Int>] = []
  /// The last token of a declaration without a value.
  private(set) var endWithoutValue: Int?

  init?(_ words: [String], _ tokens: [LuaTokens.Token], after index: Int) {
    let word = { (index: Int) in index < words.count ? words[index] : "" }
    let isName = { (index: Int) in index < tokens.count && tokens[index].kind == .name }
    if word(index + 1) == "function" {
      guard isName(index + 2) else { return nil }
      names = [(words[index + 2], false)]
      return
    }
    var position = index + 1
    while true {
      guard isName(position), words[position] != "_ENV" else { return nil }
      names.append((words[position], word(position + 1) == "<"))
      if word(position + 1) == "<" {
        guard word(position + 2) == "const", word(position + 3) == ">" else { return nil }
        attributes.append(
          tokens[position + 1].range.lowerBound..<tokens[position + 3].range.upperBound)
        position += 3
      }
      guard word(position + 1) == "," else { break }
      position += 2
    }
    if word(position + 1) != "=" { endWithoutValue = position }
  }
}
