/// The names under which the panel may be reached, which requests have to state: a page of another
/// origin, and a name that was bound to this machine's address, are refused.
struct HostRules {
  private let allowed: Set<String>

  /// - Parameter allowed: the names besides those of the loopback.
  init(allowed: [String]) {
    self.allowed = Set(
      ["localhost", "127.0.0.1", "[::1]"] + allowed.map { Self.name(of: $0.lowercased()) })
  }

  /// True if a `Host` header names the panel.
  ///
  /// The port is not compared: a tunnel or a proxy has one of its own.
  func accepts(host: String) -> Bool {
    let host = host.lowercased()
    let name = Self.name(of: host)
    let rest = host.dropFirst(name.count)
    let isPort = rest.first == ":" && UInt16(rest.dropFirst()) != nil && rest.count > 1
    return allowed.contains(name) && (rest.isEmpty || isPort)
  }

  /// True if an `Origin` header is that of the panel's own pages: of the same host and port.
  func accepts(origin: String, host: String) -> Bool {
    let (origin, host) = (origin.lowercased(), host.lowercased())
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  /// True if a text can be the name of a host, with a port or without.
  static func isName(_ text: String) -> Bool {
    let name = name(of: text)
    return !name.isEmpty
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || ".-_:[]".utf8.contains($0)
      }
  }

  /// The name without a port.
  private static func name(of host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      return String(host[...end])
    }
    return String(host.prefix { $0 != ":" })
  }
}
