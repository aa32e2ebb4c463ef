/// A compiled chunk, as `string.dump` writes it in the format of Lua 5.4, with other line numbers.
///
/// Lua counts the lines of a text from 1. To compile an entry after as many line breaks as stand
/// before it would cost more from line to line of a long input.
struct MovedLines {
  /// The chunk with the new line numbers.
  private(set) var moved: [UInt8] = []

  private let bytes: [UInt8]
  private let offset: Int
  private var position = 0
  /// True if the bytes are not of the known format.
  private var isMalformed = false

  /// - Parameters:
  ///   - bytes: the chunk with its debug information.
  ///   - offset: the number added to each line number.
  /// - Returns: nil if the bytes are of another format.
  init?(_ bytes: [UInt8], by offset: Int) {
    (self.bytes, self.offset) = (bytes, offset)
    moved.reserveCapacity(bytes.count + 16)
    let header: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0]
    // Signature, version, format, check bytes, three sizes, check numbers, number of upvalues.
    guard bytes.starts(with: header), bytes.count > 32, Array(bytes[12..<15]) == [4, 8, 8] else {
      return nil
    }
    keep(32)
    function(isMain: true)
    if isMalformed || position != bytes.count { return nil }
  }

  private mutating func keep(_ count: Int) {
    guard count >= 0, count <= bytes.count - position else { return fail() }
    moved += bytes[position..<(position + count)]
    position += count
  }

  private mutating func fail() {
    isMalformed = true
    position = bytes.count
  }

  /// Reads a number: seven bits in a byte, the last byte marked.
  private mutating func read() -> Int {
    var value = 0
    let start = position
    while position < bytes.count, position - start < 9 {
      let byte = bytes[position]
      position += 1
      value = value << 7 | Int(byte & 0x7F)
      if byte & 0x80 != 0 { return value }
    }
    fail()
    return 0
  }

  private mutating func write(_ number: Int) {
    var groups = [UInt8(number & 0x7F) | 0x80]
    var rest = number >> 7
    while rest > 0 {
      groups.append(UInt8(rest & 0x7F))
      rest >>= 7
    }
    moved += groups.reversed()
  }

  /// Keeps a number.
  @discardableResult
  private mutating func number() -> Int {
    let value = read()
    write(value)
    return value
  }

  private mutating func string() {
    let size = number()
    if size > 0 { keep(size - 1) }
  }

  private mutating func each(_ body: (inout MovedLines) -> Void) {
    var left = number()
    while left > 0, !isMalformed {
      body(&self)
      left -= 1
    }
  }

  private mutating func function(isMain: Bool = false) {
    string()
    // The lines where a function begins and ends are 0 in a main chunk, which is known by that.
    for _ in 1...2 {
      let line = read()
      write(isMain ? line : line + offset)
    }
    keep(3)
    keep(number() * 4)
    each { chunk in
      guard chunk.position < chunk.bytes.count else { return chunk.fail() }
      let type = chunk.bytes[chunk.position]
      chunk.keep(1)
      switch type {
      case 0, 1, 17: break
      case 3, 19: chunk.keep(8)
      case 4, 20: chunk.string()
      default: chunk.fail()
      }
    }
    each { $0.keep(3) }
    each { $0.function() }
    lines(isMain)
    each { chunk in
      chunk.string()
      chunk.number()
      chunk.number()
    }
    each { $0.string() }
  }

  /// The line of each instruction as the difference from the one before, and lines of some as they
  /// are. The first difference is from the line where the function begins, which a main chunk lacks,
  /// so its first instruction gets a line of its own.
  private mutating func lines(_ isMain: Bool) {
    let count = number()
    let first = position < bytes.count ? Int(Int8(bitPattern: bytes[position])) : 0
    keep(count)
    var marks: [(instruction: Int, line: Int)] = []
    var left = read()
    while left > 0, !isMalformed {
      let instruction = read()
      marks.append((instruction, read()))
      left -= 1
    }
    if isMain, count > 0, marks.first?.instruction != 0 { marks.insert((0, first), at: 0) }
    write(marks.count)
    for mark in marks {
      write(mark.instruction)
      write(mark.line + offset)
    }
  }
}
