import Journal
import Scripting

/// An event as `JSONRenderer` has encoded it on a worker, without `v` and `seq`. `EventDecoder` makes it a
/// `RunEvent` again.
package struct EncodedEvent {
  /// The JSON object.
  package let text: Substring
  package let type: String
  /// The number of the entry in the journal; nil for what belongs to none.
  package let entry: Int64?
  private let fields: [(String, JSONValue)]

  /// - Returns: nil for a text that is no event.
  package init?(_ text: Substring) {
    guard case .object(let fields)? = JSONValue(text: String(text)) else { return nil }
    self.text = text
    self.fields = fields
    guard case .string(let type)? = fields.first(where: { $0.0 == "type" })?.1 else { return nil }
    self.type = type
    entry = fields.first { $0.0 == "entry" }?.1[field: "recorded"]?.integer
  }

  /// An event of a hub, in which the execution's number takes the place of the entry's.
  ///
  /// - Returns: nil for a text that is no event.
  package init?(ofHub text: Substring) {
    guard let json = JSONValue(text: String(text)) else { return nil }
    self.init(ofHub: json, text)
  }

  /// - Parameter text: the JSON as it came; nil if nobody asks for it.
  package init?(ofHub json: JSONValue, _ text: Substring? = nil) {
    guard case .object(let fields) = json, let type = json[field: "type"]?.string else {
      return nil
    }
    (self.text, self.fields, self.type) = (text ?? "", fields, type)
    entry = fields.first { $0.0 == "execution" }?.1.integer
  }

  package subscript(name: String) -> JSONValue? { fields.first { $0.0 == name }?.1 }

  /// True if the entry has ended.
  package var isEnd: Bool { EventJSON.isEnd(type) }

  package var command: String { self["command"]?.string ?? "" }

  /// The name of the worker that has sent it; nil for the server.
  package var worker: String? { self["worker"]?.string }

  /// The entry of the plan.
  var planEntry: PlanEntry? {
    guard let place = self["entry"] else { return nil }
    return PlanEntry(
      key: EntryKey(), kind: command.isEmpty ? .malformed : .command, command: command,
      input: "", name: place[field: "id"]?.string, plan: place[field: "plan"]?.string ?? "",
      line: Int(place[field: "line"]?.integer ?? 0))
  }

  /// The failure in the field `error`.
  package var failure: Failure? { self["error"].map { Failure($0) } }
}

extension Failure {
  /// The failure that an event describes.
  package init(_ json: JSONValue) {
    self.init(
      json[field: "kind"]?.string.flatMap(Failure.Kind.init(rawValue:)) ?? .user,
      json[field: "message"]?.string ?? "")
    cause = json[field: "cause"]?.string.flatMap(Failure.Kind.init(rawValue:))
    command = json[field: "command"]?.string
    position = json[field: "position"]?.string
    code = json[field: "code"]?.integer.flatMap { Int32(exactly: $0) }
    signal = json[field: "signal"]?.string
    stderr = json[field: "stderr"]?.string
    traceback = json[field: "traceback"]?.string
    if case .list(let words)? = json[field: "argv"] { argv = words.compactMap(\.string) }
    // Such fields are of a failure inside the requested command.
    if json[field: "execution"] != nil { outer = command }
  }
}
