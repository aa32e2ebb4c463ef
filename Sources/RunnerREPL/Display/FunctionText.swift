import LuaRuntime
import RunnerCore

/// The lines that define a function, from its file or from the entry that contains it.
struct FunctionText {
  /// `file:line`.
  let place: String
  /// Its definition; nil if the text no longer exists.
  let lines: [String]?
  /// The comment right above it, without the comment marks.
  let comment: [String]
  private let facts: LuaFunctionFacts

  init(_ facts: LuaFunctionFacts, _ log: EntryLog) {
    self.facts = facts
    let name = String(facts.source.dropFirst())
    place = "\(name):\(facts.lines.lowerBound)"
    let isFile = facts.source.hasPrefix("@")
    let all = isFile ? Self.lines(ofFile: name) : Self.lines(ofEntry: name, log)
    guard let all, all.count >= facts.lines.upperBound, facts.lines.lowerBound > 0 else {
      (lines, comment) = (nil, [])
      return
    }
    lines = Array(all[(facts.lines.lowerBound - 1)..<facts.lines.upperBound])
    let above = all[..<(facts.lines.lowerBound - 1)].reversed().prefix {
      $0.trimmed.hasPrefix("--")
    }
    comment = above.reversed().map { $0.trimmed.drop { $0 == "-" }.trimmed }
  }

  /// The lines of a chunk by its name in messages: `[12]`, or a file.
  static func lines(ofChunk name: String, _ log: EntryLog) -> [String]? {
    lines(ofEntry: name, log) ?? lines(ofFile: name)
  }

  private static func lines(ofEntry name: String, _ log: EntryLog) -> [String]? {
    guard name.hasPrefix("["), let number = Int(name.dropFirst().dropLast()) else { return nil }
    return log[number].map(split)
  }

  private static func split(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func lines(ofFile path: String) -> [String]? {
    WholeFile.read(path).map { split(String(decoding: $0, as: UTF8.self)) }
  }

  /// The function as an expression, `function(a, b) … end`; nil if it cannot be told from others in
  /// the same lines.
  var expression: String? {
    guard let lines else { return nil }
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let tokens = LuaTokens(bytes).filter { $0.kind != .comment }
    let words = tokens.map { token in
      token.kind == .name || token.kind == .symbol
        ? String(decoding: bytes[token.range], as: UTF8.self) : ""
    }
    let endOfFirstLine = bytes.firstIndex(of: 10) ?? bytes.count
    let startOfLastLine = bytes.lastIndex(of: 10) ?? -1
    let found = tokens.indices.filter {
      words[$0] == "function" && tokens[$0].range.lowerBound < endOfFirstLine
    }.compactMap { start -> String? in
      guard let end = Self.end(from: start, words),
        tokens[end].range.lowerBound > startOfLastLine,
        let open = words[start...].firstIndex(of: "("),
        let close = words[open...].firstIndex(of: ")"),
        Self.parameters(
          words[start..<open],
          tokens[open...close].map { String(decoding: bytes[$0.range], as: UTF8.self) })
          == facts.parameters
      else { return nil }
      let body = bytes[tokens[close].range.upperBound..<tokens[end].range.upperBound]
      let parameters = facts.parameters.joined(separator: ", ")
      return "function(\(parameters))" + String(decoding: body, as: UTF8.self)
    }
    return found.count == 1 ? found[0] : nil
  }

  /// The index of the `end` of a block.
  private static func end(from start: Int, _ words: [String]) -> Int? {
    var depth = 0
    for index in start..<words.count {
      depth += LuaBlock.change(by: words[index])
      if depth == 0 { return index }
    }
    return nil
  }

  /// The parameters of a definition, with the one that a method has without naming it.
  private static func parameters(_ name: ArraySlice<String>, _ list: [String]) -> [String] {
    var text = list.dropFirst().dropLast().joined()
    if name.contains(":") { text = text.isEmpty ? "self" : "self,\(text)" }
    return text.split(separator: ",").map(String.init)
  }
}
