import Platform

/// What the runner of an audited command tells its tracer: each is an attempt to open a file below
/// `/dev/null`, where nothing can be, so that it has its place among the other calls.
package enum AuditMark: Equatable, Sendable {
  /// The work of the command begins: from now on, what Lua functions open is its own.
  case begin
  case end
  /// A process of the runner leads a group that belongs to the command, or to something else.
  case group(Int32, isAudited: Bool)
  /// The runner is about to load a module of Lua, which counts as a part of the definition.
  case module(String)

  private static let folder = "/dev/null/raclette/"

  /// Tells it.
  package func tell() { _ = open(Self.folder + name, O_RDONLY | O_CLOEXEC) }

  private var name: String {
    switch self {
    case .begin: "begin"
    case .end: "end"
    case .group(let leader, isAudited: true): "audited/\(leader)"
    case .group(let leader, isAudited: false): "other/\(leader)"
    case .module(let path): "module/\(path)"
    }
  }

  /// - Returns: nil for any other path.
  package init?(path: String) {
    guard path.hasPrefix(Self.folder) else { return nil }
    let name = path.dropFirst(Self.folder.count)
    let parts = name.cut(atFirst: "/") ?? (before: name, after: "")
    switch (parts.before, Int32(parts.after)) {
    case ("begin", _): self = .begin
    case ("end", _): self = .end
    case ("audited", let leader?): self = .group(leader, isAudited: true)
    case ("other", let leader?): self = .group(leader, isAudited: false)
    case ("module", _): self = .module(String(parts.after))
    default: return nil
    }
  }
}
