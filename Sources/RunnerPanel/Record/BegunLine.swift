/// The lines that processes of an execution have begun and not ended, one of each stream, as far as
/// they were written; the one that has gone on last is shown. They are no output yet: the output that
/// ends them repeats them. On the loop's thread.
struct BegunLine {
  enum Stream {
    case values, errors
  }

  /// The most bytes that are sent. A progress bar goes on for hours in one line, of which a terminal
  /// shows the end.
  private static let mostBytes = 4 << 10

  /// The lines of the two streams, with secrets masked; empty if none is begun.
  private var values: [UInt8] = []
  private var errors: [UInt8] = []
  /// The stream that has gone on last, of those that have begun a line.
  private(set) var stream = Stream.values
  /// Rises with each change, so that readers know what they have sent.
  private(set) var version = 0

  /// The bytes to show; empty if no line is begun.
  var bytes: [UInt8] { self[stream] }

  private subscript(stream: Stream) -> [UInt8] {
    get { stream == .values ? values : errors }
    set { if stream == .values { values = newValue } else { errors = newValue } }
  }

  /// Adds to the line of the values.
  mutating func append(_ more: UnsafeRawBufferPointer) { show(values + Array(more), of: .values) }

  /// Shows a line in place of what was there of its stream.
  mutating func show(_ line: [UInt8], of stream: Stream) {
    version += 1
    self.stream = stream
    guard line.count > Self.mostBytes else { return self[stream] = line }
    // From the beginning of a character.
    self[stream] = Array(line.suffix(Self.mostBytes).drop { $0 & 0xC0 == 0x80 })
  }

  /// The line of a stream has ended.
  mutating func end(_ stream: Stream) {
    guard !self[stream].isEmpty else { return }
    self[stream] = []
    guard self.stream == stream else { return }
    version += 1
    self.stream = stream == .values ? .errors : .values
  }

  /// No line is begun any more.
  mutating func end() {
    end(.values)
    end(.errors)
  }
}
