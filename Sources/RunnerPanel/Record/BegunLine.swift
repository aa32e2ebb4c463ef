/// The line that a process of an execution has begun and not ended, as far as it was written. It is no
/// output yet: the output that ends it repeats it. On the loop's thread.
struct BegunLine {
  enum Stream {
    case values, errors
  }

  /// The most bytes that are sent. A progress bar goes on for hours in one line, of which a terminal
  /// shows the end.
  private static let mostBytes = 4 << 10

  /// The bytes to show, with secrets masked; empty if no line is begun.
  private(set) var bytes: [UInt8] = []
  private(set) var stream = Stream.values
  /// Rises with each change, so that readers know what they have sent.
  private(set) var version = 0

  /// Adds to the line of the values.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    show((stream == .values ? bytes : []) + Array(more), of: .values)
  }

  /// Shows a line in place of what was there.
  mutating func show(_ line: [UInt8], of stream: Stream) {
    version += 1
    self.stream = stream
    bytes = line
    guard line.count > Self.mostBytes else { return }
    // From the beginning of a character.
    bytes = Array(line.suffix(Self.mostBytes).drop { $0 & 0xC0 == 0x80 })
  }

  /// The line of a stream has ended.
  mutating func end(_ stream: Stream) {
    if self.stream == stream { end() }
  }

  /// No line is begun any more.
  mutating func end() {
    guard !bytes.isEmpty else { return }
    version += 1
    bytes = []
  }
}
