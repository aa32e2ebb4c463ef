import LuaRuntime
import Platform

/// A table that has defined a command, and the place of the call.
struct DefinitionTable {
  let table: LuaReference
  /// The `file:line` of the call.
  let place: String
}

extension ScriptHost {
  /// Keeps the table of a definition for a check of what is written there.
  func keepDefinition(at index: Int, on stack: LuaStack) {
    guard reportMistake != nil, let place = placeOfCall() else { return }
    definitions.append(DefinitionTable(table: stack.reference(.table, at: index), place: place))
  }

  /// The fields that are written in the tables of definitions and whose values are nil, so that Lua
  /// leaves them out without a word: as problems those that cannot be meant, and the others as notes.
  public var nilFields: (problems: [Failure], notes: [String]) {
    let files = scopes.read.map { (path: $0.path, name: $0.name) }
    let modules = moduleFiles.map { (path: $0, name: $0) }
    var readers: [String: NilFieldReader] = [:]
    for (path, name) in files + modules where readers[name] == nil {
      readers[name] = fileContent(path).map { NilFieldReader(LuaCode($0), file: name) }
    }
    var found: [NilField] = []
    for definition in definitions {
      guard let (file, digits) = definition.place.cut(atLast: ":"), let line = Int(digits),
        let reader = readers[String(file)]
      else { continue }
      let fields = interpreter.withStack { reader.fields(of: definition.table, line: line, $0) }
      // A loop defines several commands by one table.
      for field in fields ?? [] where !found.contains(where: { $0.text == field.text }) {
        found.append(field)
      }
    }
    return (
      found.filter(\.isProblem).map { SourceLocation(text: $0.place).failure($0.problem) },
      found.filter { !$0.isProblem }.map(\.text)
    )
  }
}

/// A field that is written out and nil.
private struct NilField {
  let place: String
  let problem: String
  let isProblem: Bool

  var text: String { "\(place): \(problem)" }
}

/// Reads the tables of definitions in the text of one file.
private struct NilFieldReader {
  private let code: LuaCode
  private let file: String
  private let scopes: LuaScopes

  init(_ code: LuaCode, file: String) {
    (self.code, self.file) = (code, file)
    scopes = LuaScopes(code)
  }

  func fields(of table: LuaReference, line: Int, _ stack: LuaStack) -> [NilField] {
    let starts = code.tables(givenTo: "command", inLine: line)
    // Of several definitions in a line it is not known which one this is.
    guard starts.count == 1, let written = LuaWrittenTable(at: starts[0], in: code) else {
      return []
    }
    let top = stack.top
    defer { stack.top = top }
    stack.push(table)
    return fields(of: written, called: nil, isRepeated: scopes.isRepeated[starts[0]], stack)
  }

  /// Returns the fields of the table at the top of the stack.
  private func fields(
    of written: LuaWrittenTable, called outer: String?, isRepeated: Bool, _ stack: LuaStack
  ) -> [NilField] {
    let table = stack.top
    var position = 0
    var found: [NilField] = []
    for (index, field) in written.fields.enumerated() {
      let name: String
      if let key = field.name {
        // The last of several values counts.
        if written.fields[(index + 1)...].contains(where: { $0.name == key }) { continue }
        name = outer.map { "\($0).\(key)" } ?? key
        stack.rawGet(key, at: table)
      } else if field.isElement {
        position += 1
        name = "\(outer ?? "")[\(position)]"
        stack.rawGet(position, at: table)
      } else {
        continue
      }
      defer { stack.top = table }
      if stack.type(at: -1) == .table, stack.ensure(8),
        let inner = LuaWrittenTable(at: field.value.lowerBound, in: code),
        inner.end == field.value.upperBound - 1
      {
        found += fields(of: inner, called: name, isRepeated: isRepeated, stack)
      } else if stack.type(at: -1) == .nil,
        let (reason, isProblem) = self.reason(of: field, called: name, isRepeated)
      {
        found.append(
          NilField(
            place: "\(file):\(code.lines[field.start])", problem: "'\(name)' is nil\(reason)",
            isProblem: isProblem))
      }
    }
    return found
  }

  /// Returns why a field is nil, as the end of a sentence; nil if it may be on purpose.
  private func reason(
    of field: LuaWrittenTable.Field, called name: String, _ isRepeated: Bool
  ) -> (reason: String, isProblem: Bool)? {
    let tokens = field.value
    guard let first = tokens.first, let last = tokens.last else { return nil }
    let value = code.text(of: tokens)
    let isCondition = ["enabled", "precondition"].contains(name)
    let isName = tokens.count == 1 && code.tokens[first].kind == .name && value != "nil"
    let isUnknown = isName && !scopes.declared.contains(value)
    let words = Set(code.texts[tokens])
    let isShort = !value.contains("\n") && value.count <= 60
    if isCondition, !isUnknown {
      // A function, or a loop, may define commands with and without one.
      guard !isRepeated, value != "nil", code.texts[last] != "nil" else { return nil }
      return (
        ", which is no condition; 'function() return \(isShort ? value : "…") ~= nil end' asks each time",
        true
      )
    }
    if isUnknown {
      return isCondition
        ? (", which is no condition: no variable '\(value)' is set", true)
        : (": is '\(value)' a text without quotes?", true)
    }
    guard !isRepeated, words.isDisjoint(with: ["nil", "and", "or"]) else { return nil }
    // A call as the last element stands for any number of values, also none.
    let isPath = tokens.allSatisfy { code.tokens[$0].kind == .name || code.texts[$0] == "." }
    if field.isElement, !isPath { return nil }
    let readsEnvironment = value.hasPrefix("rac.env") || value.hasPrefix("os.getenv")
    return (
      isShort ? ": '\(value)' has no value" : "",
      !readsEnvironment && (outermost(of: name).map(Self.decisive.contains) ?? false)
    )
  }

  private func outermost(of name: String) -> String? {
    name.split(whereSeparator: { ".[".contains($0) }).first.map(String.init)
  }

  /// The fields without which a command does something else than what is written.
  private static let decisive: Set = ["name", "needs", "run", "steps", "sources", "outputs"]
}

/// What a Lua text declares, and which of its tokens are executed several times.
private struct LuaScopes {
  /// The names of local variables, of parameters and of functions, anywhere in the text.
  private(set) var declared: Set<String> = []
  /// For each token, true if it is in a function or in a loop.
  private(set) var isRepeated: [Bool] = []

  init(_ code: LuaCode) {
    var blocks: [Bool] = []
    for (index, text) in code.texts.enumerated() {
      isRepeated.append(blocks.contains(true))
      guard code.tokens[index].kind == .name else { continue }
      switch text {
      case "function":
        blocks.append(true)
        declare(from: index + 1, until: ")", code)
      case "do", "repeat": blocks.append(true)
      case "if": blocks.append(false)
      case "end", "until": _ = blocks.popLast()
      case "local": declare(from: index + 1, until: "=", code)
      case "for": declare(from: index + 1, until: "in", code)
      default: break
      }
    }
  }

  /// Declares the names of a list, which ends with a token or with anything that is in no such list.
  private mutating func declare(from start: Int, until end: String, _ code: LuaCode) {
    for index in start..<code.texts.count {
      let text = code.texts[index]
      if text == end || text == "=" { return }
      if code.tokens[index].kind == .name {
        // `local a local b`: what follows a name without a comma is another statement.
        if end == "=", index > start, code.tokens[index - 1].kind == .name { return }
        if text != "function" { declared.insert(text) }
      } else if !["(", ",", ".", ":", "<", ">"].contains(text) {
        return
      }
    }
  }
}
