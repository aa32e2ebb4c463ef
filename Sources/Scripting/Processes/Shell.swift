import LuaRuntime
import Platform

/// The program and its options that execute lines: the line follows as one word.
struct Shell: Sendable {
  /// The program and its options, which end with one such as `-c`.
  let words: [[UInt8]]

  /// For the lines of definitions: a text of several lines stops at the first that fails.
  static let ofDefinitions = Shell(words: [Array("/bin/sh".utf8), Array("-ec".utf8)])
  /// For `rac.sh`.
  static let ofFunctions = Shell(words: [Array("/bin/sh".utf8), Array("-c".utf8)])

  /// Returns the words behind a line: what its `"$@"` is. A shell as POSIX describes it takes the first
  /// for `$0`; other programs would take that for an argument.
  func arguments(name: String, _ rest: [[UInt8]]) -> [[UInt8]] {
    isPOSIX ? [name.exactBytes] + rest : rest
  }

  /// True for a shell as POSIX describes it, by its name.
  var isPOSIX: Bool {
    let program = words[0]
    let start = program.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let name = String(exactly: Array(program[start...]))
    return ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "yash", "busybox"].contains(name)
  }

  /// True if its options make it stop at a command that fails.
  var stopsAtFailure: Bool {
    guard isPOSIX else { return false }
    let options = words.dropFirst().map { String(exactly: $0) }
    return options.contains { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("e") }
      || zip(options, options.dropFirst()).contains {
        $0.hasPrefix("-") && $0.hasSuffix("o") && $1 == "errexit"
      }
  }

  /// Reads a field of a definition; nil if it is absent.
  init?(_ fields: TableFields, _ name: String, _ bad: (String) -> any Error) throws {
    let type = fields.type(name)
    guard type != .nil else { return nil }
    let elements = fields.list(name)
    let words = elements.compactMap(\.argumentBytes)
    guard type == .table, !words.isEmpty, words.count == elements.count,
      !words[0].isEmpty, !words.contains(where: { $0.contains(0) })
    else {
      throw bad(
        "field '\(name)' must be a list of words such as {\"bash\", \"-euo\", \"pipefail\", \"-c\"}"
      )
    }
    self.words = words
  }

  private init(words: [[UInt8]]) { self.words = words }

  /// As it could be typed, in front of a line.
  var text: String { words.map { String(exactly: $0).quotedForShell }.joined(separator: " ") }
}
