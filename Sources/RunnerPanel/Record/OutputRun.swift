/// Outputs of one kind that came together: a header, and the bytes behind it.
struct OutputRun {
  enum Kind: UInt8 {
    /// Texts without a newline, each with one behind it.
    case lines
    /// One text, of any bytes.
    case text
    /// One value, encoded as JSON.
    case json
    /// Lines of standard error, each with its newline.
    case errorLines
    /// A piece of a stream, of any bytes, whose lines end where it says so.
    case chunk
    /// The text of a `WorkStep` that begins: what follows is from it.
    case step

    /// True if several can stand in one run.
    var isLines: Bool { self == .lines || self == .errorLines }
  }

  let kind: Kind
  var count: Int
  /// The number of bytes behind the header.
  var length: Int
  /// The sequence number of its first output.
  let number: Int
  /// Seconds since 1970.
  let time: Double

  /// The bytes of a header.
  static let headerSize = 33

  init(kind: Kind, count: Int, length: Int, number: Int, time: Double) {
    self.kind = kind
    self.count = count
    self.length = length
    self.number = number
    self.time = time
  }

  /// Reads a header.
  init(_ bytes: [UInt8], at place: Int) {
    self = bytes.withUnsafeBytes { OutputRun($0, at: place) }
  }

  init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    kind = Kind(rawValue: bytes[place]) ?? .text
    count = bytes.loadUnaligned(fromByteOffset: place + 1, as: Int.self)
    length = bytes.loadUnaligned(fromByteOffset: place + 9, as: Int.self)
    number = bytes.loadUnaligned(fromByteOffset: place + 17, as: Int.self)
    time = bytes.loadUnaligned(fromByteOffset: place + 25, as: Double.self)
  }

  func write(to bytes: inout [UInt8]) {
    let place = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: Self.headerSize))
    overwrite(in: &bytes, at: place)
  }

  func overwrite(in bytes: inout [UInt8], at place: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      bytes[place] = kind.rawValue
      bytes.storeBytes(of: count, toByteOffset: place + 1, as: Int.self)
      bytes.storeBytes(of: length, toByteOffset: place + 9, as: Int.self)
      bytes.storeBytes(of: number, toByteOffset: place + 17, as: Int.self)
      bytes.storeBytes(of: time, toByteOffset: place + 25, as: Double.self)
    }
  }
}
