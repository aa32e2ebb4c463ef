import Platform

/// A process that its id alone does not identify, because ids are used again.
public struct ProcessIdentity: Sendable, Hashable {
  /// Its process id.
  public let id: Int32
  /// Its start time, in clock ticks since the system booted.
  public let started: Int64
}

/// For programs that start all their children by the loop: any other child is an orphan that this
/// process has adopted, a descendant whose parent has ended before it. Only on Linux; elsewhere there
/// are none. Loop's thread.
extension EventLoop {
  /// Adopts orphans until the loop is closed, even while no child of the loop runs: what its children
  /// leave behind stays below this process for as long as that lives.
  public func adoptOrphans() {
    confine()
    children.adopt()
  }

  /// The orphans that run. Those that have ended are reaped.
  public func orphans() -> Set<ProcessIdentity> {
    confine()
    var found: Set<ProcessIdentity> = []
    let leaders = Set(children.all.lazy.filter { $0.programStatus == nil }.map(\.processID))
    for child in Orphans.children where !leaders.contains(child) {
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG) == 0, let process = ProcessIdentity(child) {
        found.insert(process)
      }
    }
    return found
  }

  /// Kills orphans with all their descendants, and calls `completion` when none is left, or after a
  /// time with those that are left: a process of another user cannot be killed.
  ///
  /// - Parameter spared: orphans that may live.
  public func killOrphans(
    sparing spared: Set<ProcessIdentity>, within limit: Duration,
    _ completion: @escaping (_ left: Set<ProcessIdentity>) -> Void
  ) {
    confine()
    OrphanSweep(self, spared, until: EventLoop.now + limit, completion).look()
  }
}

/// Looks for orphans and kills them, until there are none.
private final class OrphanSweep {
  private let loop: EventLoop
  private let spared: Set<ProcessIdentity>
  private let deadline: Duration
  private let completion: (Set<ProcessIdentity>) -> Void
  private var delay = Duration.milliseconds(1)
  /// True if the last look found none. The kernel's list may lack a process while others end, so that
  /// one look is no proof.
  private var wasClean = false

  private static let longestDelay = Duration.milliseconds(64)

  init(
    _ loop: EventLoop, _ spared: Set<ProcessIdentity>, until deadline: Duration,
    _ completion: @escaping (Set<ProcessIdentity>) -> Void
  ) {
    self.loop = loop
    self.spared = spared
    self.deadline = deadline
    self.completion = completion
  }

  func look() {
    let left = loop.orphans().subtracting(spared)
    if left.isEmpty && wasClean || EventLoop.now > deadline { return completion(left) }
    wasClean = left.isEmpty
    // What they start meanwhile becomes an orphan, which the next look finds.
    for process in left {
      for one in [process.id] + Descendants.all(of: process.id) { kill(one, SIGKILL) }
    }
    loop.timer(after: delay) { self.look() }
    delay = min(delay * 2, Self.longestDelay)
  }
}
