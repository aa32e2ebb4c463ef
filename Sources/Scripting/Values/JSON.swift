import CJansson
import LuaRuntime

/// A table is a list if it is not empty and its keys are 1 to its length, or 1 to its field `n`;
/// any other table is an object. The library marks with a metatable those of its own tables for
/// which this rule is wrong.
extension LuaStack {
  /// Encodes the value at an index as compact JSON. Leaves the stack unchanged.
  ///
  /// - Throws: `LuaError` for a value that cannot be encoded as JSON: functions and userdata, NaN
  ///   and infinities, tables that contain themselves. Inside a table it says where.
  func json(at index: Int) throws(LuaError) -> String { try jsonValue(at: index).text }

  /// Converts the value at an index to a document, under the same rules.
  func jsonValue(at index: Int) throws(LuaError) -> JSONValue {
    var effort = JSONEffort(interpreter)
    do { return try jsonValue(at: absolute(index), depth: 0, &effort) } catch {
      throw effort.located(error)
    }
  }

  private static var deepest: Int { 1_000 }

  /// The name of the metatable of a list that contains only nil.
  private static var listName: String { "JSON list" }
  /// The name of the metatable of an object that would otherwise be encoded as an empty list.
  private static var objectName: String { "JSON object" }

  private func jsonValue(
    at index: Int, depth: Int, _ effort: inout JSONEffort
  ) throws(LuaError) -> JSONValue {
    try effort.spend(MemoryLayout<JSONValue>.stride + rawLength(at: index))
    switch value(at: index) {
    case .nil: return .null
    case .bool(let bool): return .bool(bool)
    case .integer(let integer): return .integer(integer)
    case .number(let number):
      guard number.isFinite else { throw effort.refusal("\(number) cannot be encoded as JSON") }
      return .number(number)
    // Bytes that are not UTF-8 are repaired when the text is written.
    case .string(let string): return .string(string.exactText)
    case .reference(let reference):
      // Errors may hold a command.
      if let command = object(at: index, Userdata.command)?.script { return .string(command.name) }
      guard reference.type == .table else {
        throw effort.refusal("a \(reference.type.name) cannot be encoded as JSON")
      }
      guard depth < Self.deepest, ensure(8) else {
        throw effort.refusal(
          "the table is nested more than \(Self.deepest) deep, or contains itself")
      }
      if let count = try listCount(at: index) {
        return try jsonList(at: index, count, depth, &effort)
      }
      return try jsonObject(at: index, depth, &effort)
    }
  }

  /// Returns the length of a list, nil for an object. A field `n`, which also counts nil elements,
  /// gives the length if every other key is a position in the list and there is at least one. An
  /// `n` alone is an ordinary field, except for the 0 of an empty list.
  private func listCount(at index: Int) throws(LuaError) -> Int? {
    let name = metatableName(at: index)
    if name == Self.objectName { return nil }
    let mayHoldNothing = name == Self.listName || name == "tuple"
    let told = TableFields(self, at: index).integer("n")
    let length = told.map { Int(clamping: $0) } ?? rawLength(at: index)
    guard (0...TableFields.longestList).contains(Int64(length)) else { return nil }
    var count = 0
    var isList = true
    try forEachPair(at: index) { stack throws(LuaError) in
      if stack.type(at: -2) == .string {
        isList = told != nil && stack.string(at: -2) == "n"
      } else {
        isList =
          stack.type(at: -2) == .number
          && stack.integer(at: -2).map { $0 > 0 && $0 <= length } ?? false
        count += 1
      }
      return isList
    }
    let isToldOfNothing = count == 0 && told != 0 && !mayHoldNothing
    return isList && !isToldOfNothing && (told != nil || count == length) ? length : nil
  }

  private func metatableName(at index: Int) -> String? {
    guard pushMetatable(at: index) else { return nil }
    defer { pop() }
    return TableFields(self, at: -1).text("__name")
  }

