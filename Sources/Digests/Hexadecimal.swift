extension [UInt8] {
  /// The bytes as hexadecimal digits.
  public var hexadecimal: String {
    String(unsafeUninitializedCapacity: count * 2) { digits in
      for (place, byte) in enumerated() {
        digits[place * 2] = Self.digit(byte >> 4)
        digits[place * 2 + 1] = Self.digit(byte & 15)
      }
      return count * 2
    }
  }

  /// The bytes that hexadecimal digits stand for; nil if one is none, or their number is odd.
  public init?(hexadecimal digits: UnsafeRawBufferPointer) {
    guard digits.count % 2 == 0 else { return nil }
    var isValid = true
    self.init(unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
      while count < digits.count / 2 {
        guard let high = Self.value(digits[count * 2]), let low = Self.value(digits[count * 2 + 1])
        else {
          isValid = false
          return
        }
        bytes[count] = high << 4 | low
        count += 1
      }
    }
    if !isValid { return nil }
  }

  /// The bytes that hexadecimal digits stand for; nil if one is none, or their number is odd.
  public init?(hexadecimal digits: some Sequence<UInt8>) {
    let bytes = ContiguousArray(digits).withUnsafeBytes { Self(hexadecimal: $0) }
    guard let bytes else { return nil }
    self = bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    case 65...70: digit - 55
    default: nil
    }
  }
}
