/// A table whose keys people write, as the documentation lists them.
package struct DocumentedTable: Sendable {
  package struct Key: Sendable {
    package let name: String
    /// The type of the value, with a question mark if the key is optional.
    package let type: String
    package let summary: String

    package init(_ name: String, _ type: String, _ summary: String) {
      (self.name, self.type, self.summary) = (name, type, summary)
    }
  }

  package let name: String
  /// A sentence.
  package let summary: String
  package let keys: [Key]

  package init(name: String, summary: String, keys: [Key]) {
    (self.name, self.summary, self.keys) = (name, summary, keys)
  }
}

extension Library {
  /// The table that defines a command, and those that its keys hold.
  package static let definitionTables = [
    commandDefinition, parameter, needs, need, commandStep, retry, environmentFile, ready, restart,
    panelPlace,
  ].map { record in
    DocumentedTable(
      name: record.name, summary: record.summary,
      keys: record.fields.map { .init($0.name, $0.type, $0.summary) })
  }
}