  private func setMetatable(named name: String) {
    newTable(fields: 1)
    set("__name", .string(name), at: -1)
    setMetatable(at: -2)
  }

  /// Marks the list at the top, whose elements are all nil, as a list.
  func markEmptyList() { setMetatable(named: Self.listName) }

  /// Marks the table of fields at the top as an object if its only field is an `n` of 0.
  ///
  /// - Parameter count: the number of its fields.
  func markObject(of count: Int) {
    if count == 1, TableFields(self, at: -1).integer("n") == 0 {
      setMetatable(named: Self.objectName)
    }
  }

  private func jsonList(
    at index: Int, _ count: Int, _ depth: Int, _ effort: inout JSONEffort
  ) throws(LuaError) -> JSONValue {
    // The field `n` gives the length of a list.
    try effort.spend(count * MemoryLayout<JSONValue>.stride)
    var elements: [JSONValue] = []
    elements.reserveCapacity(count)
    for position in 0..<count {
      rawGet(position + 1, at: index)
      defer { pop() }
      do { elements.append(try jsonValue(at: top, depth: depth + 1, &effort)) } catch {
        throw effort.passing(error, through: .integer(Int64(position + 1)))
      }
    }
    return .list(elements)
  }

  private func jsonObject(
    at index: Int, _ depth: Int, _ effort: inout JSONEffort
  ) throws(LuaError) -> JSONValue {
    // No dictionary: to Swift, texts that Unicode calls equal are the same key.
    var fields: [(String, JSONValue)] = []
    try forEachPair(at: index) { stack throws(LuaError) in
      let key = stack.value(at: -2)
      switch key {
      case .string, .integer, .number: break
      default: throw effort.refusal("a \(key.type.name) cannot be a key in JSON")
      }
      let name = key.stringValue?.exactText ?? key.description
      guard !name.utf8.contains(0) else {
        throw effort.refusal("a text with a zero byte cannot be a key in JSON")
      }
      do throws(LuaError) {
        fields.append((name, try stack.jsonValue(at: stack.top, depth: depth + 1, &effort)))
      } catch { throw effort.passing(error, through: key) }
      return true
    }
    // Sorted, because Lua's own order differs from run to run.
    fields.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    for (one, next) in zip(fields, fields.dropFirst()) where one.0.utf8.elementsEqual(next.0.utf8) {
      throw effort.refusal("two keys are \(one.0.debugDescription) in JSON, a number and a text")
    }
    return .object(fields)
  }

  /// Pushes the value of a JSON text. Null is nil: a list that holds one, or is empty, has its
  /// length in `n`; a field of an object is left out. [-0, +1; on error +0]
  ///
  /// - Throws: `InputError.invalidJSON`, with line and column.
  func push(json text: String) throws(InputError) {
    guard hasRoom(forJSON: text) else { throw .tooLarge(interpreter.memoryLimitText) }
    let node: UnsafeMutablePointer<json_t>
    do { node = try JSONValue.parse(text.exactBytes) } catch {
      throw .invalidJSON(error.description)
    }
    defer { json_decref(node) }
    let base = top
    do { try push(node, depth: 0) } catch {
      top = base
      throw error
    }
  }

