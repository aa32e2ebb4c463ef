/// A Lua value. Small values cross the boundary without allocation; strings are copied; all other
/// values are references into their interpreter. Integers and floats remain distinct, as in Lua.
public enum LuaValue: Sendable {
  case `nil`
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(LuaString)
  case reference(LuaReference)

  /// Makes a string value.
  public static func string(_ text: String) -> LuaValue { .string(LuaString(utf8: text)) }

  /// The type of the value.
  public var type: LuaType {
    switch self {
    case .nil: .nil
    case .bool: .boolean
    case .integer, .number: .number
    case .string: .string
    case .reference(let reference): reference.type
    }
  }

  /// True if it is nil.
  public var isNil: Bool {
    if case .nil = self { true } else { false }
  }

  /// The truth value in Lua: false only for nil and false.
  public var isTruthy: Bool {
    switch self {
    case .nil, .bool(false): false
    default: true
    }
  }

  /// The integer, or that of a float with an integral value in range.
  public var integerValue: Int64? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// The number as a float.
  public var numberValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// The boolean.
  public var boolValue: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The bytes of a string.
  public var stringValue: LuaString? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The reference to a table, function, userdata or coroutine.
  public var referenceValue: LuaReference? {
    if case .reference(let reference) = self { reference } else { nil }
  }
}

extension LuaValue: Equatable, Hashable {
  /// Lua's raw equality: an integer equals a float of the same mathematical value, objects equal
  /// only themselves, NaN equals nothing.
  public static func == (left: LuaValue, right: LuaValue) -> Bool {
    switch (left, right) {
    case (.nil, .nil): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)):
      Int64(exactly: b) == a
    case (.string(let a), .string(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    default: false
    }
  }

  /// Agrees with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .nil: hasher.combine(0)
    case .bool(let bool): hasher.combine(bool)
    case .integer(let integer): hasher.combine(integer)
    case .number(let number):
      if let integer = Int64(exactly: number) {
        hasher.combine(integer)
      } else {
        hasher.combine(number)
      }
    case .string(let string): hasher.combine(string)
    case .reference(let reference): hasher.combine(reference)
    }
  }
}

extension LuaValue: CustomStringConvertible {
  /// A short text; runs no Lua. Use `LuaStack.describe(at:)` for Lua's `tostring`.
  ///
  /// Of a float the shortest text from which Lua reads the same float: `0.30000000000000004`,
  /// `9007199254740992.0`, `1e+16`, `inf`. It always has a point or an exponent, as in Lua, so that no
  /// float looks like an integer.
  public var description: String {
    switch self {
    case .nil: "nil"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .string(let string): string.description
    case .reference(let reference):
      "\(reference.type.name): 0x\(String(reference.identity, radix: 16))"
    }
  }
}

extension LuaValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  /// Nil.
  public init(nilLiteral: ()) { self = .nil }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A float.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}
