extension String {
  /// The text quoted as one word for a POSIX shell. Text with control characters or bytes that are
  /// not UTF-8 takes the form `$'…'`, which POSIX has had since 2024.
  public var quotedForShell: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./,:=@%+".utf8.contains(byte)
      }
    }
    if isPlain, !isEmpty { return self }
    guard keepsBytes || utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      return "'" + replacing("'", with: "'\\''") + "'"
    }
    return exactBytes.reduce(into: "$'") { result, byte in
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"):
        result += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: result += String(UnicodeScalar(byte))
      default:
        // Always three octal digits, because any digit may follow.
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    } + "'"
  }
}
