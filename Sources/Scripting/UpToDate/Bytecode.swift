/// A function of Lua as `string.dump` writes it without debug information, in the format of Lua 5.4.
struct Bytecode {
  /// The bytes without the lines where functions begin and end, which change with what stands before
  /// them.
  private(set) var normalized: [UInt8] = []
  /// The strings among the constants, those of inner functions too.
  private(set) var strings: [[UInt8]] = []

  /// True if it reads a field of a table whose key is computed.
  private(set) var computesKeys = false
  /// The indexes of the upvalues that it, or a function inside, uses as values.
  private(set) var fetchedUpvalues: Set<Int> = []

  private let bytes: [UInt8]
  private var position = 0
  /// True if the bytes are not of the known format.
  private var isMalformed = false

  /// - Returns: nil if the bytes are of another format.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    let header: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0]
    // Signature, version, format, check bytes, three sizes, check numbers, number of upvalues.
    guard bytes.starts(with: header), bytes.count > 32, Array(bytes[12..<15]) == [4, 8, 8] else {
      return nil
    }
    keep(32)
    fetchedUpvalues = function().fetched
    if isMalformed || position != bytes.count { return nil }
  }

  private mutating func keep(_ count: Int) {
    guard count >= 0, count <= bytes.count - position else {
      isMalformed = true
      position = bytes.count
      return
    }
    normalized += bytes[position..<(position + count)]
    position += count
  }

  /// Reads a number: seven bits in a byte, the last byte marked.
  private mutating func number(isKept: Bool = true) -> Int {
    var value = 0
    let start = position
    while position < bytes.count, position - start < 10 {
      let byte = bytes[position]
      position += 1
      value = value << 7 | Int(byte & 0x7F)
      guard byte & 0x80 != 0 else { continue }
      if isKept { normalized += bytes[start..<position] }
      return value
    }
    isMalformed = true
    position = bytes.count
    return 0
  }

  private mutating func string(isConstant: Bool = false) {
    let size = number()
    guard size > 0 else { return }
    let start = position
    keep(size - 1)
    if isConstant, !isMalformed { strings.append(Array(bytes[start..<position])) }
  }

  private mutating func each(_ body: (inout Bytecode) -> Void) {
    var left = number()
    while left > 0, !isMalformed {
      body(&self)
      left -= 1
    }
  }

  /// Reads a function.
  ///
  /// - Returns: the upvalues that it uses as values, and for each upvalue that is one of the function
  ///   around it, its index there.
  private mutating func function() -> (fetched: Set<Int>, outer: [Int?]) {
    string()
    _ = number(isKept: false)
    _ = number(isKept: false)
    keep(3)
    var fetched = instructions()
    var outer: [Int?] = []
    each { code in
      guard code.position < code.bytes.count else { return code.isMalformed = true }
      let type = code.bytes[code.position]
      code.keep(1)
      switch type {
      case 0, 1, 17: break
      case 3, 19: code.keep(8)
      case 4, 20: code.string(isConstant: true)
      default: code.isMalformed = true
      }
    }
    each { code in
      let start = code.position
      code.keep(3)
      guard !code.isMalformed else { return }
      outer.append(code.bytes[start] == 0 ? Int(code.bytes[start + 1]) : nil)
    }
    each { code in
      let inner = code.function()
      for index in inner.fetched where index < inner.outer.count {
        if let own = inner.outer[index] { fetched.insert(own) }
      }
    }
    // Debug information, of which there is none.
    keep(number())
    each { code in
      _ = code.number()
      _ = code.number()
    }
    each { code in
      code.string()
      _ = code.number()
      _ = code.number()
    }
    each { $0.string() }
    return (fetched, outer)
  }

  /// Reads the instructions of a function: four bytes each, of which the lowest seven bits say what
  /// it does.
  ///
  /// - Returns: the upvalues that it uses as values.
  private mutating func instructions() -> Set<Int> {
    let count = number()
    let start = position
    keep(count * 4)
    var fetched: Set<Int> = []
    guard !isMalformed else { return fetched }
    for place in stride(from: start, to: position, by: 4) {
      switch bytes[place] & 0x7F {
      case 9: fetched.insert(Int(bytes[place + 2]))
      case 12: computesKeys = true
      default: break
      }
    }
    return fetched
  }
}
