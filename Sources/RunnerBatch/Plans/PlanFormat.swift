import Scripting

/// What a line of a plan may have, for its errors and the documentation.
package enum PlanFormat {
  package static let entry = DocumentedTable(
    name: "plan",
    summary: "A plan is a file with a JSON object on each line, an entry.",
    keys: [
      .init("command", "string", "the command to execute"),
      .init(
        "input", "any",
        "its input, such as an object with the parameters (default: that of a call without arguments)"
      ),
      .init("script", "string", "the Lua script to execute, in place of a command"),
      .init("args", "(string|number)[]", "the arguments of the script"),
      .init(
        "id", "string|integer",
        "a unique name of the entry in messages, events and reports"),
      .init("tags", "string[]", "what a worker must offer to execute the entry: `--tags`"),
    ])

  /// The names of the keys, sorted.
  static let keys = entry.keys.map(\.name).sorted()
}
