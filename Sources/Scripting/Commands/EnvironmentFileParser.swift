/// Reads a file of variables: `NAME=value` lines, optionally after `export`. Blank lines, lines that
/// begin with `#`, a byte order mark and carriage returns at line ends are ignored.
///
/// - An unquoted value ends before ` #` or with its line. A backslash stands for the character behind
///   it, and at the end of the line it joins it with the next one, as in a shell.
/// - A value in single quotes is literal.
/// - In double quotes `\n`, `\t`, `\r`, `\"`, `\\`, `\$` and `` \` `` mean what they do in a shell,
///   and a backslash at the end of a line joins it with the next one.
/// - Quoted values may have several lines.
/// - Outside single quotes `$NAME` and `${NAME}` are replaced by the value of a variable, which must
///   be set, and `${NAME:-text}` by the text if the variable is unset or empty.
///
/// Values are bytes, as in the system's environment.
struct EnvironmentFileParser {
  /// Returns the value of a variable; nil if it is not set.
  typealias LookUp = (_ name: String) -> [UInt8]?
  /// A part of the file: any bytes, of which only ASCII has a meaning.
  private typealias Text = ArraySlice<UInt8>

  private let path: String
  private var rest: Text
  /// The line on which `rest` begins.
  private var line = 1

  init(_ bytes: ContiguousArray<UInt8>, path: String) {
    self.path = path
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for index in bytes.indices.dropFirst(start) {
      let endsLine = bytes[index] == 13 && index + 1 < bytes.count && bytes[index + 1] == 10
      if !endsLine { text.append(bytes[index]) }
    }
    rest = text[...]
  }

  /// Returns the next variable and its value; nil at the end.
  mutating func next(_ lookUp: LookUp) throws(Failure) -> (name: String, value: [UInt8])? {
    while let byte = rest.first {
      if byte == UInt8(ascii: "#") {
        _ = takeLine()
      } else if Self.isBlank(byte) {
        take(1)
      } else {
        return try takeVariable(lookUp)
      }
    }
    return nil
  }

  private mutating func takeVariable(
    _ lookUp: LookUp
  ) throws(Failure) -> (name: String, value: [UInt8]) {
    let start = line
    let head = rest.prefix { $0 != 10 }
    guard let equals = head.firstIndex(of: UInt8(ascii: "=")) else {
      throw problem("expected NAME=value", at: start)
    }
    var name = Self.trimmed(head[..<equals])
    if name.starts(with: "export".utf8), let blank = name.dropFirst(6).first, Self.isBlank(blank) {
      name = Self.trimmed(name.dropFirst(7))
    }
    guard Self.isName(name) else {
      throw problem("'\(String(exactly: name))' is not the name of a variable", at: start)
    }
    take(equals + 1 - rest.startIndex)
    let blanks = rest.prefix { $0 != 10 && Self.isBlank($0) }
    take(blanks.count)
    let value = try takeValue(isBehindBlank: !blanks.isEmpty, lookUp)
    if value.contains(0) { throw problem("the value contains a zero byte", at: start) }
    return (String(exactly: name), value)
  }

  private mutating func takeValue(
    isBehindBlank: Bool, _ lookUp: LookUp
  ) throws(Failure) -> [UInt8] {
    let start = line
    switch rest.first {
    case UInt8(ascii: "'"):
      let content = try takeQuoted(by: UInt8(ascii: "'"))
      return Array(content)
    case UInt8(ascii: "\""):
      let content = try takeQuoted(by: UInt8(ascii: "\""))
      return try expanded(content, isQuoted: true, at: start, lookUp)
    default:
      let value = takeUnquoted(isBehindBlank: isBehindBlank)
      return try expanded(value, isQuoted: false, at: start, lookUp)
    }
  }

  /// Takes a value without quotes up to a comment or the end of its line, and returns it without the
  /// blanks at its end.
  private mutating func takeUnquoted(isBehindBlank: Bool) -> Text {
    var isBehindBlank = isBehindBlank
    var index = rest.startIndex
    var end = index
    while index < rest.endIndex, rest[index] != 10 {
      if rest[index] == UInt8(ascii: "#"), isBehindBlank { break }
      let isEscape = rest[index] == UInt8(ascii: "\\") && index + 1 < rest.endIndex
      isBehindBlank = !isEscape && Self.isBlank(rest[index])
      index += isEscape ? 2 : 1
      if !isBehindBlank { end = index }
    }
    let value = rest[rest.startIndex..<end]
    take(end - rest.startIndex)
    _ = takeLine()
    return value
  }

