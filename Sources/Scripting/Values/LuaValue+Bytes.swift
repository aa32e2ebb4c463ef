import LuaRuntime

extension LuaValue {
  /// Makes a string value.
  init(_ text: String) {
    self = .string(text)
  }

  /// The bytes of a string or a number, in the form of a process argument; nil for any other value.
  var argumentBytes: [UInt8]? {
    switch self {
    case .string(let string): string.bytes
    case .integer, .number: Array(description.utf8)
    default: nil
    }
  }
}

extension LuaString {
  /// The bytes as an array.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
