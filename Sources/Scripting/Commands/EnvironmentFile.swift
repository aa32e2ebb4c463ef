import LuaRuntime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of variables, `.env` by custom: `NAME=value` a line, blank lines and those that begin with
/// `#` aside, an `export` in front allowed. A value in single quotes is taken as it is; in double
/// quotes `\n`, `\t`, `\"`, `\\` and `\$` are what they are in a shell; without quotes it ends
/// before ` #`.
enum EnvironmentFile {
  static func read(_ path: String) throws(Failure) -> [EnvironmentChange] {
    guard let file = fopen(path, "re") else {
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
      let bytes = UnsafeRawBufferPointer(start: start, count: count)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let change = try parse(text, at: "\(path):\(number)") else { continue }
      changes.append((change.name, Array(change.value.utf8)))
    }
    // A folder opens like a file, and fails at the first read.
    if ferror(file) != 0 {
      throw Failure(.input, "env_file '\(path)': \(systemErrorText(errno))")
    }
    return changes
  }

  /// The variable that a line sets; nil for one that sets none.
  static func parse(
    _ line: String, at place: String
  ) throws(Failure) -> (name: String, value: String)? {
    var text = trimmed(line[...])
    guard let first = text.first, first != "#" else { return nil }
    if text.hasPrefix("export ") { text = trimmed(text.dropFirst(7)) }
    guard let equals = text.firstIndex(of: "=") else {
      throw Failure(.input, "\(place): expected NAME=value")
    }
    let name = trimmed(text[..<equals])
    guard isName(name) else {
      throw Failure(.input, "\(place): '\(name)' is no name of a variable")
    }
    let value = trimmed(text[text.index(after: equals)...])
    guard let quote = value.first, quote == "'" || quote == "\"" else {
      return (String(name), String(unquoted(value)))
    }
    guard let content = quoted(value.dropFirst(), by: quote) else {
      throw Failure(.input, "\(place): the quote \(quote) is not closed")
    }
    return (String(name), content)
  }

  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic
    else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
      scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
    }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func unquoted(_ value: Substring) -> Substring {
    var last: Character = " "
    for index in value.indices {
      if value[index] == "#", last == " " || last == "\t" { return trimmed(value[..<index]) }
      last = value[index]
    }
    return value
  }

  private static func quoted(_ text: Substring, by quote: Character) -> String? {
    var content = ""
    var rest = text
    while let character = rest.popFirst() {
      if character == quote { return content }
      guard character == "\\", quote == "\"" else {
        content.append(character)
        continue
      }
      switch rest.popFirst() {
      case "n": content.append("\n")
      case "t": content.append("\t")
      case "r": content.append("\r")
      case let escaped? where "\"\\$`".contains(escaped): content.append(escaped)
      case let other?: content += "\\\(other)"
      case nil: return nil
      }
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isBlank = { (character: Character) in character.isWhitespace }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
