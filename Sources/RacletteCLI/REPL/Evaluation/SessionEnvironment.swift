import LuaRuntime
import Scripting

/// What the lines of a session share: an environment in front of the globals, for their locals and
/// for `_` and `_error`.
struct SessionEnvironment {
  /// The variables of the session.
  let variables: LuaReference
  /// What stands behind them.
  let globals: LuaReference
  private let interpreter: LuaInterpreter
  private let adopt: LuaReference
  private let declare: LuaReference
  /// Calls a function and returns its results as one table.
  let pack: LuaReference

  private static let source = """
    local load, pack, rawset, setmetatable, globals = ...
    local kept, assigned = {_ = true, _error = true}, {}
    local variables = setmetatable({}, {
      __index = function(_, name) if not assigned[name] then return globals[name] end end,
      __newindex = function(variables, name, value)
        if not kept[name] then globals[name] = value return end
        assigned[name] = true
        rawset(variables, name, value)
      end,
    })
    local function adopt(text, name) return load(text, name, "t", variables) end
    local function declare(name) kept[name] = true end
    return variables, globals, adopt, declare, function(line) return pack(line()) end
    """

  init(_ host: ScriptHost) throws {
    interpreter = host.interpreter
    // Scripts may have run by now.
    let parts = try host.runOwn(Self.source, chunkName: "=[repl]").compactMap(\.referenceValue)
    precondition(parts.count == 5, "the source returns five values")
    (variables, globals) = (parts[0], parts[1])
    (adopt, declare, pack) = (parts[2], parts[3], parts[4])
  }

  /// Sets a variable of the session.
  func set(_ name: String, _ value: LuaValue) {
    _ = interpreter.withStack { stack in
      stack.push(variables)
      stack.set(name, value, at: -1)
    }
  }

  /// The entries whose values are kept.
  private static let valueMemory = 1_000

  /// Sets `_` and the value of an entry, `_12`, to what it has given last. The values of entries long ago
  /// are forgotten.
  func setLast(_ value: LuaValue, ofEntry number: Int) {
    set("_", value)
    set("_\(number)", value)
    if number > Self.valueMemory { set("_\(number - Self.valueMemory)", .nil) }
  }

  /// The results in a table that `pack` made.
  func unpack(_ packed: LuaValue) -> [LuaValue] {
    interpreter.withStack { stack in
      stack.push(packed)
      guard stack.type(at: -1) == .table else { return [] }
      stack.rawGet("n", at: -1)
      let count = Int(stack.integer(at: -1) ?? 0)
      stack.pop()
      return (0..<count).map { position in
        stack.rawGet(position + 1, at: -1)
        defer { stack.pop() }
        return stack.value(at: -1)
      }
    } ?? []
  }

  /// Compiles an expression or a chunk.
  ///
  /// - Parameters:
  ///   - name: what messages call it.
  ///   - line: the number of its first line.
  func compile(_ source: [UInt8], named name: String, atLine line: Int = 1) -> Chunk {
    let padding = [UInt8](repeating: 10, count: line - 1)
    // The end of the line makes an unfinished string an error of its own instead of an incomplete one.
    let text = source + [10]
    let expression = Result { () throws(LuaError) in
      try load(padding + Array("return ".utf8) + text, name)
    }
    if case .success = expression {
      return adopted(padding + Array("return ".utf8) + text, name)
    }
    let chunk = Result { () throws(LuaError) in try load(padding + text, name) }
    guard case .failure(let error) = chunk else {
      let locals = SessionLocals(text)
      guard !locals.names.isEmpty, (try? load(padding + locals.text, name)) != nil else {
        return adopted(padding + text, name)
      }
      for name in locals.names { _ = try? interpreter.call(declare, .string(name)) }
      return adopted(padding + locals.text, name)
    }
    guard case .failure(let other) = expression else { return .incomplete }
    if error.isIncompleteChunk || other.isIncompleteChunk { return .incomplete }
    if let text = returningLastExpression(text, padding, name) { return adopted(text, name) }
    return .invalid(isAboutStart(error, source) ? other : error)
  }

  /// The longest entry whose last expression is looked for, in lines.
  private static let longestEntry = 200

  /// A chunk whose last lines are an expression, with a `return` in front of it; nil if there is none.
  private func returningLastExpression(
    _ text: [UInt8], _ padding: [UInt8], _ name: String
  ) -> [UInt8]? {
    let starts = text.indices.dropLast().filter { text[$0] == 10 }.map { $0 + 1 }
    for start in starts.suffix(Self.longestEntry).reversed() {
      let chunk = padding + text[..<start] + Array("return ".utf8) + text[start...]
      if (try? load(chunk, name)) != nil {
        let locals = SessionLocals(chunk)
        for name in locals.names { _ = try? interpreter.call(declare, .string(name)) }
        return locals.names.isEmpty ? chunk : locals.text
      }
    }
    return nil
  }

  /// Whether a chunk is refused at its first token: then it was meant as an expression.
  private func isAboutStart(_ error: LuaError, _ source: [UInt8]) -> Bool {
    var tokens = LuaTokens(source)
    guard let first = tokens.next() else { return false }
    return error.message.hasSuffix("near '\(tokens.text(first))'")
  }

  private func load(_ text: [UInt8], _ name: String) throws(LuaError) -> LuaReference {
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(LuaError) in try interpreter.load(bytes, chunkName: "=\(name)") }
    }
    return try result.get()
  }

  /// The function of a text that compiles, with the session's environment.
  private func adopted(_ text: [UInt8], _ name: String) -> Chunk {
    do {
      let results = try interpreter.call(adopt, .string(LuaString(text)), .string("=\(name)"))
      return results.first?.referenceValue.map { .ready($0) } ?? .incomplete
    } catch {
      return .invalid(error)
    }
  }
}

/// What a text compiles to.
enum Chunk {
  case ready(LuaReference)
  /// More has to follow.
  case incomplete
  case invalid(LuaError)
}
