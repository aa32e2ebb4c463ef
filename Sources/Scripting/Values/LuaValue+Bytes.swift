import LuaRuntime
import Platform

extension LuaValue {
  /// Makes a string value.
  init(_ text: String) {
    self = .string(text)
  }

  /// The bytes of a string or a number, in the form of a process argument; nil for any other value.
  var argumentBytes: [UInt8]? {
    switch self {
    case .string(let string): string.bytes
    case .integer(let integer): Array(String(integer).utf8)
    case .number(let number): Array(luaText(of: number).utf8)
    default: nil
    }
  }
}

extension LuaString {
  /// The bytes as an array.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// Returns a float as Lua prints it: 14 digits, and a point.
func luaText(of number: Double) -> String {
  var buffer = [CChar](repeating: 0, count: 40)
  _ = withVaList([number]) { vsnprintf(&buffer, buffer.count, "%.14g", $0) }
  let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.allSatisfy { $0.isNumber || $0 == "-" } ? text + ".0" : text
}
