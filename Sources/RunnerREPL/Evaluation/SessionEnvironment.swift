import LuaRuntime
import RunnerCore
import Scripting

/// The state that the entries of a session share: an environment before the globals, for their
/// locals and for `_` and `_error`.
struct SessionEnvironment {
  /// The variables of the session.
  let variables: LuaReference
  /// The globals, which the environment falls back to.
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
    // Scripts may have run before this point.
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

  /// The number of entries whose values are kept.
  private static let valueMemory = 1_000

  /// Sets `_` and the value of an entry, `_12`, to its latest result. Values of old entries are
  /// dropped.
  func setLast(_ value: LuaValue, ofEntry number: Int) {
    set("_", value)
    set("_\(number)", value)
    if number > Self.valueMemory { set("_\(number - Self.valueMemory)", .nil) }
  }

  /// Returns the results from a table that `pack` created.
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
  ///   - name: the chunk name in messages.
  ///   - line: the number of its first line.
  func compile(_ source: [UInt8], named name: String, atLine line: Int = 1) -> Chunk {
    let padding = [UInt8](repeating: 10, count: line - 1)
    // The line break turns an unfinished string into an error instead of an incomplete entry.
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

  /// The line limit of entries whose last expression is searched for.
  private static let longestEntry = 200

  /// A chunk whose last lines are an expression, with a `return` before it; nil if there is none.
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

  /// True if a chunk is rejected at its first token: then it was meant as an expression.
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

  /// Compiles a text to a function with the session's environment.
  private func adopted(_ text: [UInt8], _ name: String) -> Chunk {
    do {
      let results = try interpreter.call(adopt, .string(LuaString(text)), .string("=\(name)"))
      return results.first?.referenceValue.map { .ready($0) } ?? .incomplete
    } catch {
      return .invalid(error)
    }
  }
}

/// The result of compiling a text.
enum Chunk {
  case ready(LuaReference)
  /// The text needs more lines.
  case incomplete
  case invalid(LuaError)
}
