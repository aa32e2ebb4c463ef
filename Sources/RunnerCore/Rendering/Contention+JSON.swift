import Scripting

extension Contention {
  /// The resources and their holder.
  package var json: JSONValue { .object(members) }

  /// The fields of the event `waits`.
  package var fields: [EventJSON.Field] {
    [("command", JSONValue.string(command).text)] + members.map { ($0, $1.text) }
  }

  private var members: [(String, JSONValue)] {
    let holder = ("holder", JSONValue.string(Secrets.masked(holder)))
    return (resources.map { [("resources", .string($0))] } ?? []) + [holder]
  }

  /// Reads what `json` has made, without the name of the command; nil for something else.
  package init?(_ json: JSONValue) {
    guard let holder = json[field: "holder"]?.string else { return nil }
    self.init(
      command: "", resources: json[field: "resources"]?.string, holder: holder, isFirst: true)
  }
}
