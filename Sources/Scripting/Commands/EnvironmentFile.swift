import LuaRuntime
import Platform

/// A file of variables, by convention `.env`: one `NAME=value` per line, optionally after `export`.
/// Blank lines and lines that begin with `#` are ignored. A value in single quotes is literal; in
/// double quotes `\n`, `\t`, `\"`, `\\` and `\$` mean what they do in a shell; an unquoted value
/// ends before ` #`. Values are bytes, as in the system's environment. A leading byte order mark is
/// ignored.
enum EnvironmentFile {
  static func read(_ path: String) throws(Failure) -> [EnvironmentChange] {
    let descriptor: Int32
    do { descriptor = try SourceFile.open(path, .regularFile) } catch {
      throw Failure(.input, "env_file '\(path)': \(error)")
    }
    guard let file = fdopen(descriptor, "r") else {
      close(descriptor)
      throw Failure(.input, "env_file '\(path)': \(systemErrorText(errno))")
    }
    defer { fclose(file) }
    var changes: [EnvironmentChange] = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    var number = 0
    while case let count = getline(&line, &room, file), count >= 0, let start = line {
      number += 1
      var bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
      if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      guard let change = try parse(bytes[...], at: "\(path):\(number)") else { continue }
      changes.append((change.name, change.value))
    }
    if ferror(file) != 0 {
      throw Failure(.input, "env_file '\(path)': \(systemErrorText(errno))")
    }
    return changes
  }

  /// A part of a line: any bytes, of which only ASCII has a meaning.
  private typealias Text = ArraySlice<UInt8>

  /// Parses the variable that a line sets; nil if it sets none.
  private static func parse(
    _ line: Text, at place: String
  ) throws(Failure) -> (name: String, value: [UInt8])? {
    var text = trimmed(line)
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    if text.starts(with: "export ".utf8) { text = trimmed(text.dropFirst(7)) }
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
      throw Failure(.input, "\(place): expected NAME=value")
    }
    let name = trimmed(text[..<equals])
    guard isName(name) else {
      throw Failure(
        .input, "\(place): '\(String(exactly: name))' is no name of a variable")
    }
    let value = trimmed(text[(equals + 1)...])
    guard let quote = value.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      return (String(exactly: name), Array(unquoted(value)))
    }
    guard let content = quoted(value.dropFirst(), by: quote) else {
      let mark = Character(Unicode.Scalar(quote))
      throw Failure(.input, "\(place): the quote \(mark) is not closed")
    }
    return (String(exactly: name), content)
  }

  private static func isName(_ name: Text) -> Bool {
    guard let first = name.first, !isDigit(first) else { return false }
    return name.allSatisfy { $0 == UInt8(ascii: "_") || isLetter($0) || isDigit($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func unquoted(_ value: Text) -> Text {
    var isBehindBlank = true
    for index in value.indices {
      if value[index] == UInt8(ascii: "#"), isBehindBlank { return trimmed(value[..<index]) }
      isBehindBlank = isBlank(value[index])
    }
    return value
  }

  private static func quoted(_ text: Text, by quote: UInt8) -> [UInt8]? {
    let backslash = UInt8(ascii: "\\")
    var content: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == quote { return content }
      guard byte == backslash, quote == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): content.append(10)
      case UInt8(ascii: "t"): content.append(9)
      case UInt8(ascii: "r"): content.append(13)
      case let escaped? where "\"\\$`".utf8.contains(escaped): content.append(escaped)
      case let other?: content += [backslash, other]
      case nil: return nil
      }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func trimmed(_ text: Text) -> Text {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
