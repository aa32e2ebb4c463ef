import RunnerBatch
import RunnerCore
import Scripting

/// The options of a batch with which workers execute its entries, wherever they run.
package enum EntryOptions {
  private static let carried: [Option] =
    [.timeout, .retries, .force, .yes, .traceParent] + Option.confinement

  /// The options of a line as a JSON list of words.
  ///
  /// - Parameter more: options that are added.
  static func text(
    of line: CommandLine, and more: [(name: Option.Name, value: String)] = []
  ) -> String {
    var words: [JSONValue] = []
    for (name, value) in line.options + more {
      guard let option = carried.first(where: { $0.name == name }) else { continue }
      words.append(.string("--\(option.long)" + (option.value == nil ? "" : "=\(value)")))
    }
    return JSONValue.list(words).text
  }

  /// The options in a JSON list of words.
  ///
  /// - Throws: `UsageError` for options of a later version.
  package static func line(of text: String) throws(UsageError) -> CommandLine {
    var words: [String] = []
    if case .list(let elements)? = JSONValue(text: text) { words = elements.compactMap(\.string) }
    return try CommandLine(words, known: carried, stopsAtWord: false)
  }
}
