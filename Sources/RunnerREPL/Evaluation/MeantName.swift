import LuaRuntime
import RunnerCore
import Scripting

/// The global, the field or the method that was probably meant by a name which does not exist.
struct MeantName {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// The name that was meant in code with this error of Lua: `attempt to index a nil value (global
  /// 'stirng')`. Nil for other errors, and if no name is similar.
  ///
  /// - Parameter entry: the text of the entry that is executed.
  func name(missedIn message: String, entry: [UInt8], _ log: EntryLog) -> String? {
    guard let missed = Self.missed(in: message) else { return nil }
    let code = Self.line(of: message, log).map { Array($0.utf8) } ?? entry
    let tokens = LuaTokens(code).filter { $0.kind != .comment }
    for (index, token) in tokens.enumerated()
    where token.kind == .name && code[token.range].elementsEqual(missed.utf8) {
      if let name = name(missedAt: index, of: tokens, code) { return name }
    }
    return nil
  }

  /// The name that was meant by a path alone, as `string.fromat`; nil if the path exists.
  func name(missedBy code: [UInt8]) -> String? {
    let tokens = LuaTokens(code).filter { $0.kind != .comment }
    let isPath = tokens.allSatisfy { token in
      token.kind == .name
        || [".", ":"].contains(String(decoding: code[token.range], as: UTF8.self))
    }
    guard isPath, let last = tokens.last, last.kind == .name else { return nil }
    return name(missedAt: tokens.count - 1, of: tokens, code)
  }

  private func name(
    missedAt index: Int, of tokens: [LuaTokens.Token], _ code: [UInt8]
  ) -> String? {
    let before = Array(code[..<tokens[index].range.lowerBound])
    let earlier = Array(tokens[..<index])
    let members = LuaMembers(workspace, EntryScope(before, earlier))
    guard let path = MemberPath(before, earlier) else { return nil }
    let missed = String(decoding: code[tokens[index].range], as: UTF8.self)
    // A letter is near any other one, and a variable of the session may have no value.
    if missed.count < 3 { return nil }
    if path.steps.isEmpty, workspace.environment.names.contains(missed) { return nil }
    let known = members.candidates(of: path).map(\.text)
    return known.contains(missed) ? nil : nearestName(to: missed, among: known)
  }

  /// The name in the parentheses at the end of a message: `(global 'x')`.
  private static func missed(in message: String) -> String? {
    guard message.hasSuffix("')"), message.contains("a nil value ("),
      let start = message.lastIndex(of: "(")
    else { return nil }
    let words = message[start...].dropFirst().dropLast().split(separator: " ")
    guard words.count == 2, ["global", "field", "method"].contains(words[0]) else { return nil }
    return String(words[1].dropFirst().dropLast())
  }

  /// The line of a file, or of an entry that is kept, at which an error was raised.
  private static func line(of message: String, _ log: EntryLog) -> String? {
    guard let end = message.firstRange(of: ": ")?.lowerBound,
      let colon = message[..<end].lastIndex(of: ":"),
      let number = Int(message[message.index(after: colon)..<end]), number > 0,
      let lines = FunctionText.lines(ofChunk: String(message[..<colon]), log),
      lines.indices.contains(number - 1)
    else { return nil }
    return lines[number - 1]
  }
}
