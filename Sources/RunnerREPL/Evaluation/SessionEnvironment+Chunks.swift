import LuaRuntime
import RunnerCore

/// The texts of entries as functions.
extension SessionEnvironment {
  /// Compiles an expression or a chunk.
  ///
  /// - Parameters:
  ///   - name: the chunk's name, with the mark of its kind: `=[12]` or `@file`.
  ///   - line: the number of its first line.
  func compile(_ source: [UInt8], named name: String, atLine line: Int = 1) -> Chunk {
    do { try prepare() } catch { return .invalid(error) }
    // The line break turns an unfinished string into an error instead of an incomplete entry.
    let text = source + [10]
    let returned = Array("return ".utf8) + text
    let expression = Result { () throws(LuaError) in try load(returned, name) }
    if case .success(let function) = expression {
      return adopted(function, returned, name, line)
    }
    let chunk = Result { () throws(LuaError) in try load(text, name) }
    if case .success(let function) = chunk { return declaring(function, text, name, line) }
    guard case .failure(let error) = chunk, case .failure(let other) = expression,
      !error.isIncompleteChunk, !other.isIncompleteChunk
    else { return .incomplete }
    if let (function, text) = returningLastExpression(text, name) {
      return declaring(function, text, name, line)
    }
    // Lua counts lines from the beginning of a text. That costs time in a long input, so only a text
    // with an error to be told is compiled behind as many line breaks.
    do {
      _ = try load(padded(isAboutStart(error, source) ? returned : text, line), name)
    } catch { return .invalid(error) }
    return .invalid(error)
  }

  /// A text after the line breaks that make a line its first one.
  private func padded(_ text: [UInt8], _ line: Int) -> [UInt8] {
    [UInt8](repeating: 10, count: line - 1) + text
  }

  /// True if more lines would complete a text. Declares nothing.
  func isIncomplete(_ source: [UInt8], named name: String) -> Bool {
    let text = source + [10]
    do { _ = try load(Array("return ".utf8) + text, name) } catch let other {
      do { _ = try load(text, name) } catch {
        return error.isIncompleteChunk || other.isIncompleteChunk
      }
    }
    return false
  }

  /// True if more statements could follow a text in a file.
  func isStatement(_ source: [UInt8]) -> Bool {
    (try? load(source + Array("\nlocal _".utf8), "=statement")) != nil
  }

  /// A chunk whose locals become variables of the session.
  private func declaring(
    _ function: LuaReference, _ text: [UInt8], _ name: String, _ line: Int
  ) -> Chunk {
    let locals = SessionLocals(text)
    guard !locals.names.isEmpty, let changed = try? load(locals.text, name) else {
      return adopted(function, text, name, line)
    }
    let names = locals.names.flatMap {
      [LuaValue.string(LuaString(utf8: $0.name)), .bool($0.isConstant)]
    }
    _ = try? interpreter.call(.reference(declare), names, results: 0)
    return adopted(changed, locals.text, name, line)
  }

  /// The line limit of entries whose last expression is searched for.
  private static let longestEntry = 200

  /// A chunk whose last lines are an expression, with a `return` before it; nil if there is none.
  private func returningLastExpression(
    _ text: [UInt8], _ name: String
  ) -> (LuaReference, [UInt8])? {
    let starts = text.indices.dropLast().filter { text[$0] == 10 }.map { $0 + 1 }
    for start in starts.suffix(Self.longestEntry).reversed() {
      let chunk = Array(text[..<start]) + Array("return ".utf8) + text[start...]
      if let function = try? load(chunk, name) { return (function, chunk) }
    }
    return nil
  }

  /// True if a chunk is rejected at its first token: then it was meant as an expression.
  private func isAboutStart(_ error: LuaError, _ source: [UInt8]) -> Bool {
    var tokens = LuaTokens(source)
    guard let first = tokens.next() else { return false }
    return error.message.hasSuffix("near '\(tokens.text(first))'")
  }

  private func load(
    _ text: [UInt8], _ name: String, mode: LuaChunkMode = .text
  ) throws(LuaError) -> LuaReference {
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(LuaError) in try interpreter.load(bytes, chunkName: name, mode: mode) }
    }
    return try result.get()
  }

  /// Gives the function of a text its line numbers and the session's environment.
  private func adopted(
    _ function: LuaReference, _ text: [UInt8], _ name: String, _ line: Int
  ) -> Chunk {
    do {
      var chunk = function
      if line > 1 {
        let moved = try moved(function, name, by: line - 1)
        if let moved { chunk = moved } else { chunk = try load(padded(text, line), name) }
      }
      let environment = try interpreter.call(latest).first ?? .nil
      _ = interpreter.withStack { stack in
        stack.push(chunk)
        stack.push(environment)
        stack.setEnvironment(at: -2)
      }
      return .ready(chunk)
    } catch {
      return .invalid(error)
    }
  }

  /// The same function with other line numbers; nil if Lua's code is not of the known format.
  private func moved(
    _ function: LuaReference, _ name: String, by offset: Int
  ) throws(LuaError) -> LuaReference? {
    guard case .string(let code)? = try interpreter.call(dump, .reference(function)).first,
      let lines = MovedLines(code.withUnsafeBytes { Array($0) }, by: offset)
    else { return nil }
    return try load(lines.moved, name, mode: .textOrBinary)
  }
}

/// The result of compiling a text.
enum Chunk {
  case ready(LuaReference)
  /// The text needs more lines.
  case incomplete
  case invalid(LuaError)
}
