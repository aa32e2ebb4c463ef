/// The identity of a process group that outlives the process which started it: the group's id, and
/// the facts that distinguish the group from a later one with the same id.
///
/// Only on Linux; elsewhere no group has one.
public struct GroupIdentity: Sendable, Hashable {
  /// The group's id, which is its leader's process id.
  public let leader: Int32
  /// The leader's start time, in clock ticks since the system booted.
  public let started: Int64
  /// The session it belongs to.
  public let session: Int32
  /// The system it runs on: the id of the boot, and of the namespace of its process ids.
  public let system: String

  /// An identity that was recorded.
  public init(leader: Int32, started: Int64, session: Int32, system: String) {
    self.leader = leader
    self.started = started
    self.session = session
    self.system = system
  }
}
