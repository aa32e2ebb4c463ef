import Scripting

/// The latest results of each command, as its row on a page shows them. On the loop's thread.
struct CommandResults {
  /// How many are kept of a command.
  static let most = 30

  /// What a row shows of an execution that has ended.
  private struct Result {
    /// How it ended and how long it took, as JSON.
    let text: String
    let ended: Double?

    init(_ execution: EndedExecution) {
      text = JSONValue.object(execution.result).text
      ended = execution.ended
    }

    /// The same with the time at which it ended.
    var dated: String {
      guard let ended else { return text }
      return "\(text.dropLast()),\"ended\":\(JSONValue.number((ended * 1e6).rounded() / 1e6).text)}"
    }
  }

  private struct Results {
    /// The latest first.
    var ended: [Result] = []
    /// The fields that show them, until there is another one.
    var fields: [(String, JSONValue)]?
  }

  private var results: [String: Results] = [:]

  /// Adds the end of an execution, which is the latest of its command, unless it was not accepted.
  mutating func add(_ ended: EndedExecution, of command: String) {
    guard ended.wasExecuted else { return }
    results[command, default: Results()].ended.insert(Result(ended), at: 0)
    if results[command, default: Results()].ended.count > Self.most {
      results[command]?.ended.removeLast()
    }
    results[command]?.fields = nil
  }

  /// Forgets the commands that there are no longer.
  mutating func keep(only commands: Set<String>) {
    results = results.filter { commands.contains($0.key) }
  }

  /// `last`, the result of the latest execution of a command, and `recent`, those of the latest ones;
  /// nothing if none has ended.
  mutating func fields(of command: String) -> [(String, JSONValue)] {
    guard let known = results[command], let last = known.ended.first else { return [] }
    if let fields = known.fields { return fields }
    let fields: [(String, JSONValue)] = [
      ("last", .raw(last.dated)),
      ("recent", .raw("[\(known.ended.map(\.text).joined(separator: ","))]")),
    ]
    results[command]?.fields = fields
    return fields
  }
}
