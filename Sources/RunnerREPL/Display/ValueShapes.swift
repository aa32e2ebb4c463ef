import LineEditor
import LuaRuntime
import RunnerCore
import struct RunnerCore.Style
import Scripting

/// The parts of a value before they are laid out on lines.
indirect enum ValueShape {
  /// A text in colour, the columns that it takes, and whether it is a number.
  case plain(String, columns: Int, isNumber: Bool)
  case table(prefix: String, [(key: String?, ValueShape)], rest: String?, suffix: String)
}

/// Reads the shapes of values within limits. Only `__tostring` runs code of the script.
struct ValueShapes {
  private let format: ValueText
  private let names: KnownNames
  private var reader: TableReader
  /// False once something was left out.
  private(set) var isWhole = true
  private var host: ScriptHost { format.host }
  private var style: Style { format.style }

  init(_ format: ValueText) {
    self.format = format
    names = KnownNames(format.environment, format.host.interpreter)
    reader = TableReader(format.host.interpreter, format.limits)
  }

  mutating func shape(of value: LuaValue) -> ValueShape { shape(of: value, within: []) }

  private func plain(
    _ text: String, isNumber: Bool = false, _ color: (String) -> String = { $0 }
  ) -> ValueShape {
    .plain(color(text), columns: columns(of: text), isNumber: isNumber)
  }

  private mutating func shape(of value: LuaValue, within outer: [UInt]) -> ValueShape {
    switch value {
    case .string(let string):
      let limit = outer.isEmpty ? format.limits.string : format.limits.innerString
      if string.count > limit { isWhole = false }
      return plain(quoted(string, limit: limit), style.string)
    case .integer, .number: return plain(value.description, isNumber: true, style.number)
    case .nil, .bool: return plain(value.description, style.keyword)
    case .reference(let reference):
      switch reference.type {
      case .table: return shape(of: reference, within: outer)
      case .userdata: return plain(objectText(value).visible)
      case .function: return shape(ofFunction: reference)
      default: return plain(value.description, style.faint)
      }
    }
  }

  // MARK: Tables

  private mutating func shape(of table: LuaReference, within outer: [UInt]) -> ValueShape {
    if outer.contains(table.identity) { return plain("<cycle>", style.faint) }
    var prefix = ""
    var suffix = ""
    switch reader.kind(of: table) {
    case .plain: break
    case .named(let name): prefix = name.visibleInLine
    case .describesItself:
      // After Ctrl-C, the next `__tostring` could loop in its turn.
      return KeyboardInterrupt.hasCome ? plain("…", style.faint) : described(table)
    case .hasMetatable(let metatable):
      if let name = names.name(of: metatable) { prefix = name } else { suffix = " <metatable>" }
    }
    guard outer.count < format.limits.depth,
      let content = reader.content(of: table)
    else {
      isWhole = false
      return plain("\(prefix){…}\(suffix)", style.faint)
    }
    if content.rest != nil { isWhole = false }
    let path = outer + [table.identity]
    var parts: [(key: String?, ValueShape)] = []
    for item in content.list { parts.append((nil, shape(of: item, within: path))) }
    for (key, value) in content.fields {
      parts.append((keyText(key), shape(of: value, within: path)))
    }
    return .table(prefix: prefix, parts, rest: content.rest, suffix: suffix)
  }

  private func keyText(_ key: LuaValue) -> String {
    guard case .string(let string) = key else { return "[\(key.description)]" }
    if string.count <= 100, let name = string.text, LuaQuoting.isIdentifier(name) { return name }
    return "[\(quoted(string, limit: 100))]"
  }

  /// Formats a table whose metatable has `__tostring`, which may fail or loop.
  private func described(_ table: LuaReference) -> ValueShape {
    do {
      let text = try host.interpreter.withStack { (stack: LuaStack) throws(LuaError) -> String in
        stack.push(table)
        return try stack.describe(at: -1)
      }
      return plain(bounded((text ?? "table").visible, to: format.limits.string))
    } catch {
      host.interpreter.clearInterrupt()
      let message = error.message.visibleInLine
      return plain("\(LuaValue.reference(table)) <__tostring fails: \(message)>", style.faint)
    }
  }

  // MARK: Functions and objects

  /// `function add(a, b)  [2]:1`, or the signature of a function of a library.
  private func shape(ofFunction function: LuaReference) -> ValueShape {
    let name = names.name(of: function.identity)
    let facts =
      host.interpreter.withStack { stack in
        stack.push(function)
        return stack.functionFacts(at: -1)
      } ?? nil
    guard let facts else {
      guard let name else {
        return plain(LuaValue.reference(function).description, style.faint)
      }
      let signature =
        Library.moduleEntries.first { $0.name == name }?.signature
        ?? StandardLibrary.entry(named: name)?.signature ?? "\(name)(…)"
      return plain("function " + signature)
    }
    let text = "function\(name.map { " \($0)" } ?? "")(\(facts.parameters.joined(separator: ", ")))"
    let place = "\(facts.source.dropFirst()):\(facts.lines.lowerBound)".visibleInLine
    return .plain(
      "\(text)  \(style.faint(place))", columns: columns(of: text) + 2 + columns(of: place),
      isNumber: false)
  }

  private func objectText(_ value: LuaValue) -> String {
    switch host.object(value) {
    case .command(let command):
      let error = format.lastError(command).map { ", last error: \($0)" } ?? ""
      return "command \(command.name) (\(command.liveState)\(error))"
    case .execution(let execution, let command):
      return "execution \(execution.id) of \(command.name) (\(execution.state.rawValue))"
    case .signal(let name): return name.map { "signal '\($0)'" } ?? "signal"
    case .subject(let name): return name.map { "subject '\($0)'" } ?? "subject"
    case .other(let kind): return kind
    case nil: return host.describe(value)
    }
  }
}
