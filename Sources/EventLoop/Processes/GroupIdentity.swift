import Platform

/// The identity of a process group that outlasts the process which started it: the group's id, and what
/// tells the group from a later one that was given the same id.
///
/// Only on Linux; elsewhere no group has one.
public struct GroupIdentity: Sendable, Hashable {
  /// The group's id, which is its leader's process id.
  public let leader: Int32
  /// When the leader began, in clock ticks since the system did.
  public let started: Int64
  /// The session it belongs to.
  public let session: Int32
  /// The system it runs on: the id of the boot, and of the name space of its process ids.
  public let system: String

  /// An identity that was recorded.
  public init(leader: Int32, started: Int64, session: Int32, system: String) {
    self.leader = leader
    self.started = started
    self.session = session
    self.system = system
  }

  /// The identity of the group of a leader, which may have ended but was not reaped; nil if the system
  /// does not tell.
  public init?(leader: Int32) {
    guard !Self.ownSystem.isEmpty, let process = ProcessStatus(leader) else { return nil }
    self.init(
      leader: leader, started: process.started, session: process.session,
      system: Self.ownSystem)
  }

  private static let ownSystem: String = {
    let boot = text(of: "/proc/sys/kernel/random/boot_id").prefix { $0 != "\n" }
    guard !boot.isEmpty, let space = linkTarget(of: "/proc/self/ns/pid") else { return "" }
    return "\(boot) \(space)"
  }()

  /// Whether any process of the group is left. Those that have ended and that nobody reaps do not count.
  public var isAlive: Bool { !members.isEmpty }

  /// The processes that are left of the group.
  public var members: [Int32] {
    // Nothing that is recorded makes this process end its own group.
    guard system == Self.ownSystem, leader > 1, leader != getpgrp() else { return [] }
    var members: [Int32] = []
    for name in names(inFolder: "/proc") ?? [] {
      guard let id = Int32(name), let process = ProcessStatus(id), process.group == leader else {
        continue
      }
      // Its id belongs to another group by now.
      if id == leader, process.started != started { return [] }
      if process.session == session, process.started >= started, !process.hasEnded {
        members.append(id)
      }
    }
    return members
  }

  /// Sends a signal to the group, if any process of it is left.
  public func send(_ signal: Int32) {
    if isAlive { kill(-leader, signal) }
  }

  fileprivate static func text(of path: String) -> String {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return "" }
    let descriptor = FileDescriptor(owning: number)
    return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { space in
      let count = read(descriptor.number, space.baseAddress, space.count)
      return String(decoding: space.prefix(max(0, count)), as: UTF8.self)
    }
  }
}

/// What the kernel tells of one process.
private struct ProcessStatus {
  let group: Int32
  let session: Int32
  let started: Int64
  let hasEnded: Bool

  init?(_ process: Int32) {
    let text = GroupIdentity.text(of: "/proc/\(process)/stat")
    // The program's name may hold anything, a parenthesis too.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let group = Int32(fields[2]), let session = Int32(fields[3]),
      let started = Int64(fields[19])
    else { return nil }
    self.group = group
    self.session = session
    self.started = started
    hasEnded = ["Z", "X", "x"].contains(fields[0])
  }
}
