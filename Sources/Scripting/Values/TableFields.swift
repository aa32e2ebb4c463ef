import LuaRuntime

/// The fields of a table on a stack, read raw. Leaves the stack unchanged.
struct TableFields {
  let stack: LuaStack
  let index: Int
  /// The keys, if they were read in advance.
  private let keys: (names: [String], hasOthers: Bool)?

  /// The greatest valid `n` of a table; a greater one is taken for a mistake.
  static let longestList: Int64 = 1 << 24

  init(_ stack: LuaStack, at index: Int) {
    self.stack = stack
    self.index = stack.absolute(index)
    keys = nil
  }

  /// Reads the keys in advance, so that one that is absent is not looked for in Lua: a definition has
  /// three of the fifty that it may have. The table must not change while its fields are read.
  init(readingKeysOf stack: LuaStack, at index: Int) {
    self.stack = stack
    self.index = stack.absolute(index)
    keys = stack.keys(at: index)
  }

  /// Pushes a field, nil if it is absent. Returns its type. [-0, +1] needs 2
  @discardableResult
  func push(_ name: String) -> LuaType {
    guard mayHave(name) else {
      stack.pushNil()
      return .nil
    }
    return stack.rawGet(name, at: index)
  }

  private func mayHave(_ name: String) -> Bool {
    guard let keys else { return true }
    // Most names are told apart by their length, which costs less than to compare them.
    return keys.names.contains { $0.utf8.count == name.utf8.count && $0 == name }
  }

  subscript(name: String) -> LuaValue {
    guard mayHave(name) else { return .nil }
    stack.rawGet(name, at: index)
    defer { stack.pop() }
    return stack.value(at: -1)
  }

  func type(_ name: String) -> LuaType {
    guard mayHave(name) else { return .nil }
    let type = stack.rawGet(name, at: index)
    stack.pop()
    return type
  }

  func text(_ name: String) -> String? { self[name].stringValue?.exactText }

  func integer(_ name: String) -> Int64? { self[name].integerValue }

  /// Returns the list in a field: its elements from 1 up to the border.
  func list(_ name: String) -> [LuaValue] {
    defer { stack.pop() }
    return push(name) == .table ? TableFields(stack, at: -1).elements : []
  }

  /// The elements of the table itself, from 1 up to the border.
  var elements: [LuaValue] { elements(count: stack.rawLength(at: index)) }

  /// Returns the elements of the table itself from 1 up to a number, absent ones as nil.
  func elements(count: Int) -> [LuaValue] {
    (0..<count).map { position in
      stack.rawGet(position + 1, at: index)
      defer { stack.pop() }
      return stack.value(at: -1)
    }
  }

  /// Returns the problem of each unknown key.
  ///
  /// - Parameter isList: true if positions are valid keys.
  func unknownKeys(besides known: Set<String>, isList: Bool = false) -> [String] {
    if let keys, !keys.hasOthers, keys.names.allSatisfy(known.contains) { return [] }
    var unknown: [String] = []
    var unnamed: [String] = []
    try? stack.forEachPair(at: index) { stack throws(LuaError) in
      switch stack.value(at: -2) {
      case .integer where isList: break
      case .integer where known.contains("name"):
        unnamed.append(unnamedValue(stack.value(at: -1), known))
      case let key where !known.contains(key.description): unknown.append(key.description)
      default: break
      }
      return true
    }
    return unnamed
      + unknown.sorted().map { key in
        "unknown key '\(key)'"
          + didYouMean(
            ForeignKeys.meant(by: key, among: known) ?? nearestName(to: key, among: known),
            otherwise: "the keys are \(known.sorted().joined(separator: ", "))")
      }
  }

  /// Returns the problem of a value without a key, which probably belongs to `name` or to `run`.
  private func unnamedValue(_ value: LuaValue, _ known: Set<String>) -> String {
    if let text = value.stringValue?.exactText {
      let key = type("name") == .nil || !known.contains("run") ? "name" : "run"
      return "unnamed value \"\(text)\"; write \(key) = \"\(text)\""
    }
    let kind = value.type.name
    guard known.contains("run"), value.type == .function || value.type == .table else {
      return "unnamed \(kind)"
    }
    return "unnamed \(kind); write run = \(kind == "table" ? "{…}" : "\(kind)…")"
  }

  /// Returns the reason for refusing each key that needs a capability that scripts lack.
  func refusedKeys(of record: APIRecord, _ interpreter: LuaInterpreter) -> [String] {
    guard interpreter.confinement != nil else { return [] }
    return names.filter(record.keys.contains).sorted().compactMap { key in
      do throws(Refused) {
        try interpreter.demand(record.needs(of: key), for: key)
        return nil
      } catch {
        return error.description
      }
    }
  }

  /// All keys that are strings.
  var names: [String] { (keys ?? stack.keys(at: index)).names }
}
