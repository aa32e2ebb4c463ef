/// An error of the connection to a server, or of a statement.
package enum ServerError: Error, Equatable, Sendable {
  /// libpq cannot be loaded.
  case noLibrary(reason: String)
  /// The URL is not valid.
  case badAddress(reason: String)
  /// No connection can be made.
  case unreachable(server: String, reason: String)
  /// The database has no schema of Raclette.
  case noSchema(server: String)
  /// The schema was made by a later version of the program.
  case newerSchema(server: String, version: Int, known: Int)
  /// The schema was made by an earlier version of the program.
  case olderSchema(server: String, version: Int, known: Int)
  /// The schema has a version that no release has made.
  case unreleasedSchema(server: String, version: Int)
  /// The database cannot keep every text.
  case notUTF8(server: String, encoding: String)
  /// The role of the connection may not do this.
  case denied(server: String, reason: String)
  /// The server cannot be written to.
  case readOnly(server: String, reason: String)
  /// A statement failed.
  case failed(server: String, code: String, reason: String)
  /// The program closed the connection.
  case closed
}

extension ServerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noLibrary(let reason):
      "a journal on a server needs libpq, from the package libpq5: \(reason)"
    case .badAddress(let reason):
      "the URL of the journal is not valid: \(reason); it looks like "
        + "postgresql://USER@HOST/DATABASE"
    case .unreachable(let server, let reason):
      "cannot connect to \(server): \(reason)" + Self.advice(reason)
    case .noSchema(let server):
      "the database \(server) holds no journal; make one with: raclette :journal init URL"
    case .newerSchema(let server, let version, let known):
      "the journal on \(server) was made by a newer raclette: it has version \(version), this one "
        + "knows \(known)"
    case .olderSchema(let server, let version, let known):
      "the journal on \(server) has the earlier version \(version), and this raclette needs "
        + "\(known); bring it up to date with: raclette :journal init URL"
    case .unreleasedSchema(let server, let version):
      "the journal on \(server) has version \(version), which no release of raclette has made; remove "
        + "it (DROP SCHEMA raclette CASCADE), and make one with: raclette :journal init URL"
    case .notUTF8(let server, let encoding):
      "the database \(server) has the encoding \(encoding), which cannot keep every text; make one "
        + "for the journal with: createdb --encoding UTF8 --locale C --template template0 DATABASE"
    case .denied(let server, let reason):
      "the journal on \(server) does not allow this: \(reason); the user that owns it may do "
        + "everything, and members of raclette_worker may start workers"
    case .readOnly(let server, let reason):
      "the journal on \(server) cannot be changed there: \(reason); if it is a standby, name the "
        + "primary, or all servers: postgresql://HOST1,HOST2/DATABASE?target_session_attrs=read-write"
    case .failed(let server, let code, let reason):
      "the journal on \(server) has failed: \(reason) (\(code))"
    case .closed: "the connection is closed"
    }
  }

  private static func advice(_ reason: String) -> String {
    if reason.contains("no password supplied") || reason.contains("password authentication failed")
    {
      return "; passwords come from ~/.pgpass, PGPASSWORD or the service file"
    }
    if reason.contains("root certificate file") {
      return
        "; a server elsewhere must prove its name: put the certificate of the authority that signed "
        + "the server's there, or name it with sslrootcert=FILE"
    }
    if reason.contains("certificate verify failed") {
      return
        "; the server's certificate is not valid by this machine's clock, or an authority other than "
        + "that in sslrootcert signed it"
    }
    return ""
  }
}

extension ServerError {
  /// The error of a statement by its SQLSTATE.
  init(_ server: String, code: String, reason: String) {
    switch code {
    // A schema or a function that does not exist.
    case "3F000", "42883", "42P01": self = .noSchema(server: server)
    case "25006": self = .readOnly(server: server, reason: reason)
    case "42501": self = .denied(server: server, reason: reason)
    default: self = .failed(server: server, code: code, reason: reason)
    }
  }

  /// True if the same statement may succeed later: what others did at the same time stood in its way,
  /// the server is short of something, or is starting or ending.
  var isTemporary: Bool {
    guard case .failed(_, let code, _) = self else { return false }
    // A cancelled statement, and a database that was removed.
    if ["57014", "57P04"].contains(code) { return false }
    return ["40", "53", "57"].contains(String(code.prefix(2))) || code == "58030"
  }

  /// True if the role of the connection may not do this.
  var isDenial: Bool { if case .denied = self { true } else { false } }

  /// True if the server cannot be written to, which passes if it is another one's turn.
  var isReadOnly: Bool { if case .readOnly = self { true } else { false } }

  /// True if the statement was cancelled: by somebody, so that the same may succeed, or by a limit of
  /// the server (`statement_timeout`, `lock_timeout`), which the same may reach again.
  var isCancellation: Bool {
    if case .failed(_, let code, _) = self { ["57014", "55P03"].contains(code) } else { false }
  }
}
