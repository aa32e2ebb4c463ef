import Scripting

/// The latest results of each command, as its row on a page shows them. On the loop's thread.
struct CommandResults {
  /// How many are kept of a command.
  static let most = 30

  private struct Results {
    /// The latest first.
    var ended: [EndedExecution] = []
    /// The fields that show them, until there is another one.
    var fields: [(String, JSONValue)]?
  }

  private var results: [String: Results] = [:]

  /// Adds the end of an execution, which is the latest of its command, unless it was not accepted.
  mutating func add(_ ended: EndedExecution, of command: String) {
    guard ended.wasExecuted else { return }
    results[command, default: Results()].ended.insert(ended, at: 0)
    if results[command, default: Results()].ended.count > Self.most {
      results[command]?.ended.removeLast()
    }
    results[command]?.fields = nil
  }

  /// `last`, the result of the latest execution of a command, and `recent`, those of the latest ones;
  /// nothing if none has ended.
  mutating func fields(of command: String) -> [(String, JSONValue)] {
    guard let known = results[command], let last = known.ended.first else { return [] }
    if let fields = known.fields { return fields }
    let fields: [(String, JSONValue)] = [
      ("last", .raw(JSONValue.object(last.result + last.end).text)),
      ("recent", .raw(JSONValue.list(known.ended.map { .object($0.result) }).text)),
    ]
    results[command]?.fields = fields
    return fields
  }
}

extension EndedExecution {
  fileprivate var end: [(String, JSONValue)] {
    ended.map { [("ended", .number(($0 * 1e6).rounded() / 1e6))] } ?? []
  }
}
