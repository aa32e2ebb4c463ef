/// Text that keeps bytes which are not UTF-8.
///
/// Arguments, paths and variables are bytes to the system and text to the program. As in Python
/// (PEP 383), a byte that is not part of valid UTF-8 becomes a character of its own, here U+10FE00
/// plus the byte in a private-use area, and is converted back to the byte when the text leaves the
/// program. If the input contains those characters themselves, their bytes are converted in the
/// same way, so that every sequence of bytes survives the round trip.
extension String {
  /// Converts bytes to text; `exactBytes` returns the same bytes.
  public init(exactly bytes: UnsafeRawBufferPointer) {
    // Most text; a program's first validation makes metadata of Swift's, which costs a start more than
    // everything else about its arguments.
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
      return
    }
    if let text = String(validating: bytes, as: UTF8.self), !text.keepsBytes {
      self = text
      return
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 32)
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      if length > 0, !bytes.isKeptByte(at: index) {
        text += bytes[index..<(index + length)]
        index += length
      } else {
        let byte = bytes[index]
        text += [0xF4, 0x8F, byte < 0xC0 ? 0xBA : 0xBB, byte & 0x3F | 0x80]
        index += 1
      }
    }
    self = String(decoding: text, as: UTF8.self)
  }

  /// Converts bytes to text.
  public init(exactly bytes: some Collection<UInt8>) {
    let copy = ContiguousArray(bytes)
    self = copy.withUnsafeBytes { String(exactly: $0) }
  }

  /// Converts a C string to text.
  public init(exactly string: UnsafePointer<CChar>) {
    self.init(exactly: UnsafeRawBufferPointer(start: string, count: strlen(string)))
  }

  /// Calls `body` with the bytes that the text represents, which are valid during the call.
  public func withExactBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    var text = self
    guard text.keepsBytes else {
      return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
    return try exactBytes.withUnsafeBytes(body)
  }

  /// The bytes that the text represents: its UTF-8, with the bytes that were not UTF-8 restored.
  public var exactBytes: [UInt8] {
    var text = self
    return text.withUTF8 { utf8 in
      let utf8 = UnsafeRawBufferPointer(utf8)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(utf8.count)
      var index = 0
      while index < utf8.count {
        if utf8.isKeptByte(at: index) {
          bytes.append(utf8[index + 3] & 0x3F | (utf8[index + 2] == 0xBA ? 0x80 : 0xC0))
          index += 4
        } else {
          bytes.append(utf8[index])
          index += 1
        }
      }
      return bytes
    }
  }

  /// The text with U+FFFD for each byte that is not UTF-8, for text-only formats.
  public var repaired: String { keepsBytes ? String(decoding: exactBytes, as: UTF8.self) : self }

  /// True if the text contains bytes that are not UTF-8.
  public var keepsBytes: Bool {
    var text = self
    return text.withUTF8 { utf8 in
      var rest = UnsafeRawBufferPointer(utf8)
      while let start = rest.baseAddress, let lead = memchr(start, 0xF4, rest.count) {
        let index = UnsafeRawPointer(lead) - start
        if rest.isKeptByte(at: index) { return true }
        rest = UnsafeRawBufferPointer(rebasing: rest[(index + 1)...])
      }
      return false
    }
  }

  /// Calls `body` with the text as a C string, as the system expects paths and names.
  public func withCBytes<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result
  {
    guard keepsBytes else { return try withCString(body) }
    return try (exactBytes + [0]).withUnsafeBufferPointer { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { text in
        // Never empty: it contains the terminating zero.
        try body(text.baseAddress.unsafelyUnwrapped)
      }
    }
  }
}

extension Unicode.Scalar {
  /// True if it represents a byte that is not UTF-8 where it stands in a text.
  public var keepsByte: Bool { (0x10_FE80...0x10_FEFF).contains(value) }
}

extension UnsafeRawBufferPointer {
  /// Returns true if the UTF-8 of a character that represents a byte begins at an index.
  fileprivate func isKeptByte(at index: Int) -> Bool {
    index + 3 < count && self[index] == 0xF4 && self[index + 1] == 0x8F
      && (self[index + 2] == 0xBA || self[index + 2] == 0xBB) && self[index + 3] & 0xC0 == 0x80
  }

  /// The length in bytes of the valid UTF-8 character that begins at an index; 0 if there is none.
  fileprivate func lengthOfScalar(at index: Int) -> Int {
    let lead = self[index]
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch lead {
      case ..<0x80: (1, 0...0)
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: (0, 0...0)
      }
    guard length > 1 else { return length }
    guard index + length <= count, second.contains(self[index + 1]) else { return 0 }
    return self[(index + 2)..<(index + length)].allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
  }
}

extension StringProtocol
where SubSequence == Substring, UTF8View: BidirectionalCollection {
  /// The text before and after the first occurrence of an ASCII character, even where a following
  /// combining character would form one character with it; nil if it does not occur.
  @inlinable
  public func cut(atFirst mark: Unicode.Scalar) -> (before: Substring, after: Substring)? {
    utf8.firstIndex(of: UInt8(ascii: mark)).map { cut(at: $0) }
  }

  /// The text before and after the last occurrence of an ASCII character; see `cut(atFirst:)`.
  @inlinable
  public func cut(atLast mark: Unicode.Scalar) -> (before: Substring, after: Substring)? {
    utf8.lastIndex(of: UInt8(ascii: mark)).map { cut(at: $0) }
  }

  @inlinable
  func cut(at index: Index) -> (before: Substring, after: Substring) {
    (self[..<index], self[utf8.index(after: index)...])
  }
}
