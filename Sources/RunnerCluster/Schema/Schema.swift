/// The schema that a journal has on a server.
package enum Schema {
  /// The version that this program writes and reads.
  package static let version = 2

  /// What makes the schema of this version in a database without one.
  static var creation: String {
    [PackageResources.tables_sql].map { String(decoding: $0, as: UTF8.self) }
      .joined(separator: "\n")
  }

  /// What brings the schema of an earlier version up to date, and makes the functions and the roles,
  /// which every version replaces.
  static var functions: String {
    [
      PackageResources.ends_sql, PackageResources.gates_sql, PackageResources.refusals_sql,
      PackageResources.worker_sql, PackageResources.needs_sql,
      PackageResources.submission_sql,
      PackageResources.roles_sql,
    ].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
      + "UPDATE raclette.schema_version SET number = \(version);"
  }
}
