import LuaRuntime
import Platform

/// A text that begins with `#!`: a script for the program that its first line names.
struct InterpreterScript: Sendable {
  /// The text, without what all its lines are indented by.
  let text: [UInt8]
  /// The program and, as the system reads such lines, the rest of the line as its one argument.
  let interpreter: [[UInt8]]
  /// The `file:line` of the call that gives the text.
  var place: String?

  /// Returns nil for a text that is no such script. Blank lines before the first line do not count, nor
  /// does its indentation, which is taken from the other lines as well.
  init?(_ text: [UInt8]) {
    let bytes = text.drop { Self.isBlank($0) || $0 == 10 }
    guard bytes.starts(with: Array("#!".utf8)) else { return nil }
    let before = text[..<bytes.startIndex]
    let indentation = before[(before.lastIndex(of: 10).map { $0 + 1 } ?? 0)...]
    self.text = Self.text(bytes, without: indentation)
    let line = bytes.dropFirst(2).prefix { $0 != 10 }.drop(while: Self.isBlank)
    let program = line.prefix { !Self.isBlank($0) }
    var argument = line[program.endIndex...].drop(while: Self.isBlank)
    while let last = argument.last, Self.isBlank(last) { argument.removeLast() }
    interpreter = [program, argument].filter { !$0.isEmpty }.map { Array($0) }
  }

  private static func text(_ bytes: ArraySlice<UInt8>, without indentation: ArraySlice<UInt8>)
    -> [UInt8]
  {
    guard !indentation.isEmpty else { return Array(bytes) }
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
      Array(line.starts(with: indentation) ? line.dropFirst(indentation.count) : line)
    }
    if lines.last?.allSatisfy(Self.isBlank) == true { lines[lines.count - 1] = [] }
    return Array(lines.joined(separator: [10]))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

  /// The subject of messages.
  var subject: String { place.map { "the script at \($0)" } ?? "the script" }
}
