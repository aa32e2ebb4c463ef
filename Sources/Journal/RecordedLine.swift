/// A line that an execution sent or wrote.
public struct RecordedLine: Sendable, Hashable {
  /// The stream of a line.
  public enum Stream: UInt8, Sendable {
    case output = 1
    case errors = 2
    /// Not output: an attempt failed, with its error. The lines that follow are from the next
    /// attempt.
    case retry = 3
    /// Output without a line end: a chunk of bytes.
    case chunk = 4
    /// Not output: the amount of earlier output that was not kept.
    case leftOut = 5
    /// Standard error without a line end: a piece of a very long line.
    case errorChunk = 6
    /// Output that is no text but a value, as JSON.
    case value = 7
    /// Not output: a step of the work begins, with its place and name. The lines that follow are
    /// from it.
    case step = 8

    /// True if the stream consists of whole lines; otherwise newlines are among the bytes.
    public var endsLine: Bool { self != .chunk && self != .errorChunk }
  }

  /// Seconds since the execution's start.
  public var time: Double
  /// The stream it was written to.
  public var stream: Stream
  /// The content without the newline.
  public var bytes: [UInt8]

  /// A line with these values.
  public init(time: Double, stream: Stream, bytes: [UInt8]) {
    self.time = time
    self.stream = stream
    self.bytes = bytes
  }
}

/// The encoding of lines as one blob: for each line the microseconds (8 bytes), the stream (1), the
/// length (4), little endian, and the bytes.
extension RecordedLine {
  private static let headerLength = 13

  /// The blob of lines; nil for none.
  package static func blob(of lines: [RecordedLine]) -> [UInt8]? {
    if lines.isEmpty { return nil }
    var blob: [UInt8] = []
    blob.reserveCapacity(lines.reduce(0) { $0 + headerLength + $1.bytes.count })
    for line in lines {
      let microseconds = UInt64(line.time > 0 ? min(line.time, 1e11) * 1e6 : 0)
      withUnsafeBytes(of: microseconds.littleEndian) { blob.append(contentsOf: $0) }
      blob.append(line.stream.rawValue)
      withUnsafeBytes(of: UInt32(line.bytes.count).littleEndian) { blob.append(contentsOf: $0) }
      blob.append(contentsOf: line.bytes)
    }
    return blob
  }

  /// The lines of a blob; nil if it is malformed.
  package static func lines(in blob: [UInt8]) -> [RecordedLine]? {
    var lines: [RecordedLine] = []
    var place = 0
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(blob[place + offset + $1]) << UInt64(8 * $1) }
    }
    while place < blob.count {
      guard place + headerLength <= blob.count else { return nil }
      let microseconds = number(0, 8)
      let stream = Stream(rawValue: blob[place + 8])
      let count = Int(number(9, 4))
      guard let stream, place + headerLength + count <= blob.count else { return nil }
      let bytes = Array(blob[(place + headerLength)..<(place + headerLength + count)])
      lines.append(RecordedLine(time: Double(microseconds) / 1e6, stream: stream, bytes: bytes))
      place += headerLength + count
    }
    return lines
  }
}
