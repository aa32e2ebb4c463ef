import Platform

extension GroupIdentity {
  /// Ends groups that another process has started, and waits for their end.
  ///
  /// - Returns: the leaders of those that ran.
  package static func end(_ groups: [GroupIdentity]) -> [Int32] {
    let ending = GroupsEnding(groups)
    while !ending.isOver { usleep(10_000) }
    return ending.leaders
  }

  /// Ends groups that another process has started while the loop goes on.
  ///
  /// - Parameter onEnd: called at their end with the leaders of those that ran; at once if none did.
  package static func end(
    _ groups: [GroupIdentity], on loop: EventLoop, _ onEnd: @escaping ([Int32]) -> Void
  ) {
    let ending = GroupsEnding(groups)
    guard !ending.leaders.isEmpty else { return onEnd([]) }
    var timer: Timer?
    timer = loop.timer(after: .milliseconds(10), every: .milliseconds(10)) {
      guard ending.isOver else { return }
      timer?.cancel()
      timer = nil
      onEnd(ending.leaders)
    }
  }
}

/// The end of process groups that another process has started. Nothing reports the end of another
/// process's children.
private final class GroupsEnding {
  /// The time that a group has to end after SIGTERM.
  private static let grace = Duration.seconds(5)

  /// The leaders of the groups that ran.
  let leaders: [Int32]
  private var alive: Set<GroupIdentity>
  private let limit = EventLoop.now + grace

  init(_ groups: [GroupIdentity]) {
    alive = GroupIdentity.alive(among: groups)
    leaders = alive.map(\.leader).sorted()
    GroupIdentity.send(SIGTERM, to: Array(alive))
    GroupIdentity.send(SIGCONT, to: Array(alive))
  }

  /// True if nothing is left; sends SIGKILL once the time is over.
  var isOver: Bool {
    alive = GroupIdentity.alive(among: Array(alive))
    if EventLoop.now > limit { GroupIdentity.send(SIGKILL, to: Array(alive)) }
    return alive.isEmpty
  }
}
