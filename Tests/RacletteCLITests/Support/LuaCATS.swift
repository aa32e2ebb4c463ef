/// Reads the annotations of LuaCATS, as the Lua language server does, and tells what is wrong with them:
/// annotations and types that do not parse, types that nothing defines, and parameters that are not those
/// of the function below.
struct LuaCATS {
  private(set) var problems: [String] = []
  /// The classes and aliases that the text defines.
  private(set) var defined: Set<String> = []
  private(set) var functions = 0

  private static let basic: Set<String> = [
    "any", "nil", "boolean", "number", "integer", "string", "table", "function", "userdata",
    "thread", "lightuserdata", "self", "file*", "unknown",
  ]

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in lines {
      guard let match = line.prefixMatch(of: /---@(?:class|alias) ([\w.]+)/) else { continue }
      defined.insert(String(match.1))
    }
    var block = Block()
    // The parameters of generic classes, by the variables that have them.
    var generics: [Substring: Set<String>] = [:]
    for (index, line) in lines.enumerated() {
      let place = "line \(index + 1): \(line)"
      do {
        if let match = line.wholeMatch(of: /---@(\w+) ?(.*)/) {
          try block.take(String(match.1), String(match.2))
        } else if !line.hasPrefix("---") {
          if line.contains(#/^(local )?function /#) {
            functions += 1
            try block.check(function: line)
          }
          if let match = line.firstMatch(of: #/^local (\w+) = /#) {
            generics[match.1] = block.generics
          }
          var known = block.generics
          if let match = line.firstMatch(of: #/^function (\w+)[:.]/#) {
            known.formUnion(generics[match.1] ?? [])
          }
          for name in block.named.subtracting(known)
          where !defined.contains(name) && !Self.basic.contains(name) {
            problems.append("\(place): nothing defines '\(name)'")
          }
          block = Block()
        }
      } catch {
        problems.append("\(place): \(error)")
      }
    }
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// The annotations above one line of code.
  private struct Block {
    /// The names of types.
    var named: Set<String> = []
    var generics: Set<String> = []
    var parameters: [String] = []

    mutating func take(_ tag: String, _ text: String) throws {
      var parser = TypeParser(text)
      switch tag {
      case "meta", "async", "nodiscard", "deprecated": return
      case "class":
        _ = try parser.name()
        if parser.take("<") {
          repeat { generics.insert(try parser.name()) } while parser.take(",")
          try parser.expect(">")
        }
        if parser.take(":") { repeat { try parser.type() } while parser.take(",") }
        try parser.expectEnd()
      case "alias":
        _ = try parser.name()
        try parser.type()
      case "field":
        if parser.take("[") {
          try parser.type()
          try parser.expect("]")
        } else {
          _ = try parser.name()
        }
        _ = parser.take("?")
        try parser.type()
      case "generic":
        repeat {
          generics.insert(try parser.name())
          if parser.take(":") { try parser.type() }
        } while parser.take(",")
        try parser.expectEnd()
      case "param":
        parameters.append(parser.take("...") ? "..." : try parser.name())
        _ = parser.take("?")
        try parser.type()
      case "return", "type", "vararg":
        repeat { try parser.type() } while parser.take(",")
      case "overload": try parser.type()
      default: throw Problem(description: "'@\(tag)' is no annotation")
      }
      named.formUnion(parser.named)
    }

    /// Compares the parameters with those of a function.
    func check(function line: String) throws {
      guard let list = line.firstMatch(of: /\(([^)]*)\)/) else {
        throw Problem(description: "a function without parentheses")
      }
      let names = list.1.split(separator: ",").map { $0.filter { $0 != " " } }
      if parameters != names {
        throw Problem(description: "@param names \(parameters), the function takes \(names)")
      }
    }
  }
}

/// Reads the types of LuaCATS; what follows one on its line is its description.
private struct TypeParser {
  private var rest: Substring
  /// The names of types that were read.
  private(set) var named: Set<String> = []

  init(_ text: String) { rest = text[...] }

  /// Takes a mark, and the white space before it, if it comes next.
  mutating func take(_ mark: String) -> Bool {
    let text = rest.drop { $0 == " " }
    guard text.hasPrefix(mark) else { return false }
    rest = text.dropFirst(mark.count)
    return true
  }

  mutating func expect(_ mark: String) throws {
    if !take(mark) { throw LuaCATS.Problem(description: "'\(mark)' is expected before '\(rest)'") }
  }

  func expectEnd() throws {
    if rest.contains(where: { $0 != " " }) {
      throw LuaCATS.Problem(description: "'\(rest)' is not expected")
    }
  }

  mutating func name() throws -> String {
    let text = rest.drop { $0 == " " }
    guard let match = text.prefixMatch(of: /[A-Za-z_][\w.]*\*?/) else {
      throw LuaCATS.Problem(description: "a name is expected before '\(rest)'")
    }
    rest = text[match.range.upperBound...]
    return String(match.0)
  }

  /// A union of types.
  mutating func type() throws {
    repeat { try single() } while takeBar()
  }

  private mutating func takeBar() -> Bool { take("|") }

  private mutating func single() throws {
    if take("(") {
      // Behind a function's result, its further results.
      repeat { try type() } while take(",")
      try expect(")")
    } else if take("\"") {
      guard let end = rest.firstIndex(of: "\"") else {
        throw LuaCATS.Problem(description: "a text without an end")
      }
      rest = rest[rest.index(after: end)...]
    } else if take("{") {
      repeat {
        if take("[") {
          try type()
          try expect("]")
        } else {
          _ = try name()
        }
        _ = take("?")
        try expect(":")
        try type()
      } while take(",")
      try expect("}")
    } else if let match = rest.drop(while: { $0 == " " }).prefixMatch(of: /-?\d+|\.\.\./) {
      rest = rest.drop { $0 == " " }[match.range.upperBound...]
    } else {
      var name = try name()
      if name == "async" { name = try self.name() }
      if name == "fun" {
        try function()
      } else if !["true", "false"].contains(name) {
        named.insert(name)
        if take("<") {
          repeat { try type() } while take(",")
          try expect(">")
        }
      }
    }
    while true {
      if rest.hasPrefix("[]") {
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("?") {
        rest = rest.dropFirst()
      } else {
        break
      }
    }
  }

  private mutating func function() throws {
    try expect("(")
    if !take(")") {
      repeat {
        if !take("...") { _ = try name() }
        _ = take("?")
        if take(":") { try type() }
      } while take(",")
      try expect(")")
    }
    // Without the space that separates a description.
    guard take(":") else { return }
    try type()
  }
}
