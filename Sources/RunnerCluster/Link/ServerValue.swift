import Digests

/// A parameter of a statement, in the text form that the server reads.
package enum ServerValue: Sendable {
  case null
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case binary([UInt8])
  case integers([Int?])
  case numbers([Double?])
  case texts([String?])
  case binaries([[UInt8]?])

  /// The text, without a zero at its end; nil for NULL.
  var bytes: [UInt8]? {
    switch self {
    case .null: return nil
    case .text(let text): return Self.storable(text)
    case .integer(let value): return Array("\(value)".utf8)
    case .number(let value): return Array("\(value)".utf8)
    case .boolean(let value): return [value ? UInt8(ascii: "t") : UInt8(ascii: "f")]
    case .binary(let bytes): return Self.hexadecimal(bytes)
    case .integers(let values): return Self.array(values) { $1 += "\($0)".utf8 }
    case .numbers(let values): return Self.array(values) { $1 += "\($0)".utf8 }
    case .texts(let values): return Self.array(values) { Self.quote(Self.storable($0), &$1) }
    case .binaries(let values): return Self.array(values) { Self.quote(Self.hexadecimal($0), &$1) }
    }
  }

  /// The bytes of a text, with U+FFFD in place of zeros, which the server cannot store.
  private static func storable(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes.contains(0)
      ? Array(
        text.split(separator: "\0", omittingEmptySubsequences: false)
          .joined(separator: "\u{FFFD}").utf8) : bytes
  }

  private static func array<Element>(
    _ elements: [Element?], _ encode: (Element, inout [UInt8]) -> Void
  ) -> [UInt8] {
    var result: [UInt8] = [UInt8(ascii: "{")]
    for (index, element) in elements.enumerated() {
      if index > 0 { result.append(UInt8(ascii: ",")) }
      if let element { encode(element, &result) } else { result += "NULL".utf8 }
    }
    result.append(UInt8(ascii: "}"))
    return result
  }

  private static func quote(_ bytes: [UInt8], _ result: inout [UInt8]) {
    result.append(UInt8(ascii: "\""))
    var start = 0
    for (index, byte) in bytes.enumerated()
    where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      result += bytes[start..<index]
      result.append(UInt8(ascii: "\\"))
      start = index
    }
    result += bytes[start...]
    result.append(UInt8(ascii: "\""))
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
    Array("\\x\(bytes.hexadecimal)".utf8)
  }
}
