/// The schema that a journal has on a server.
package enum Schema {
  /// The version that this program writes and reads.
  package static let version = 3

  /// What makes the tables of version 1 in a database without a schema; `functions` brings them up to
  /// date.
  static var creation: String { SQL.tables }

  /// What brings the schema of an earlier version up to date, and makes the functions and the roles,
  /// which every version replaces.
  static var functions: String {
    [
      SQL.upgrade_2, SQL.upgrade_3, SQL.ends,
      SQL.gates, SQL.refusals, SQL.resumption,
      SQL.worker, SQL.needs,
      SQL.submission, SQL.pruning, SQL.roles,
    ].joined(separator: "\n")
      + "UPDATE raclette.schema_version SET number = \(version);"
  }
}
