import LuaRuntime
import Platform

/// A table that has defined a command.
struct KeptDefinition {
  let table: LuaReference
  /// The `file:line` of the call.
  let place: String
}

extension ScriptHost {
  /// Makes a definition and, during a check, keeps its table for a look at what is written there, unless
  /// it has mistakes.
  func keepingDefinition(
    at index: Int, on stack: LuaStack, _ define: () throws -> LuaOutcome
  ) rethrows -> LuaOutcome {
    guard reportMistake != nil, let place = placeOfCall() else { return try define() }
    let definition = KeptDefinition(table: stack.reference(.table, at: index), place: place)
    let known = mistakes
    let outcome = try define()
    if mistakes == known { definitions.append(definition) }
    return outcome
  }

  /// Returns the problems with fields that definitions write out and whose values are nil, so that Lua
  /// leaves them out: names that nothing sets, and conditions that are texts. Any other value may be
  /// absent on purpose.
  public func problemsWithNilFields() -> [Failure] {
    let texts = LoadedTexts(of: self)
    let names = SetNames(in: texts)
    var problems: [Failure] = []
    var known: Set<String> = []
    for definition in definitions {
      guard let (file, digits) = definition.place.cut(atLast: ":"), let line = Int(digits),
        let written = texts.codes[String(file)].flatMap({ WrittenDefinition(in: $0, line: line) })
      else { continue }
      let reader = NilFieldReader(code: written.code, names: names)
      let found =
        interpreter.withStack { reader.fields(written.table, of: definition.table, $0) } ?? []
      // A loop defines several commands by one table.
      for field in found where known.insert("\(file):\(field.line): \(field.problem)").inserted {
        problems.append(SourceLocation(text: "\(file):\(field.line)").failure(field.problem))
      }
    }
    return problems
  }
}

/// Compares the tables of definitions with the text of their file.
private struct NilFieldReader {
  let code: LuaCode
  let names: SetNames

  func fields(
    _ written: LuaWrittenTable, of table: LuaReference, _ stack: LuaStack
  ) -> [(line: Int, problem: String)] {
    let top = stack.top
    defer { stack.top = top }
    stack.push(table)
    return fields(written, called: nil, stack)
  }

  /// Returns the fields of the table at the top of the stack.
  private func fields(
    _ written: LuaWrittenTable, called outer: String?, _ stack: LuaStack
  ) -> [(line: Int, problem: String)] {
    let table = stack.top
    var position = 0
    var found: [(line: Int, problem: String)] = []
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
        found += fields(inner, called: name, stack)
      } else if stack.type(at: -1) == .nil, let reason = reason(of: field, called: name) {
        found.append((code.lines[field.start], "'\(name)' is nil\(reason)"))
      }
    }
    return found
  }

  /// Returns why a field is nil by mistake, as the end of a sentence; nil if it may be on purpose.
  private func reason(of field: LuaWrittenTable.Field, called name: String) -> String? {
    let isCondition = ["enabled", "precondition"].contains(name)
    if let value = names.unsetName(in: field.value, code) {
      return isCondition
        ? ", which is not a condition: no variable '\(value)' is set"
        : ": is '\(value)' a string without quotes?"
    }
    guard isCondition, let advice = code.condition(askingFor: field.value) else { return nil }
    return ", which is not a condition; '\(advice)' asks each time"
  }
}

extension ScriptHost {
  /// Returns the end of a message about a field of the definition that is being made, which lacks
  /// something: the first name in it that nothing sets, which is probably a text without quotes; empty if
  /// there is none.
  func hintAtUnsetName(in field: String) -> String {
    guard let written = writtenDefinition() else { return "" }
    let names = SetNames(in: LoadedTexts(of: self))
    for value in written.table[field] {
      if let name = names.firstUnsetName(in: value, written.code) {
        return "; is '\(name)' a string without quotes?"
      }
    }
    return ""
  }
}

/// The names of variables that Lua texts set anywhere: locals, parameters, functions and globals.
private struct SetNames {
  private var names: Set<String> = []
  /// True if code that is not read may set others.
  private let isPart: Bool

  init(in texts: LoadedTexts) {
    isPart = texts.isPart
    if !isPart { texts.codes.values.forEach { add($0) } }
  }

  /// The name that a value consists of, if nothing sets it.
  func unsetName(in value: Range<Int>, _ code: LuaCode) -> String? {
    let value = code.withoutBrackets(value)
    guard !isPart, value.count == 1, code.tokens[value.lowerBound].kind == .name else { return nil }
    let name = code.texts[value.lowerBound]
    return ["nil", "true", "false"].contains(name) || names.contains(name) ? nil : name
  }

  /// The first value in a field, or in tables that it writes out, that is a name which nothing sets.
  func firstUnsetName(in value: Range<Int>, _ code: LuaCode) -> String? {
    if let name = unsetName(in: value, code) { return name }
    guard let table = LuaWrittenTable(at: value.lowerBound, in: code),
      table.end == value.upperBound - 1
    else { return nil }
    return table.fields.lazy.compactMap { firstUnsetName(in: $0.value, code) }.first
  }

  private mutating func add(_ code: LuaCode) {
    code.forEachToken { index, open in
      switch code.texts[index] {
      case "function": declare(from: index + 1, until: ")", code)
      case "local": declare(from: index + 1, until: "=", code)
      case "for": declare(from: index + 1, until: "in", code)
      // Within brackets, it is the key of a field.
      case "=" where open.last != .brackets: assign(before: index, code)
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
        if text != "function" { names.insert(text) }
      } else if !["(", ",", ".", ":", "<", ">"].contains(text) {
        return
      }
    }
  }

  /// Declares the names of a list in front of an equals sign.
  private mutating func assign(before index: Int, _ code: LuaCode) {
    var index = index
    while index > 0, code.tokens[index - 1].kind == .name {
      names.insert(code.texts[index - 1])
      guard index > 1, code.texts[index - 2] == "," else { return }
      index -= 2
    }
  }
}
