import Platform
import RunnerCore

/// Reads lines from a descriptor, blocking. Holds at most a line and a piece.
struct LineReader {
  enum Line {
    case text([UInt8])
    /// A line beyond the limit, of which only the beginning was kept.
    case tooLong([UInt8])
  }

  /// The maximum length of a line in bytes.
  static let limit = 16 << 20
  private static let pieceLength = 65_536

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// The start of the data not handed out, and the end of the part known to have no newline.
  private var start = 0
  private var searched = 0
  private var hasEnded = false
  /// The number of bytes handed out or skipped.
  private(set) var consumed = 0
  /// The error number of a failed read.
  private(set) var problem: Int32 = 0

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// True if a line is available without waiting.
  mutating func hasLine() -> Bool { newline() != nil || hasEnded }

  /// The next line without its newline; nil at the end. The last one may lack a newline.
  mutating func next() -> Line? {
    while true {
      if let end = newline() {
        let line = Array(buffer[start..<end])
        consumed += line.count + 1
        start = end + 1
        searched = start
        return .text(line)
      }
      if buffer.count - start > Self.limit { return skip() }
      if hasEnded {
        guard start < buffer.count else { return nil }
        consumed += buffer.count - start
        defer { clear() }
        return .text(Array(buffer[start...]))
      }
      read()
    }
  }

  private mutating func newline() -> Int? {
    let from = searched
    let found: Int? = buffer.withUnsafeBytes { bytes in
      guard from < bytes.count, let base = bytes.baseAddress,
        let newline = memchr(base + from, 10, bytes.count - from)
      else { return nil }
      return UnsafeRawPointer(newline) - base
    }
    if found == nil { searched = buffer.count }
    return found
  }

  /// Skips the rest of a line that is too long.
  private mutating func skip() -> Line {
    let beginning = Array(buffer[start..<(start + 1_000)])
    while newline() == nil, !hasEnded {
      clear()
      read()
    }
    if let end = newline() {
      start = end + 1
      searched = start
    } else {
      clear()
    }
    return .tooLong(beginning)
  }

  private mutating func clear() {
    buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
    start = 0
    searched = 0
  }

  private mutating func read() {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    let count = withUnsafeTemporaryAllocation(byteCount: Self.pieceLength, alignment: 1) { space in
      var count = 0
      repeat {
        count = readBytes(from: descriptor, into: space)
      } while count < 0 && errno == EINTR
      if count < 0 { problem = errno }
      if count > 0 { buffer.append(contentsOf: space[..<count]) }
      return count
    }
    if count <= 0 { hasEnded = true }
  }
}
