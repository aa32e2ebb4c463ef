import Platform

/// Splits a stream of bytes into lines.
///
/// A line ends with `\n`, which is not part of it; all other bytes are, including a `\r` before the
/// `\n`. A line within one chunk is passed on without copying; only a line that spans chunks is
/// copied. A line is valid only while its callback runs.
public struct LineSplitter {
  /// The maximum size of a piece in bytes. A longer line is delivered as pieces of at most this
  /// length, which do not end a line, followed by the rest, which does.
  public let limit: Int
  private let openEnd: (UnsafeRawBufferPointer) -> Int
  private var partial: [UInt8] = []

  /// A splitter for a new stream; lines are unlimited unless `limit`, at least 1, is given.
  ///
  /// - Parameter openEnd: the number of bytes at the end of a piece that belong to the next piece
  ///   of its line.
  public init(
    limit: Int = .max, openEnd: @escaping (UnsafeRawBufferPointer) -> Int = { _ in 0 }
  ) {
    precondition(limit > 0, "a line holds at least one byte")
    self.limit = limit
    self.openEnd = openEnd
  }

  /// Part or all of a line.
  public typealias Piece = (bytes: UnsafeRawBufferPointer, endsLine: Bool)

  /// Passes each line that `chunk` completes to `body`, and keeps the rest.
  public mutating func append(
    _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    append(
      chunk,
      while: { piece in
        body(piece.bytes)
        return true
      })
  }

  /// Passes the lines that `chunk` completes to `body` until that returns false, and keeps the
  /// bytes after the last one.
  ///
  /// - Returns: the number of bytes of the chunk that were used; append the others again.
  @discardableResult
  public mutating func append(
    _ chunk: UnsafeRawBufferPointer, while body: (Piece) -> Bool
  ) -> Int {
    var rest = chunk[...]
    while let length = LineSplitter.distanceToNewline(in: rest) {
      let line = rest.prefix(length)
      rest = rest.dropFirst(length + 1)
      var goesOn = true
      if partial.isEmpty {
        hand(UnsafeRawBufferPointer(rebasing: line), endsLine: true) { goesOn = body($0) }
      } else {
        partial.append(contentsOf: line)
        handPartial(endsLine: true) { goesOn = body($0) }
      }
      if !goesOn { return chunk.count - rest.count }
    }
    guard !rest.isEmpty else { return chunk.count }
    partial.append(contentsOf: rest)
    // All pieces of a line that is too long are delivered, even if `body` returns false: they are
    // few.
    if partial.count > limit { handPartial(endsLine: false) { _ = body($0) } }
    return chunk.count
  }

  /// Returns the lines that `chunk` completes in one array, each with its newline, and keeps the
  /// rest.
  ///
  /// - Returns: nil if nothing was taken because the lines have to be handled one by one: there are
  ///   few, or one may be too long.
  public mutating func appendWhole(_ chunk: UnsafeRawBufferPointer) -> [UInt8]? {
    guard chunk.count >= LineSplitter.worthwhile, chunk.count + partial.count <= limit,
      let end = chunk.lastIndex(of: 10)
    else { return nil }
    var lines: [UInt8] = []
    lines.reserveCapacity(partial.count + end + 1)
    lines += partial
    lines += chunk[...end]
    partial.removeAll(keepingCapacity: partial.capacity <= 65_536)
    partial += chunk[(end + 1)...]
    return lines
  }

  /// True if there are bytes after the last newline.
  public var hasUnfinished: Bool { !partial.isEmpty }

  /// The bytes after the last newline.
  public var unfinished: [UInt8] { partial }

  /// Smaller chunks gain nothing.
  private static let worthwhile = 4_096

  /// Passes the bytes after the last newline to `body`, if there are any, and resets the splitter.
  public mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard !partial.isEmpty else { return }
    let line = partial
    partial = []
    line.withUnsafeBytes(body)
  }

  private static func distanceToNewline(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let start = bytes.baseAddress, let found = memchr(start, 10, bytes.count) else {
      return nil
    }
    return found - UnsafeMutableRawPointer(mutating: start)
  }

  private mutating func handPartial(endsLine: Bool, _ body: (Piece) -> Void) {
    // Moved out while the callback runs, so that the callback never sees it half changed.
    var line = partial
    partial = []
    let handed = line.withUnsafeBytes { hand($0, endsLine: endsLine, body) }
    line.removeFirst(handed)
    // A huge line must not hold its memory for the rest of the stream.
    if line.capacity <= 65_536 || !line.isEmpty { partial = line }
  }

  /// Passes on a line or, while its end is unknown, only its full pieces. Returns the number of
  /// bytes used.
  @discardableResult
  private func hand(
    _ bytes: UnsafeRawBufferPointer, endsLine: Bool, _ body: (Piece) -> Void
  ) -> Int {
    var rest = bytes[...]
    while rest.count > limit {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(limit))
      let open = openEnd(piece)
      // If all of the piece is open, it is cut at the limit anyway.
      let length = open < limit ? limit - open : limit
      body((UnsafeRawBufferPointer(rebasing: piece.prefix(length)), endsLine: false))
      rest = rest.dropFirst(length)
    }
    guard endsLine else { return bytes.count - rest.count }
    body((UnsafeRawBufferPointer(rebasing: rest), endsLine: true))
    return bytes.count
  }
}
