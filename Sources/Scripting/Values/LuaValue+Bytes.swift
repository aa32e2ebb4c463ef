import LuaRuntime

extension LuaValue {
  /// A text.
  init(_ text: String) {
    self = .string(text)
  }

  /// The bytes of a string or a number, as a process takes them; nil for anything else.
  var argumentBytes: [UInt8]? {
    switch self {
    case .string(let string): string.bytes
    case .integer(let integer): Array(String(integer).utf8)
    case .number(let number):
      // As Lua prints it: a float keeps its point.
      Array(String(number).utf8)
    default: nil
    }
  }
}

extension LuaString {
  /// The bytes as an array.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
