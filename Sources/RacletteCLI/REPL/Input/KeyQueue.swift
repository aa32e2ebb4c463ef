/// Bytes from a terminal that are waiting to be taken as characters.
struct KeyQueue {
  /// How many bytes that were taken are kept: a mark may have been taken in part.
  private static let memory = 8

  private var bytes: [UInt8] = []
  private var start = 0

  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    if start > Self.memory, isEmpty {
      bytes.removeFirst(start - Self.memory)
      start = Self.memory
    }
    bytes.append(contentsOf: chunk)
  }

  /// Puts keys in front of those that wait.
  mutating func prepend(_ keys: String) {
    bytes.replaceSubrange(..<start, with: keys.utf8)
    start = 0
  }

  /// Whether the keys end after a mark that begins something, and before the one that ends it. The first
  /// bytes of the mark may have been taken, but not all.
  func endInside(_ start: [UInt8], _ end: [UInt8]) -> Bool {
    var isInside = false
    var position = max(0, self.start - start.count + 1)
    while position < bytes.count {
      if bytes[position...].starts(with: start) { isInside = true }
      if bytes[position...].starts(with: end) { isInside = false }
      position += 1
    }
    return isInside
  }

  /// Forgets all but the last bytes.
  mutating func keepLast(_ count: Int) {
    bytes.removeFirst(max(start, bytes.count - count))
    start = 0
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.count <= 65_536)
    start = 0
  }

  /// The next character; nil while none has come whole. What is no UTF-8 is replaced.
  mutating func next() -> Unicode.Scalar? {
    guard !isEmpty else { return nil }
    let length = Self.length(startingWith: bytes[start])
    guard length > 1 else {
      defer { start += 1 }
      return length == 1 ? Unicode.Scalar(bytes[start]) : "\u{FFFD}"
    }
    let end = (start + 1..<min(start + length, bytes.count)).first { bytes[$0] & 0xC0 != 0x80 }
    if let end {
      start = end
      return "\u{FFFD}"
    }
    guard start + length <= bytes.count else { return nil }
    defer { start += length }
    return String(decoding: bytes[start..<start + length], as: UTF8.self).unicodeScalars.first
  }

  /// Takes bytes up to a mark, the mark too; nil while it has not come.
  mutating func take(upTo mark: [UInt8]) -> [UInt8]? {
    guard let first = mark.first else { return [] }
    var position = start
    while let found = bytes[position...].firstIndex(of: first) {
      if bytes[found...].starts(with: mark) {
        defer { start = found + mark.count }
        return Array(bytes[start..<found])
      }
      position = found + 1
    }
    return nil
  }

  /// How many bytes a character has that begins with one; 0 for a byte that begins none.
  private static func length(startingWith byte: UInt8) -> Int {
    switch byte {
    case ..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }
}
