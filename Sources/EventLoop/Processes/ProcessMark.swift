import Platform

/// A variable of the processes that this one has started, which their descendants inherit: it finds what
/// runs of a process that was killed, also what has left its process group.
public struct ProcessMark: Sendable, Hashable {
  /// The name of the variable.
  public static let name = "RACLETTE_HUB"

  /// The value of the variable, which no other process has on the same system.
  public let text: String

  /// Makes one of a text that was recorded.
  public init(text: String) { self.text = text }

  /// The mark of this process; nil if the system does not identify processes.
  public static var own: ProcessMark? {
    ProcessIdentity(getpid()).map { ProcessMark(text: "\($0.id).\($0.started)") }
  }

  private static let start = Array("\(name)=".utf8)

  private var entry: [UInt8] { Self.start + text.utf8 }

  func added(to environment: [[UInt8]]) -> [[UInt8]] { Self.removed(from: environment) + [entry] }

  static func removed(from environment: [[UInt8]]) -> [[UInt8]] {
    environment.filter { !$0.starts(with: start) }
  }

  /// The groups of the processes that have it, as far as these may be looked at.
  ///
  /// - Parameter system: the system that it was recorded on.
  package func groups(on system: String) -> [GroupIdentity] {
    guard system == GroupIdentity.ownSystem else { return [] }
    var found: [Int32: GroupIdentity] = [:]
    for name in names(inFolder: "/proc") ?? [] {
      guard let process = Int32(name), let variables = fileContent("/proc/\(name)/environ"),
        variables.split(separator: 0).contains(where: { $0.elementsEqual(entry) }),
        let identity = ProcessIdentity(process)
      else { continue }
      let leader = getpgid(process)
      // The leader may have ended: the group is that of its oldest process.
      let started = min(
        GroupIdentity(leader: leader)?.started ?? identity.started,
        found[leader]?.started ?? identity.started)
      found[leader] = GroupIdentity(
        leader: leader, started: started, session: getsid(process), system: system)
    }
    return Array(found.values)
  }
}
