import Journal
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// An event that a worker has sent: JSON by the schema of `run --json`, without `v` and `seq`.
package struct RemoteEvent {
  /// The JSON object.
  let text: Substring
  let type: String
  /// The number of the entry in the journal; nil for what belongs to none.
  let entry: Int64?
  private let fields: [(String, JSONValue)]

  /// - Returns: nil for a text that is no event.
  init?(_ text: Substring) {
    guard case .object(let fields)? = JSONValue(text: String(text)) else { return nil }
    self.text = text
    self.fields = fields
    guard case .string(let type)? = fields.first(where: { $0.0 == "type" })?.1 else { return nil }
    self.type = type
    entry = fields.first { $0.0 == "entry" }?.1["recorded"]?.integer
  }

  subscript(name: String) -> JSONValue? { fields.first { $0.0 == name }?.1 }

  /// True if the entry has ended.
  var isEnd: Bool { ["completed", "error", "cancelled", "skipped"].contains(type) }

  var command: String { self["command"]?.string ?? "" }

  /// The name of the worker that has sent it; nil for the server.
  var worker: String? { self["worker"]?.string }

  /// The entry of the plan.
  func planEntry(input: String = "") -> PlanEntry? {
    guard let place = self["entry"] else { return nil }
    return PlanEntry(
      key: EntryKey(), kind: command.isEmpty ? .malformed : .command, command: command,
      input: input, name: place["id"]?.string, plan: place["plan"]?.string ?? "",
      line: Int(place["line"]?.integer ?? 0))
  }

  /// The failure in the field `error`.
  var failure: Failure? { self["error"].map { Failure($0) } }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.0 == name }?.1
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }

  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  var seconds: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
}

extension Failure {
  /// The failure that an event describes.
  init(_ json: JSONValue) {
    self.init(
      json["kind"]?.string.flatMap(Failure.Kind.init(rawValue:)) ?? .user,
      json["message"]?.string ?? "")
    command = json["command"]?.string
    position = json["position"]?.string
    code = json["code"]?.integer.flatMap { Int32(exactly: $0) }
    signal = json["signal"]?.string
    stderr = json["stderr"]?.string
    traceback = json["traceback"]?.string
    if case .list(let words)? = json["argv"] { argv = words.compactMap(\.string) }
    // Such fields are of a failure inside the requested command.
    if json["execution"] != nil { outer = command }
  }
}
