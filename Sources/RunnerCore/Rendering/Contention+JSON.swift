import Scripting

extension Contention {
  /// The resources and their holder.
  package var json: JSONValue {
    var fields: [(String, JSONValue)] = []
    if let resources { fields.append(("resources", .string(resources))) }
    fields.append(("holder", .string(Secrets.masked(holder))))
    return .object(fields)
  }

  /// The fields of the event `waits`.
  package var fields: [EventJSON.Field] {
    [
      ("command", JSONValue.string(command).text),
      ("resources", resources.map { JSONValue.string($0).text }),
      ("holder", JSONValue.string(Secrets.masked(holder)).text),
    ]
  }
}
