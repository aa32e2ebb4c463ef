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
}
