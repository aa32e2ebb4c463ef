import LuaRuntime
import RunnerCore
import Scripting

/// The text of a value as a session shows it: strings quoted, tables with a limited depth and
/// number of items, objects with their live state.
struct ValueText: Sendable {
  let host: ScriptHost
  var style: Style
  /// The last failure of a command, if known.
  var lastError: @Sendable (ScriptCommand) -> String? = { _ in nil }
  /// The column limit of a line.
  var width = 80
  /// The maximum depth of nested tables.
  var depth = 4
  /// The maximum number of items of a table.
  var items = 50

  /// The same format without colours.
  var uncolored: ValueText {
    var text = self
    text.style = Style(option: "never", descriptor: 1)
    return text
  }

  /// The text of a value, on as many lines as necessary.
  func text(of value: LuaValue) -> String {
    var reader = TableReader(host.interpreter)
    return layOut(shape(of: value, within: [], &reader), indent: 0, room: width)
  }

  /// The text of a value on one line; a string unchanged.
  func line(of value: LuaValue) -> String {
    if case .string(let string) = value { return bounded(string.description, to: 100_000) }
    var reader = TableReader(host.interpreter)
    return inline(shape(of: value, within: [], &reader)).text
  }

  // MARK: Shapes

  /// The intermediate form of a value during formatting.
  private indirect enum Shape {
    case plain(String, columns: Int)
    case table(prefix: String, [(key: String?, Shape)], rest: String?, suffix: String)
  }

  private func plain(_ text: String, _ color: (String) -> String = { $0 }) -> Shape {
    .plain(color(text), columns: text.count)
  }

  private func shape(
    of value: LuaValue, within outer: [UInt], _ reader: inout TableReader
  ) -> Shape {
    switch value {
    case .string(let string):
      return plain(quoted(string, limit: outer.isEmpty ? 10_000 : 200), style.good)
    case .number(let number): return plain(host.describe(.number(number)))
    case .nil, .bool, .integer: return plain(value.description)
    case .reference(let reference):
      switch reference.type {
      case .table: return shape(of: reference, within: outer, &reader)
      case .userdata: return plain(objectText(value))
      default: return plain(value.description, style.faint)
      }
    }
  }

  private func shape(
    of table: LuaReference, within outer: [UInt], _ reader: inout TableReader
  ) -> Shape {
    if outer.contains(table.identity) { return plain("<cycle>", style.faint) }
    let kind = reader.kind(of: table)
    if kind == .describesItself {
      // After Ctrl-C, the next `__tostring` could loop in its turn.
      return KeyboardInterrupt.hasCome ? plain("…", style.faint) : described(table)
    }
    let name: String = if case .named(let name) = kind { name } else { "" }
    let suffix = kind == .hasMetatable ? " <metatable>" : ""
    guard outer.count < depth, let content = reader.content(of: table, limit: items) else {
      return plain("\(name){…}\(suffix)", style.faint)
    }
    let path = outer + [table.identity]
    var parts: [(key: String?, Shape)] = content.list.map {
      (nil, shape(of: $0, within: path, &reader))
    }
    for (key, value) in content.fields {
      parts.append((keyText(key), shape(of: value, within: path, &reader)))
    }
    return .table(prefix: name, parts, rest: content.rest, suffix: suffix)
  }

  /// Formats a table whose metatable has `__tostring`, which may fail or loop.
  private func described(_ table: LuaReference) -> Shape {
    do {
      let text = try host.interpreter.withStack { (stack: LuaStack) throws(LuaError) -> String in
        stack.push(table)
        return try stack.describe(at: -1)
      }
      return plain(bounded(text ?? "table", to: 10_000))
    } catch {
      host.interpreter.clearInterrupt()
      return plain("\(LuaValue.reference(table)) <__tostring fails: \(error.message)>", style.faint)
    }
  }

  private func objectText(_ value: LuaValue) -> String {
    switch host.object(value) {
    case .command(let command): commandText(command)
    case .execution(let execution, let command):
      "execution \(execution.id) of \(command.name) (\(execution.state.rawValue))"
    case .signal(let name): name.map { "signal '\($0)'" } ?? "signal"
    case .subject(let name): name.map { "subject '\($0)'" } ?? "subject"
    case .other(let kind): kind
    case nil: host.describe(value)
    }
  }

  private func commandText(_ command: ScriptCommand) -> String {
    let error = lastError(command).map { ", last error: \($0)" } ?? ""
    return "command \(command.name) (\(command.liveState)\(error))"
  }

  private func keyText(_ key: LuaValue) -> String {
    guard case .string(let string) = key else { return "[\(key.description)]" }
    let text = string.description
    return text.utf8.count <= 100 && LuaTokens.isName(text)
      ? text : "[\(quoted(string, limit: 100))]"
  }

  // MARK: Layout

  private func inline(_ shape: Shape) -> (text: String, columns: Int) {
    switch shape {
    case .plain(let text, let columns): return (text, columns)
    case .table(let prefix, let parts, let rest, let suffix):
      var texts: [String] = []
      var columns = prefix.count + suffix.count + 2 + (rest?.count ?? 0)
      for (key, part) in parts {
        let (text, width) = inline(part)
        texts.append(key.map { "\($0) = \(text)" } ?? text)
        columns += width + (key.map { $0.count + 3 } ?? 0) + 2
      }
      if let rest { texts.append(style.faint(rest)) }
      return (
        prefix + "{" + texts.joined(separator: ", ") + "}" + style.faint(suffix), columns
      )
    }
  }

  private func layOut(_ shape: Shape, indent: Int, room: Int) -> String {
    let (text, columns) = inline(shape)
    guard case .table(let prefix, let parts, let rest, let suffix) = shape, columns > room else {
      return text
    }
    let margin = String(repeating: " ", count: indent + 2)
    var lines: [String] = []
    for (key, part) in parts {
      let lead = key.map { "\($0) = " } ?? ""
      lines.append(
        margin + lead + layOut(part, indent: indent + 2, room: width - indent - 3 - lead.count))
    }
    if let rest { lines.append(margin + style.faint(rest)) }
    return prefix + "{\n" + lines.joined(separator: ",\n") + "\n"
      + String(repeating: " ", count: indent) + "}" + style.faint(suffix)
  }
}

/// A string as a Lua literal, truncated if too long.
func quoted(_ string: LuaString, limit: Int) -> String {
  var text = "\""
  let shown = string.count > limit ? String(string.description.prefix(limit)) : string.description
  for scalar in shown.unicodeScalars {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\t": text += "\\t"
    case "\r": text += "\\r"
    case _ where scalar.value < 32 || (127..<160).contains(scalar.value):
      text += "\\x" + hexadecimal(scalar.value)
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text + "\"" + (string.count > limit ? "… (\(string.count) bytes)" : "")
}

private func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return digits.count < 2 ? "0" + digits : digits
}

/// A text, truncated if too long.
private func bounded(_ text: String, to limit: Int) -> String {
  text.utf8.count > limit ? "\(text.prefix(limit))… (\(text.utf8.count) bytes)" : text
}
