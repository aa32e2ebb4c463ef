import LuaRuntime
import Platform

/// The definition of a command as a file writes it out.
struct WrittenDefinition {
  let code: LuaCode
  let table: LuaWrittenTable

  /// Reads the only definition in a line; nil if there are none or several, or if its table does not
  /// end.
  init?(in code: LuaCode, line: Int) {
    let starts = code.tables(givenTo: "command", inLine: line)
    guard starts.count == 1, let table = LuaWrittenTable(at: starts[0], in: code) else {
      return nil
    }
    (self.code, self.table) = (code, table)
  }
}

extension ScriptHost {
  /// The files of Lua that scripts have loaded, with the names that they have in messages.
  var luaFiles: [(path: String, name: String)] {
    scopes.read.map { (path: $0.path, name: $0.name) } + moduleFiles.map { (path: $0, name: $0) }
  }

  /// Returns the definition that is being made, as its file writes it out; nil if that is not known.
  func writtenDefinition() -> WrittenDefinition? {
    guard let (name, digits) = placeOfCall()?.cut(atLast: ":"), let line = Int(digits),
      let file = luaFiles.first(where: { $0.name == name }), let content = fileContent(file.path)
    else { return nil }
    return WrittenDefinition(in: LuaCode(content), line: line)
  }
}

extension LuaCode {
  /// The tokens of a value without the brackets around it.
  func withoutBrackets(_ value: Range<Int>) -> Range<Int> {
    guard value.count > 2, texts[value.lowerBound] == "(", texts[value.upperBound - 1] == ")" else {
      return value
    }
    let inside = value.lowerBound + 1..<value.upperBound - 1
    var depth = 0
    for text in texts[inside] {
      depth += LuaBlock.change(by: text)
      if depth < 0 { return value }
    }
    return withoutBrackets(inside)
  }

  /// The advice for a value that is used as a condition: what asks for it each time; nil if it is not
  /// known to be a text or nil.
  func condition(askingFor tokens: Range<Int>) -> String? {
    let tokens = withoutBrackets(tokens)
    let parts = texts[tokens].split(separator: "or", omittingEmptySubsequences: false)
    let readings = [["rac", ".", "env"], ["rac", ".", "which"], ["os", ".", "getenv"]]
    guard !texts[tokens].contains("and"),
      parts.allSatisfy({ part in readings.contains { part.drop { $0 == "(" }.starts(with: $0) } })
    else { return nil }
    let value = text(of: tokens)
    return "function() return \(parts.count == 1 ? value : "(\(value))") ~= nil end"
  }
}
