/// The schema that a journal has on a server.
package enum Schema {
  /// The first version that a release can have. Those before it were never released, and are refused.
  static let first = 4
  /// The version that this program writes and reads.
  package static let version = 4

  /// Makes the tables of version `first` in a database without a schema; `functions` brings them up to
  /// date.
  static var creation: String { SQL.tables }

  /// Makes the functions and the roles, which every version replaces. A later version puts before them
  /// the file that brings the tables of its predecessor up to date, whose statements may be executed
  /// again.
  static var functions: String {
    [
      SQL.ends, SQL.gates, SQL.uses, SQL.refusals, SQL.resumption, SQL.worker, SQL.needs,
      SQL.submission,
      SQL.pruning, SQL.roles,
    ].joined(separator: "\n") + "UPDATE raclette.schema_version SET number = \(version);"
  }

  /// Returns why a journal of a version cannot be brought up to date; nil if it can, or is.
  static func refusal(_ found: Int, by server: String) -> ServerError? {
    if found > version { return .newerSchema(server: server, version: found, known: version) }
    return found < first ? .unreleasedSchema(server: server, version: found) : nil
  }
}
