import LuaRuntime
import RunnerCore

/// The names that an entry itself declares before a position: locals, parameters, loop variables,
/// and globals that it assigns.
struct EntryScope {
  /// The declared value of a name, as far as the text shows it.
  enum Origin {
    case unknown
    case string
    /// A table whose constructor has these fields.
    case table([String])
    /// The value of an expression that is a member chain.
    case path(MemberPath)
  }

  /// The latest declaration of each name.
  private(set) var origins: [String: Origin] = [:]

  init(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) {
    let tokens = tokens.filter { $0.kind != .comment }
    let words = tokens.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    var depth = 0
    var index = 0
    while index < tokens.count {
      let word = words[index]
      switch word {
      case "(", "{", "[": depth += 1
      case ")", "}", "]": depth -= 1
      case "local" where tokens[index].kind == .name:
        index = declare(after: index, words, tokens, bytes)
      case "for" where tokens[index].kind == .name:
        var next = index + 1
        while next < tokens.count, !["=", "in"].contains(words[next]) {
          if tokens[next].kind == .name { origins[words[next]] = .unknown }
          next += 1
        }
      case "function" where tokens[index].kind == .name: declareFunction(at: index, words, tokens)
      case "=" where depth == 0 && index > 0 && tokens[index - 1].kind == .name:
        let isMember = index > 1 && [".", ":"].contains(words[index - 2])
        if !isMember {
          origins[words[index - 1]] = Self.origin(of: index + 1, words, tokens, bytes)
        }
      default: break
      }
      index += 1
    }
  }

  /// Parses the names of a `local`.
  ///
  /// - Returns: the index of the last token that belongs to them.
  private mutating func declare(
    after index: Int, _ words: [String], _ tokens: [LuaTokens.Token], _ bytes: [UInt8]
  ) -> Int {
    var next = index + 1
    var names: [String] = []
    while next < tokens.count, tokens[next].kind == .name, words[next] != "function" {
      names.append(words[next])
      next += 1
      if next + 2 < tokens.count, words[next] == "<" { next += 3 }
      guard next < tokens.count, words[next] == "," else { break }
      next += 1
    }
    for name in names { origins[name] = .unknown }
    if names.count == 1, next < tokens.count, words[next] == "=" {
      origins[names[0]] = Self.origin(of: next + 1, words, tokens, bytes)
    }
    return next - 1
  }

  private mutating func declareFunction(
    at index: Int, _ words: [String], _ tokens: [LuaTokens.Token]
  ) {
    var next = index + 1
    if next < tokens.count, tokens[next].kind == .name {
      let isMember = next + 1 < tokens.count && [".", ":"].contains(words[next + 1])
      if !isMember { origins[words[next]] = .unknown }
    }
    while next < tokens.count, words[next] != "(" {
      guard tokens[next].kind == .name || [".", ":"].contains(words[next]) else { return }
      if words[next] == ":" { origins["self"] = .unknown }
      next += 1
    }
    while next < tokens.count, words[next] != ")" {
      if tokens[next].kind == .name { origins[words[next]] = .unknown }
      next += 1
    }
  }

  private static func origin(
    of start: Int, _ words: [String], _ tokens: [LuaTokens.Token], _ bytes: [UInt8]
  ) -> Origin {
    guard start < tokens.count else { return .unknown }
    if tokens[start].kind == .string { return .string }
    if words[start] == "{" { return .table(fields(of: start, words, tokens)) }
    guard tokens[start].kind == .name else { return .unknown }
    var end = start + 1
    while end < tokens.count {
      if [".", ":"].contains(words[end]), end + 1 < tokens.count, tokens[end + 1].kind == .name {
        end += 2
      } else if ["(", "{", "["].contains(words[end]), let close = partner(of: end, words, tokens) {
        end = close + 1
      } else if tokens[end].kind == .string, tokens[end - 1].kind == .name {
        end += 1
      } else {
        break
      }
    }
    return MemberPath(whole: bytes, Array(tokens[start..<end])).map { .path($0) } ?? .unknown
  }

  private static func partner(
    of open: Int, _ words: [String], _ tokens: [LuaTokens.Token]
  ) -> Int? {
    var depth = 0
    for index in open..<tokens.count where tokens[index].kind == .symbol {
      if ["(", "{", "["].contains(words[index]) { depth += 1 }
      if [")", "}", "]"].contains(words[index]) { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func fields(
    of open: Int, _ words: [String], _ tokens: [LuaTokens.Token]
  ) -> [String] {
    var fields: [String] = []
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index].kind == .symbol {
        if ["(", "{", "["].contains(words[index]) { depth += 1 }
        if [")", "}", "]"].contains(words[index]) { depth -= 1 }
        if depth == 0 { break }
      }
      let isKey =
        depth == 1 && tokens[index].kind == .name && index + 1 < tokens.count
        && words[index + 1] == "=" && ["{", ",", ";"].contains(words[index - 1])
      if isKey { fields.append(words[index]) }
    }
    return fields
  }
}
