import LuaRuntime
import RunnerCore

/// The unfinished table of an execution's input: `build:execute {target = "release", mo`.
struct InputTable {
  /// The path of the command.
  let command: MemberPath
  /// The typed beginning of the field name.
  let typed: String

  /// - Returns: nil if no field of such a table can be there.
  init?(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) {
    let text = { (token: LuaTokens.Token) in String(decoding: bytes[token.range], as: UTF8.self) }
    var rest = tokens.filter { $0.kind != .comment }[...]
    var typed = ""
    if let last = rest.last, last.kind == .name, last.range.upperBound == bytes.count {
      typed = text(last)
      rest.removeLast()
    }
    self.typed = typed
    guard let mark = rest.last, ["{", ",", ";"].contains(text(mark)) else { return nil }
    var depth = 1
    while depth > 0, let token = rest.popLast() {
      guard token.kind == .symbol else { continue }
      switch text(token) {
      case "}", ")", "]": depth += 1
      case "{": depth -= 1
      // A list of arguments or an index inside the table.
      case "(", "[":
        depth -= 1
        if depth == 0 { return nil }
      default: break
      }
    }
    if let last = rest.last, text(last) == "(" { rest.removeLast() }
    guard let function = rest.popLast(), text(function) == "execute", let colon = rest.last,
      let path = MemberPath(Array(bytes[..<colon.range.upperBound]), Array(rest)),
      path.separator == ":"
    else { return nil }
    command = path
  }
}
