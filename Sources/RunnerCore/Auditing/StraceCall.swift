import Platform

/// One complete system call in the output of strace: `openat(AT_FDCWD</tmp>, "a", O_RDONLY) = 3</tmp/a>`.
struct StraceCall {
  let name: String
  /// The arguments as strace writes them, without the spaces around them.
  let arguments: [ArraySlice<UInt8>]
  /// What follows the equals sign.
  let result: ArraySlice<UInt8>

  /// - Returns: nil for a line that is no call, such as a signal or an end.
  init?(_ text: ArraySlice<UInt8>) {
    guard let parenthesis = text.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let name = text[..<parenthesis]
    guard !name.isEmpty, name.allSatisfy(Self.isInName) else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    var arguments: [ArraySlice<UInt8>] = []
    var start = parenthesis + 1
    guard
      let end = Self.scan(
        text[start...],
        { comma in
          arguments.append(text[start..<comma].trimmed)
          start = comma + 1
        })
    else { return nil }
    let last = text[start..<end].trimmed
    if !last.isEmpty || !arguments.isEmpty { arguments.append(last) }
    self.arguments = arguments
    let rest = text[(end + 1)...].trimmed
    guard rest.first == UInt8(ascii: "=") else { return nil }
    result = rest.dropFirst().trimmed
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Finds the parenthesis that ends the arguments; calls `comma` with each comma between them.
  private static func scan(_ text: ArraySlice<UInt8>, _ comma: (Int) -> Void) -> Int? {
    var depth = 0
    var index = text.startIndex
    var previous: UInt8 = 0
    while index < text.endIndex {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard let end = text[(index + 1)...].endOfQuoted else { return nil }
        index = end
      // The path of a descriptor: `3</tmp/a>`, `AT_FDCWD</tmp>`.
      case UInt8(ascii: "<") where isInName(previous) || previous == UInt8(ascii: "D"):
        guard let end = text[index...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        index = end
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")") where depth == 0: return index
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: comma(index)
      default: break
      }
      previous = byte
      index += 1
    }
    return nil
  }

  /// True unless the call has failed or not returned.
  var hasSucceeded: Bool {
    result.first != UInt8(ascii: "-") && result.first != UInt8(ascii: "?")
  }

  /// The name of the error, such as `ENOENT`; nil if there is none.
  var error: String? {
    guard result.starts(with: "-1 ".utf8) else { return nil }
    return String(
      decoding: result.dropFirst(3).prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// The decoded text of an argument in quotation marks; nil for any other argument.
  func text(_ index: Int) -> String? {
    guard arguments.indices.contains(index), arguments[index].first == UInt8(ascii: "\"") else {
      return nil
    }
    let content = arguments[index].dropFirst()
    guard let end = content.endOfQuoted, end == content.endIndex - 1 else { return nil }
    return String(exactly: content[..<end].unescaped)
  }

  /// The path that `-y` writes behind the descriptor of an argument.
  func folder(_ index: Int) -> String? {
    arguments.indices.contains(index) ? arguments[index].pathOfDescriptor?.path : nil
  }

  /// True if an argument has a flag, also inside a structure.
  func has(_ flag: String, _ index: Int) -> Bool {
    guard arguments.indices.contains(index) else { return false }
    return arguments[index].split { !Self.isInFlag($0) }.contains { $0.elementsEqual(flag.utf8) }
  }

  private static func isInFlag(_ byte: UInt8) -> Bool {
    isInName(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without spaces at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    var text = drop { $0 == UInt8(ascii: " ") }
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    return text
  }

  /// The position of the quotation mark that ends a text.
  fileprivate var endOfQuoted: Int? {
    var index = startIndex
    while index < endIndex {
      switch self[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index
      default: index += 1
      }
    }
    return nil
  }

  /// The path of `3</tmp/a>`, and whether the file was deleted; nil for what has no path, such as a
  /// pipe or a socket.
  var pathOfDescriptor: (path: String, isDeleted: Bool)? {
    guard let start = firstIndex(of: UInt8(ascii: "<")),
      let end = self[start...].firstIndex(of: UInt8(ascii: ">")),
      start + 1 < end, self[start + 1] == UInt8(ascii: "/")
    else { return nil }
    let path = String(exactly: self[(start + 1)..<end].unescaped)
    return (path, self[(end + 1)...].starts(with: "(deleted)".utf8))
  }

  /// The bytes for which strace has written escapes as in C: `\n`, `\"`, and `\303` in octal.
  var unescaped: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      let byte = self[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < endIndex else {
        bytes.append(byte)
        continue
      }
      let digits = self[index...].prefix(3).prefix {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0)
      }
      guard digits.isEmpty else {
        bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - UInt8(ascii: "0")) })
        index += digits.count
        continue
      }
      bytes.append(Self.meaning[self[index]] ?? self[index])
      index += 1
    }
    return bytes
  }

  private static var meaning: [UInt8: UInt8] {
    [
      UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "v"): 11,
      UInt8(ascii: "f"): 12,
    ]
  }
}
