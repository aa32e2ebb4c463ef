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
  /// The settings that name the servers, each with a value for all of them or one for each.
  private let places: [(name: String, values: [String])]

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
    places = [
      ("host", host), ("hostaddr", Self.setting("hostaddr", "PGHOSTADDR", in: url)), ("port", port),
    ].map { setting, value in
      let values = (value ?? "").split(separator: ",", omittingEmptySubsequences: false)
      return (setting, values.map(String.init))
    }
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

  /// The number of servers of which one is to be used.
  var serverCount: Int { places.map(\.values.count).max() ?? 1 }

  /// The settings that name the servers, beginning with another one than the URL does.
  ///
  /// - Parameter first: how many servers come last that the URL names first.
  func servers(from first: Int) -> [(name: String, value: String)] {
    let first = first % serverCount
    guard first > 0 else { return [] }
    return places.filter { $0.values.count > 1 }.map { name, values in
      (name, (values[first...] + values[..<first]).joined(separator: ","))
    }
  }

  package static func == (one: Self, other: Self) -> Bool { one.url == other.url }

  /// The settings that apply unless the URL says otherwise.
  var defaults: [(name: String, value: String)] {
    var settings = [("connect_timeout", "10"), ("keepalives_idle", "5")]
    settings += [("keepalives_interval", "2"), ("keepalives_count", "3")]
    settings.append(("tcp_user_timeout", "10000"))
    if !isLocal, environment("PGSSLMODE") == nil { settings.append(("sslmode", "verify-full")) }
    return settings
  }
}
