import CPostgreSQL
import Platform
import RunnerCore

/// The address of a PostgreSQL server: a URL, or what libpq takes in its place.
package struct ServerAddress: Sendable, Equatable {
  /// The URL, which may hold a password and is never shown.
  let url: String
  /// The server and the database as messages name them, without user and password.
  package let name: String
  /// True if the connection stays on this machine.
  let isLocal: Bool

  /// Loads libpq and checks a URL.
  package init(_ url: String) throws(ServerError) {
    if let problem = cpostgresql_load() { throw .noLibrary(reason: String(cString: problem)) }
    if let problem = cpostgresql_check(url) {
      defer { cpostgresql_free(problem) }
      // What stands in quotes may be a part of the password.
      let reason = String(cString: problem).prefix { $0 != "\"" && $0 != "\n" && $0 != ":" }
      throw .badAddress(reason: String(reason))
    }
    self.url = url
    let host = Self.setting("host", "PGHOST", in: url) ?? Self.setting("hostaddr", nil, in: url)
    let port = Self.setting("port", "PGPORT", in: url)
    let database = Self.setting("dbname", "PGDATABASE", in: url)
    let service = Self.setting("service", "PGSERVICE", in: url)
    let hosts = (host ?? "").split(separator: ",")
    isLocal = service == nil && hosts.allSatisfy(Self.isLoopback)
    name =
      (service.map { "the service '\($0)'" } ?? host ?? "this machine")
      + (port.map { ":\($0)" } ?? "") + (database.map { "/\($0)" } ?? "")
  }

  private static func isLoopback(_ host: Substring) -> Bool {
    host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
      || host.hasPrefix("127.")
  }

  private static func setting(_ name: String, _ variable: String?, in url: String) -> String? {
    if let found = cpostgresql_setting(url, name) {
      defer { free(found) }
      let text = String(exactly: found)
      if !text.isEmpty { return text }
    }
    return variable.flatMap { environment($0) }
  }

  /// The settings that apply unless the URL says otherwise.
  var defaults: [(name: String, value: String)] {
    var settings = [("connect_timeout", "10"), ("keepalives_idle", "5")]
    settings += [("keepalives_interval", "2"), ("keepalives_count", "3")]
    settings.append(("tcp_user_timeout", "10000"))
    if !isLocal, environment("PGSSLMODE") == nil { settings.append(("sslmode", "verify-full")) }
    return settings
  }
}
