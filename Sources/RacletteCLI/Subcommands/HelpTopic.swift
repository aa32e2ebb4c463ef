import RunnerBatch
import RunnerCore
import Scripting

/// A page of `help` about what people write, from the tables of the reference.
struct HelpTopic {
  let name: String
  let summary: String
  /// The subcommand that leads to it.
  let subcommand: String
  private let tables: [DocumentedTable]

  static let all = [
    HelpTopic(
      name: "definition", summary: "the keys of a command's definition", subcommand: "check",
      tables: Library.definitionTables),
    HelpTopic(
      name: "plan", summary: "the lines of a batch's plan", subcommand: "batch",
      tables: [PlanFormat.entry]),
  ]

  /// The last line of the help of its subcommand.
  var hint: String { "\n'raclette :help \(name)' explains \(summary).\n" }

  /// The text about a topic, a table or a key of a definition, or a part of the Lua library; nil for other
  /// names.
  static func text(about name: String) -> String? {
    if let topic = all.first(where: { $0.name == name }) {
      return topic.tables.map(text(of:)).joined(separator: "\n")
    }
    if let table = Library.definitionTables.first(where: { $0.name == name }) {
      return text(of: table)
    }
    if let table = Library.definitionTables.first,
      let key = table.keys.first(where: { $0.name == name })
    {
      return "A key of a command's definition:\n\n\(text(of: key))"
    }
    let entries = Library.entries(named: name).filter { $0.name == name }
    guard !entries.isEmpty else { return nil }
    return entries.map(text(of:)).joined(separator: "\n")
  }

  private static func text(of table: DocumentedTable) -> String {
    "\(table.name): \(table.summary)\n\n" + table.keys.map(text(of:)).joined()
  }

  private static func text(of key: DocumentedTable.Key) -> String {
    TextColumns.wrapped("\(key.name): \(key.type)", indent: 2)
      + TextColumns.wrapped(key.summary, indent: 6)
  }

  private static func text(of entry: LibraryEntry) -> String {
    TextColumns.wrapped(entry.signature, indent: 0) + TextColumns.wrapped(entry.summary, indent: 2)
      + (entry.example ?? "").split(separator: "\n").map { "    \($0)\n" }.joined()
  }
}
