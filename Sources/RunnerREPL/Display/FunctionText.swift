import LuaRuntime
import RunnerCore

/// The lines that define a function, from its file or from the entry that contains it.
struct FunctionText {
  /// `file:line`.
  let place: String
  /// Its definition; nil if the text no longer exists.
  let lines: [String]?
  /// The comment right above it, without the comment marks.
  let comment: [String]

  init(_ facts: LuaFunctionFacts, _ log: EntryLog) {
    let name = String(facts.source.dropFirst())
    place = "\(name):\(facts.lines.lowerBound)"
    var all: [String]?
    if facts.source.hasPrefix("@") {
      all = Self.lines(ofFile: name)
    } else if name.hasPrefix("["), let number = Int(name.dropFirst().dropLast()) {
      all = log[number].map(Self.split)
    }
    guard let all, all.count >= facts.lines.upperBound, facts.lines.lowerBound > 0 else {
      (lines, comment) = (nil, [])
      return
    }
    lines = Array(all[(facts.lines.lowerBound - 1)..<facts.lines.upperBound])
    let above = all[..<(facts.lines.lowerBound - 1)].reversed().prefix {
      $0.trimmed.hasPrefix("--")
    }
    comment = above.reversed().map { $0.trimmed.drop { $0 == "-" }.trimmed }
  }

  private static func split(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func lines(ofFile path: String) -> [String]? {
    WholeFile.read(path).map { split(String(decoding: $0, as: UTF8.self)) }
  }
}
