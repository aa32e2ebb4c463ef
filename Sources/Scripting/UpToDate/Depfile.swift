import Platform

/// What a depfile says: what a compiler has read to make its output, in the syntax of make, as
/// `cc -MD -MF` writes it.
///
/// Backslashes escape spaces, tabs, `#`, `:` and themselves before those; `$$` is a dollar sign; a
/// backslash at the end of a line continues it. Several rules, several targets of a rule, and rules
/// without prerequisites, as `-MP` makes them, are all read; the targets do not count.
struct Depfile {
  /// The prerequisites, in the order of the file, each once.
  private(set) var prerequisites: [String] = []

  /// A file that is no depfile.
  struct Malformed: Error, Equatable {
    /// The line, from 1.
    let line: Int
  }

  init(_ content: [UInt8]) throws(Malformed) {
    var parser = Parser(content: content)
    var known: Set<[UInt8]> = []
    var isAfterColon = false
    var hasTarget = false
    while let token = parser.next() {
      switch token {
      case .word(let word):
        if !isAfterColon {
          hasTarget = true
        } else if known.insert(word).inserted {
          prerequisites.append(String(exactly: word))
        }
      case .colon:
        guard hasTarget, !isAfterColon else { throw Malformed(line: parser.line) }
        isAfterColon = true
      case .endOfLine:
        guard !hasTarget || isAfterColon else { throw Malformed(line: parser.line - 1) }
        (isAfterColon, hasTarget) = (false, false)
      }
    }
    guard !hasTarget || isAfterColon else { throw Malformed(line: parser.line) }
  }

  private enum Token {
    case word([UInt8])
    case colon
    case endOfLine
  }

  private struct Parser {
    let content: [UInt8]
    var index = 0
    var line = 1

    private func byte(_ offset: Int = 0) -> UInt8? {
      index + offset < content.count ? content[index + offset] : nil
    }

    /// The length of the end of a line at an offset; nil if there is none.
    private func newline(_ offset: Int) -> Int? {
      if byte(offset) == 10 { return 1 }
      return byte(offset) == 13 && byte(offset + 1) == 10 ? 2 : nil
    }

    mutating func next() -> Token? {
      while let byte = byte() {
        if byte == UInt8(ascii: "\\"), let length = newline(1) {
          index += 1 + length
          line += 1
        } else if let length = newline(0) {
          index += length
          defer { line += 1 }
          return .endOfLine
        } else if byte == 32 || byte == 9 || byte == 13 {
          index += 1
        } else if byte == UInt8(ascii: "#") {
          while let byte = self.byte(), byte != 10 { index += 1 }
        } else if isColon {
          index += 1
          return .colon
        } else {
          return .word(word())
        }
      }
      return nil
    }

    /// True at a colon that ends the targets, which one inside a name, as in `C:/x`, does not.
    private var isColon: Bool {
      guard byte() == UInt8(ascii: ":") else { return false }
      guard let next = byte(1) else { return true }
      return [32, 9, 10, 13].contains(next) || next == UInt8(ascii: "\\") && newline(2) != nil
    }

    private mutating func word() -> [UInt8] {
      var word: [UInt8] = []
      while let byte = byte() {
        if byte == 32 || byte == 9 || byte == 10 || newline(0) != nil || isColon { break }
        if byte == UInt8(ascii: "\\") {
          if newline(1) != nil { break }
          // Backslashes count as escapes only before what needs one; half of them stay.
          var count = 0
          while self.byte(count) == UInt8(ascii: "\\") { count += 1 }
          let following = self.byte(count)
          index += count
          if let following, [9, 32, UInt8(ascii: "#"), UInt8(ascii: ":")].contains(following) {
            word += Array(repeating: UInt8(ascii: "\\"), count: count / 2)
            if count % 2 == 1 {
              word.append(following)
              index += 1
            }
          } else if newline(count) == nil || count == 1 {
            word += Array(repeating: UInt8(ascii: "\\"), count: count)
          } else {
            word += Array(repeating: UInt8(ascii: "\\"), count: count - 1)
            index -= 1
          }
        } else {
          if byte == UInt8(ascii: "$"), self.byte(1) == byte { index += 1 }
          word.append(byte)
          index += 1
        }
      }
      return word
    }
  }
}
