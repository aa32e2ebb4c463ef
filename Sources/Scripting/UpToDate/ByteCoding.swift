import Platform

/// Writes numbers and texts as bytes, for `ByteReader`.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ number: Int) { write(UInt64(bitPattern: Int64(number))) }

  mutating func write(_ part: [UInt8]) {
    write(part.count)
    bytes += part
  }

  mutating func write(_ text: String) {
    text.withExactBytes { part in
      write(part.count)
      bytes += part
    }
  }

  mutating func write<Element>(
    list: [Element], _ body: (inout ByteWriter, Element) -> Void
  ) {
    write(list.count)
    for element in list { body(&self, element) }
  }
}

/// Reads what `ByteWriter` has written.
struct ByteReader {
  /// The bytes are not what was written.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws(Malformed) -> UInt64 {
    guard bytes.count - position >= 8 else { throw Malformed() }
    defer { position += 8 }
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
  }

  mutating func count() throws(Malformed) -> Int {
    guard let count = Int(exactly: try number()), count <= bytes.count - position else {
      throw Malformed()
    }
    return count
  }

  mutating func integer() throws(Malformed) -> Int { Int(Int64(bitPattern: try number())) }

  mutating func part() throws(Malformed) -> [UInt8] {
    let count = try count()
    defer { position += count }
    return Array(bytes[position..<(position + count)])
  }

  mutating func text() throws(Malformed) -> String {
    let count = try count()
    defer { position += count }
    return bytes.withUnsafeBytes {
      String(exactly: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
    }
  }

  mutating func list<Element>(
    _ body: (inout ByteReader) throws(Malformed) -> Element
  ) throws(Malformed) -> [Element] {
    let count = try count()
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try body(&self)) }
    return elements
  }
}
