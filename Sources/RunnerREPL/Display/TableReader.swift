import LuaRuntime
import RunnerCore

/// Reads the visible content of a table without running code of the script.
struct TableReader {
  /// The way in which a table is shown.
  enum Kind: Equatable {
    case plain
    /// Its metatable, by its identity, has no name of its own.
    case hasMetatable(UInt)
    /// Its metatable has a name for its kind.
    case named(String)
    /// Its metatable has `__tostring`.
    case describesItself
  }

  struct Content {
    var list: [LuaValue] = []
    var fields: [(key: LuaValue, value: LuaValue)] = []
    /// A note about the omitted items.
    var rest: String?
  }

  private let interpreter: LuaInterpreter
  /// The number of items that may still be shown.
  private var budget: Int
  private let limits: ValueText.Limits

  init(_ interpreter: LuaInterpreter, _ limits: ValueText.Limits) {
    self.interpreter = interpreter
    self.limits = limits
    budget = limits.allItems
  }

  func kind(of table: LuaReference) -> Kind {
    interpreter.withStack { stack in
      stack.push(table)
      guard stack.pushMetatable(at: -1) else { return .plain }
      let metatable = stack.value(at: -1).referenceValue?.identity ?? 0
      // Tuples and errors of the library show their fields.
      let name = stack.rawGet("__name", at: -1) == .string ? stack.string(at: -1) : nil
      stack.pop()
      if let name, ["tuple", "error"].contains(name) { return .named(name) }
      let hasText = stack.rawGet("__tostring", at: -1) != .nil
      if hasText { return .describesItself }
      return name.map { .named($0) } ?? .hasMetatable(metatable)
    } ?? .plain
  }

  /// The first items of a table; nil if the budget is used up.
  mutating func content(of table: LuaReference) -> Content? {
    guard budget > 0, !KeyboardInterrupt.hasCome else { return nil }
    let limit = min(limits.items, budget)
    let walk = limits.walk
    var content = Content()
    _ = interpreter.withStack { stack in
      stack.push(table)
      let length = stack.rawLength(at: -1)
      for position in 0..<min(length, limit) {
        stack.rawGet(position + 1, at: -1)
        content.list.append(stack.value(at: -1))
        stack.pop()
      }
      var seen = 0
      let goesOn = { seen < walk && !KeyboardInterrupt.hasCome }
      var fields = 0
      try? stack.forEachPair(at: -1) { stack throws(LuaError) in
        seen += 1
        if case .integer(let key) = stack.value(at: -2), key >= 1, key <= Int64(length) {
          return goesOn()
        }
        fields += 1
        if content.fields.count < limit {
          content.fields.append((stack.value(at: -2), stack.value(at: -1)))
        }
        return goesOn()
      }
      content.fields.sort { Self.order($0.key) < Self.order($1.key) }
      content.fields = Array(content.fields.prefix(max(limit - content.list.count, 0)))
      let hidden = length - content.list.count + fields - content.fields.count
      if !goesOn() {
        content.rest = "… \(hidden) or more"
      } else if hidden > 0 {
        content.rest = "… \(hidden) more"
      }
    }
    budget -= content.list.count + content.fields.count
    return content
  }

  /// The sort order: names, then numbers, then the rest.
  private static func order(_ key: LuaValue) -> (Int, Double, String) {
    switch key {
    case .string(let string): (0, 0, string.description)
    case .integer, .number: (1, key.numberValue ?? 0, "")
    default: (2, 0, key.description)
    }
  }
}