  /// Takes a value in quotes, of which only a comment behind a blank may follow on the line.
  private mutating func takeQuoted(by quote: UInt8) throws(Failure) -> Text {
    let start = line
    let mark = Character(Unicode.Scalar(quote))
    let backslash = UInt8(ascii: "\\")
    var end = rest.startIndex + 1
    while end < rest.endIndex, rest[end] != quote {
      end += quote == UInt8(ascii: "\"") && rest[end] == backslash ? 2 : 1
    }
    guard end < rest.endIndex else { throw problem("the quote \(mark) is not closed", at: start) }
    let content = rest[(rest.startIndex + 1)..<end]
    take(end + 1 - rest.startIndex)
    let last = line
    let hash = UInt8(ascii: "#")
    let isDirectlyBehind = rest.first == hash
    let behind = Self.trimmed(takeLine())
    guard behind.isEmpty || behind.first == hash && !isDirectlyBehind else {
      throw problem("there is text after the closing quote \(mark)", at: last)
    }
    return content
  }

  // MARK: Expansion

  /// Replaces escapes and references to variables.
  private func expanded(
    _ text: Text, isQuoted: Bool, at line: Int, _ lookUp: LookUp
  ) throws(Failure) -> [UInt8] {
    var value: [UInt8] = []
    var line = line
    var rest = text
    while let byte = rest.popFirst() {
      if byte == 10 { line += 1 }
      if byte == UInt8(ascii: "\\") {
        if rest.first == 10 { line += 1 }
        value += Self.escape(&rest, isQuoted: isQuoted)
      } else if byte == UInt8(ascii: "$") {
        value += try reference(&rest, isQuoted: isQuoted, at: line, lookUp)
      } else {
        value.append(byte)
      }
    }
    return value
  }

  /// Takes what follows a backslash, and returns what both stand for.
  private static func escape(_ rest: inout Text, isQuoted: Bool) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    guard let byte = rest.popFirst() else { return [backslash] }
    guard isQuoted else { return byte == 10 ? [] : [byte] }
    switch byte {
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "r"): return [13]
    case 10: return []
    case UInt8(ascii: "$"), backslash, UInt8(ascii: "\""), UInt8(ascii: "`"): return [byte]
    default: return [backslash, byte]
    }
  }

  /// Takes what follows a dollar sign, and returns what both stand for.
  private func reference(
    _ rest: inout Text, isQuoted: Bool, at line: Int, _ lookUp: LookUp
  ) throws(Failure) -> [UInt8] {
    guard rest.first == UInt8(ascii: "{") else {
      let name = Self.leadingName(of: rest)
      guard !name.isEmpty else { return [UInt8(ascii: "$")] }
      rest = rest[name.endIndex...]
      return try value(of: name, at: line, lookUp)
    }
    guard let end = Self.endOfBraces(rest) else { throw problem("'${' is not closed", at: line) }
    let content = rest[(rest.startIndex + 1)..<end]
    rest = rest[(end + 1)...]
    let name = Self.leadingName(of: content)
    let behind = content[name.endIndex...]
    guard !name.isEmpty, behind.isEmpty || behind.starts(with: ":-".utf8) else {
      throw problem(
        "'${\(String(exactly: content))}' must be ${NAME} or ${NAME:-text}", at: line)
    }
    guard !behind.isEmpty else { return try value(of: name, at: line, lookUp) }
    if let value = lookUp(String(exactly: name)), !value.isEmpty { return value }
    return try expanded(behind.dropFirst(2), isQuoted: isQuoted, at: line, lookUp)
  }

  private func value(of name: Text, at line: Int, _ lookUp: LookUp) throws(Failure) -> [UInt8] {
    let name = String(exactly: name)
    if let value = lookUp(name) { return value }
    throw problem(
      "the variable '\(name)' is not set; write ${\(name):-} for an empty value, "
        + "or \\$ for a dollar sign", at: line)
  }

  /// Returns the index of the brace that closes the one at the start.
  private static func endOfBraces(_ text: Text) -> Int? {
    var depth = 0
    var isEscaped = false
    for index in text.indices {
      guard !isEscaped else {
        isEscaped = false
        continue
      }
      switch text[index] {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  // MARK: Text

  private mutating func take(_ count: Int) {
    line += rest.prefix(count).count { $0 == 10 }
    rest = rest.dropFirst(count)
  }

  /// Takes the rest of the line, and returns it without its end.
  private mutating func takeLine() -> Text {
    let text = rest.prefix { $0 != 10 }
    take(text.count + 1)
    return text
  }

  private func problem(_ text: String, at line: Int) -> Failure {
    Failure(.input, "\(path):\(line): \(text)")
  }

  private static func leadingName(of text: Text) -> Text {
    guard let first = text.first, !isDigit(first) else { return text.prefix(0) }
    return text.prefix(while: isPartOfName)
  }

  private static func isName(_ name: Text) -> Bool {
    !name.isEmpty && leadingName(of: name).count == name.count
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || isDigit(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func trimmed(_ text: Text) -> Text {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
