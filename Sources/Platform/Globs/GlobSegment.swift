/// One part of a pattern, between two slashes.
enum GlobSegment: Sendable, Equatable {
  /// `**`: any number of folders, also none.
  case folders
  /// A name without wildcards.
  case name([UInt8])
  /// A name with wildcards.
  case wildcard([GlobToken])

  /// True if it matches a name with a leading dot on purpose, because it begins with one itself.
  var namesHidden: Bool {
    switch self {
    case .folders: false
    case .name(let name): name.first == UInt8(ascii: ".")
    case .wildcard(let tokens): tokens.first == .byte(UInt8(ascii: "."))
    }
  }

  /// Returns true if it matches a name. The caller handles `folders` and leading dots.
  func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .folders: true
    case .name(let expected):
      expected.count == name.count
        && expected.withUnsafeBytes {
          name.isEmpty || memcmp($0.baseAddress!, name.baseAddress!, name.count) == 0
        }
    case .wildcard(let tokens): tokens.match(name)
    }
  }
}

/// One element of a name with wildcards.
enum GlobToken: Sendable, Equatable {
  case byte(UInt8)
  /// `?`: one character.
  case one
  /// `*`: any characters.
  case many
  /// `[a-z]`: one character of some ranges, or with `[!a-z]` one outside of them.
  case oneOf([ClosedRange<UInt32>], isNegated: Bool)
}

extension [GlobToken] {
  /// Only the last `*` is ever tried again, so the time is at most the product of both lengths.
  fileprivate func match(_ name: UnsafeRawBufferPointer) -> Bool {
    var token = 0
    var index = 0
    var retry: (token: Int, index: Int)?
    while true {
      if token < count, case .many = self[token] {
        token += 1
        retry = (token, index)
        if token == count { return true }
        continue
      }
      if token == count, index == name.count { return true }
      if token < count, index < name.count, let length = self[token].length(in: name, at: index) {
        token += 1
        index += length
        continue
      }
      guard let last = retry, last.index < name.count else { return false }
      retry = (last.token, last.index + 1)
      (token, index) = (last.token, last.index + 1)
    }
  }
}

extension GlobToken {
  /// The number of bytes that it matches at an index; nil if it does not match there.
  fileprivate func length(in name: UnsafeRawBufferPointer, at index: Int) -> Int? {
    switch self {
    case .byte(let byte): return name[index] == byte ? 1 : nil
    case .one: return name.character(at: index).length
    case .many: return 0
    case .oneOf(let ranges, let isNegated):
      let (character, length) = name.character(at: index)
      return ranges.contains { $0.contains(character) } == isNegated ? nil : length
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The character at an index, and its length in bytes. A byte that is not part of valid UTF-8 is a
  /// character by itself, which lies behind all of Unicode.
  func character(at index: Int) -> (value: UInt32, length: Int) {
    let lead = self[index]
    if lead < 0x80 { return (UInt32(lead), 1) }
    var decoder = UTF8()
    var bytes = self[index..<Swift.min(index + 4, count)].makeIterator()
    if case .scalarValue(let scalar) = decoder.decode(&bytes) {
      return (scalar.value, UTF8.width(scalar))
    }
    return (0x11_0000 + UInt32(lead), 1)
  }
}