  /// Returns true if the value of a text fits the remaining memory, both as a document and as Lua's
  /// values.
  private func hasRoom(forJSON text: String) -> Bool {
    guard let limit = interpreter.memoryLimit else { return true }
    let room = limit - interpreter.memoryInUse - text.utf8.count * 2
    // A text has at most half as many values as bytes.
    if text.utf8.count / 2 * Self.bytesPerJSONValue < room { return true }
    var values = 1
    var isInString = false
    var isEscaped = false
    for byte in text.utf8 {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): values += 1
        default: break
        }
      }
    }
    return values * Self.bytesPerJSONValue < room
  }

  private static var bytesPerJSONValue: Int { 100 }

  private func push(
    _ node: UnsafeMutablePointer<json_t>, depth: Int
  ) throws(InputError) {
    let isTable = node.pointee.type == JSON_OBJECT || node.pointee.type == JSON_ARRAY
    guard !isTable || depth < Self.deepest, ensure(8) else {
      throw .invalidJSON("it is nested more than \(Self.deepest) deep")
    }
    switch node.pointee.type {
    case JSON_OBJECT:
      newTable(fields: json_object_size(node))
      var iterator = json_object_iter(node)
      while let current = iterator {
        if let value = json_object_iter_value(current) {
          try push(value, depth: depth + 1)
          rawSet(String(exactly: json_object_iter_key(current)), at: -2)
        }
        iterator = json_object_iter_next(node, current)
      }
      markObject(of: json_object_size(node))
    case JSON_ARRAY:
      let count = json_array_size(node)
      newTable(elements: count)
      var nulls = 0
      for index in 0..<count {
        if let element = json_array_get(node, index) {
          try push(element, depth: depth + 1)
        } else {
          pushNil()
        }
        if type(at: -1) == .nil { nulls += 1 }
        rawSet(index + 1, at: -2)
      }
      // Without `n`, it would not be encoded as the same list again.
      if nulls > 0 || count == 0 { set("n", .integer(Int64(count)), at: -1) }
      if nulls == count, count > 0 { markEmptyList() }
    case JSON_STRING:
      push(
        UnsafeRawBufferPointer(
          start: json_string_value(node), count: json_string_length(node)))
    case JSON_INTEGER: push(json_integer_value(node))
    case JSON_REAL: push(json_real_value(node))
    case JSON_TRUE: push(true)
    case JSON_FALSE: push(false)
    default: pushNil()
    }
  }
}

/// The progress of encoding one document: its budget, because a table that refers to another many
/// times can make a text of any size, and where what cannot be encoded stands.
private struct JSONEffort {
  private let interpreter: LuaInterpreter
  private var room: Int
  private var untilCheck = 1_000
  /// The error about a value that cannot be encoded, and the keys that lead to it, the last one first.
  private var refusal: LuaError?
  private var keys: [LuaValue] = []

  init(_ interpreter: LuaInterpreter) {
    self.interpreter = interpreter
    room = interpreter.memoryLimit.map { max(0, $0 - interpreter.memoryInUse) } ?? .max
  }

  /// Charges for a value.
  ///
  /// - Throws: an error if the memory limit is reached or the script has to stop.
  mutating func spend(_ bytes: Int) throws(LuaError) {
    guard bytes <= room else { throw .memoryLimit(of: interpreter) }
    room -= bytes
    untilCheck -= 1
    guard untilCheck == 0 else { return }
    untilCheck = 1_000
    if interpreter.isInterrupted { throw LuaError("interrupted") }
  }

  /// An error about a value that cannot be encoded.
  mutating func refusal(_ message: String) -> LuaError {
    let error = LuaError(message)
    refusal = error
    return error
  }

  /// The same error, after the field that it was thrown in was noted.
  mutating func passing(_ error: LuaError, through key: LuaValue) -> LuaError {
    keys.append(key)
    return error
  }

  /// The same error, or for a value inside a table one that says where.
  func located(_ error: LuaError) -> LuaError {
    guard error === refusal, !keys.isEmpty else { return error }
    // A table that contains itself is found very deep.
    let mostKeys = 8
    let path = keys.reversed().prefix(mostKeys).map(Self.text(of:)).joined()
    return LuaError(
      error.message + ", at " + path.drop { $0 == "." } + (keys.count > mostKeys ? "…" : ""))
  }

  /// A key as it stands in an expression of Lua.
  private static func text(of key: LuaValue) -> String {
    guard let name = key.stringValue?.exactText else { return "[\(key)]" }
    let text = LuaLiteral.key(Secrets.masked(name))
    return text.hasPrefix("[") ? text : "." + text
  }
}
