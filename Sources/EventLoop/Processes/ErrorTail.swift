/// The last lines of a stream, in bounded memory.
struct ErrorTail {
  static let maximumLines = 20
  static let maximumBytes = 8_192

  private var bytes: [UInt8] = []
  private var wasCut = false

  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: chunk.suffix(ErrorTail.maximumBytes + 1))
    // The buffer may grow to twice the size before each cut, so that bytes are not moved for every
    // chunk.
    if bytes.count > 2 * ErrorTail.maximumBytes { cut() }
  }

  /// The last lines. A line without its beginning is omitted unless it is the only one.
  mutating func contents() -> [UInt8] {
    if bytes.count > ErrorTail.maximumBytes { cut() }
    var start = bytes.startIndex
    if wasCut, let end = bytes.firstIndex(of: 10), end + 1 < bytes.endIndex { start = end + 1 }
    var lines = 0
    for index in bytes.indices.dropLast().reversed() where index >= start && bytes[index] == 10 {
      lines += 1
      if lines == ErrorTail.maximumLines { return Array(bytes[(index + 1)...]) }
    }
    return Array(bytes[start...])
  }

  private mutating func cut() {
    let surplus = bytes.count - ErrorTail.maximumBytes
    // A cut right after a newline removes no line's beginning.
    wasCut = bytes[surplus - 1] != 10
    bytes.removeFirst(surplus)
  }
}
