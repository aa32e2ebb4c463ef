import LuaRuntime
import RunnerCore
import Scripting

/// The state that the entries of a session share: an environment before the globals, for their
/// locals and for `_` and `_error`.
///
/// A variable that an entry declares again is a new one: functions of earlier entries keep the old
/// one. Therefore such an entry and those after it have an environment of their own, which leads to
/// the variables that were declared once.
struct SessionEnvironment {
  /// The first environment, which holds `_`, `_12` and the variables that were declared once.
  private let base: LuaReference
  /// The table that holds each variable of the latest environment, by name.
  private let homes: LuaReference
  /// The globals, which the environment falls back to.
  let globals: LuaReference
  private let interpreter: LuaInterpreter
  private let adopt: LuaReference
  private let declare: LuaReference
  /// Calls a function and returns its results as one table.
  let pack: LuaReference
  /// Calls a function a number of times.
  let repeated: LuaReference
  /// Calls a function and returns the number of KiB that it has allocated.
  let allocation: LuaReference

  private static let source = """
    local load, pack, rawset, setmetatable, globals, rawget, next, error, pcall, collectgarbage,
      warn = ...
    -- Errors of finalisers are warnings.
    if warn then warn("@on") end
    local homes, base = {}, {}
    -- Constants have a table each, which tells whether they have their value yet.
    local constants = setmetatable({}, {__mode = "k"})
    local function attach(environment, homes)
      return setmetatable(environment, {
        __index = function(_, name)
          local home = homes[name]
          if home then return rawget(home, name) end
          local value = rawget(base, name)
          if value ~= nil then return value end
          return globals[name]
        end,
        __newindex = function(_, name, value)
          local home = homes[name]
          if not home then globals[name] = value return end
          if constants[home] == "set" then
            error("attempt to assign to const variable '" .. name .. "'", 2)
          end
          if constants[home] then constants[home] = "set" end
          rawset(home, name, value)
        end,
      })
    end
    local current = attach(base, homes)
    homes._, homes._error = base, base
    local function declare(...)
      local names = pack(...)
      for i = 1, names.n, 2 do
        local name = names[i]
        if homes[name] and name ~= "_" and name ~= "_error" then
          local former = {}
          for name, home in next, homes do former[name] = home end
          attach(current, former)
          current = attach({}, homes)
          break
        end
      end
      for i = 1, names.n, 2 do
        local name, home = names[i], current
        -- Until it has its value, the name means what it meant before.
        local outer = rawget(homes[name] or globals, name)
        if names[i + 1] then
          home = {}
          constants[home] = "open"
        end
        if name == "_" or name == "_error" then home = base end
        homes[name] = home
        rawset(home, name, outer)
      end
    end
    local function adopt(text, name) return load(text, name, "t", current) end
    local function repeated(f, count) for _ = 1, count do f() end end
    local function growth(f)
      local before = collectgarbage("count")
      local succeeds = pcall(f)
      return succeeds and collectgarbage("count") - before or nil
    end
    local function allocation(f)
      local function nothing() end
      growth(nothing)
      collectgarbage()
      collectgarbage("stop")
      local own, all = growth(nothing), growth(f)
      collectgarbage("restart")
      return all and all - own
    end
    return base, homes, globals, adopt, declare, function(line) return pack(line()) end, repeated,
      allocation
    """

  init(_ host: ScriptHost) throws {
    interpreter = host.interpreter
    // Scripts may have run before this point.
    let parts = try host.runOwn(Self.source, chunkName: "=[repl]").compactMap(\.referenceValue)
    precondition(parts.count == 8, "the source returns eight values")
    (base, homes, globals) = (parts[0], parts[1], parts[2])
    (adopt, declare, pack) = (parts[3], parts[4], parts[5])
    (repeated, allocation) = (parts[6], parts[7])
  }

  // MARK: Variables

