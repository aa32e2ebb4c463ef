/// The schema that a journal has on a server.
package enum Schema {
  /// The version that this program writes and reads.
  package static let version = 3

  /// What makes the tables of version 1 in a database without a schema; `functions` brings them up to
  /// date.
  static var creation: String { String(decoding: PackageResources.tables_sql, as: UTF8.self) }

  /// What brings the schema of an earlier version up to date, and makes the functions and the roles,
  /// which every version replaces.
  static var functions: String {
    [
      PackageResources.upgrade_2_sql, PackageResources.upgrade_3_sql, PackageResources.ends_sql,
      PackageResources.gates_sql, PackageResources.refusals_sql, PackageResources.resumption_sql,
      PackageResources.worker_sql, PackageResources.needs_sql,
      PackageResources.submission_sql, PackageResources.pruning_sql, PackageResources.roles_sql,
    ].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
      + "UPDATE raclette.schema_version SET number = \(version);"
  }
}
