import Platform

/// Somebody who uses a service of a hub.
enum ServiceUser {
  /// A client, by its process if that is known.
  case client(pid_t?)
  /// `up -d`.
  case hold
  /// Work of the hub itself: another service, or a detached execution.
  case work

  /// The user in a sentence.
  var text: String {
    switch self {
    case .client(let process?): "'\(Self.call(of: process) ?? "raclette")' (pid \(process))"
    case .client(nil): "another program"
    case .hold: "'raclette up -d'"
    case .work: "the hub's own work"
    }
  }

  /// The words of a process; nil if it has ended.
  private static func call(of process: pid_t) -> String? {
    guard let bytes = fileContent("/proc/\(process)/cmdline"), !bytes.isEmpty else { return nil }
    var words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    words[0] = words[0].split(separator: "/").last.map(String.init) ?? words[0]
    return words.joined(separator: " ")
  }
}