  /// Sets `_error` or one of the values that the session keeps.
  func set(_ name: String, _ value: LuaValue) {
    _ = interpreter.withStack { stack in
      stack.push(base)
      stack.push(value)
      stack.rawSet(name, at: -2)
    }
  }

  /// The value of a variable of the session; nil if it has none.
  func variable(_ name: String) -> LuaValue? {
    let value = interpreter.withStack { stack in
      stack.push(homes)
      if stack.rawGet(name, at: -1) == .nil {
        stack.pop()
        stack.push(base)
      }
      stack.rawGet(name, at: -1)
      return stack.value(at: -1)
    }
    guard let value, !value.isNil else { return Optional.none }
    return value
  }

  /// The names of the variables that entries have declared, and `_` and `_error`.
  var names: [String] {
    var names: [String] = []
    _ = interpreter.withStack { stack in
      stack.push(homes)
      try? stack.forEachPair(at: -1) { stack throws(LuaError) in
        if let name = stack.string(at: -2) { names.append(name) }
        return true
      }
    }
    return names
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

  // MARK: Chunks

  /// Compiles an expression or a chunk.
  ///
  /// - Parameters:
  ///   - name: the chunk's name, with the mark of its kind: `=[12]` or `@file`.
  ///   - line: the number of its first line.
  func compile(_ source: [UInt8], named name: String, atLine line: Int = 1) -> Chunk {
    // Lua counts lines from the beginning of a text. That costs time in a long input, so only what
    // is executed, or has an error to be told, is read with the lines before it.
    let padding = [UInt8](repeating: 10, count: line - 1)
    // The line break turns an unfinished string into an error instead of an incomplete entry.
    let text = source + [10]
    let returned = Array("return ".utf8) + text
    let expression = Result { () throws(LuaError) in try load(returned, name) }
    if case .success = expression { return adopted(padding + returned, name) }
    let chunk = Result { () throws(LuaError) in try load(text, name) }
    guard case .failure(let error) = chunk else { return declaring(text, padding, name) }
    guard case .failure(let other) = expression else { return .incomplete }
    if error.isIncompleteChunk || other.isIncompleteChunk { return .incomplete }
    if let text = returningLastExpression(text, name) { return declaring(text, padding, name) }
    do {
      _ = try load(padding + (isAboutStart(error, source) ? returned : text), name)
    } catch { return .invalid(error) }
    return .invalid(error)
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

  /// A chunk whose locals become variables of the session.
  private func declaring(_ text: [UInt8], _ padding: [UInt8], _ name: String) -> Chunk {
    let locals = SessionLocals(text)
    guard !locals.names.isEmpty, (try? load(locals.text, name)) != nil else {
      return adopted(padding + text, name)
    }
    let names = locals.names.flatMap {
      [LuaValue.string(LuaString(utf8: $0.name)), .bool($0.isConstant)]
    }
    _ = try? interpreter.call(.reference(declare), names, results: 0)
    return adopted(padding + locals.text, name)
  }

  /// The line limit of entries whose last expression is searched for.
  private static let longestEntry = 200

  /// A chunk whose last lines are an expression, with a `return` before it; nil if there is none.
  private func returningLastExpression(
    _ text: [UInt8], _ name: String
  ) -> [UInt8]? {
    let starts = text.indices.dropLast().filter { text[$0] == 10 }.map { $0 + 1 }
    for start in starts.suffix(Self.longestEntry).reversed() {
      let chunk = Array(text[..<start]) + Array("return ".utf8) + text[start...]
      if (try? load(chunk, name)) != nil { return chunk }
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
      Result { () throws(LuaError) in try interpreter.load(bytes, chunkName: name) }
    }
    return try result.get()
  }

  /// Compiles a text to a function with the session's environment.
  private func adopted(_ text: [UInt8], _ name: String) -> Chunk {
    do {
      let results = try interpreter.call(
        adopt, .string(LuaString(text)), .string(LuaString(utf8: name)))
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
