import Platform

/// The process group that a child leads: tracks its members and signals them.
///
/// It only reaps members of the group, so that other loops and other code of the program keep their
/// children.
struct ProcessGroup {
  /// The group's id, which is the leader's process id.
  let id: pid_t
  /// The leader's exit status, once it has been reaped.
  private(set) var leaderStatus: ProcessEnd.Status?
  /// True once no process of the group is left. From then on its id may belong to an unrelated
  /// group.
  private(set) var isGone = false

  /// The remaining members of a group.
  enum Members {
    /// Children of ours, whose end SIGCHLD announces.
    case children
    /// Only descendants that are not our children; nothing announces their end.
    case strangers
    case nobody
    /// Children of ours, one of which has been stopped by this signal.
    case stopped(by: Int32)
  }

  init(leader: pid_t) { id = leader }

  /// Reaps the members that have ended.
  mutating func collect() -> Members {
    if isGone { return .nobody }
    while true {
      var status: Int32 = 0
      let pid = waitpid(-id, &status, WNOHANG | WUNTRACED)
      if pid == 0 { return .children }
      if pid > 0, status & 0xff == 0x7f { return .stopped(by: (status >> 8) & 0xff) }
      if pid == id { leaderStatus = ProcessEnd.Status(waitStatus: status) }
      if pid < 0 && errno != EINTR { break }
    }
    // None of our children is in the group. That includes the leader, unless it has moved to another
    // group; if its status never arrived here, other code has taken it.
    if leaderStatus == nil, !collectLeader() { return .children }
    if kill(-id, 0) < 0 && errno == ESRCH {
      isGone = true
      return .nobody
    }
    return .strangers
  }

  /// Reaps the leader, wherever it is; false if it still runs.
  private mutating func collectLeader() -> Bool {
    var status: Int32 = 0
    var pid: pid_t = 0
    repeat { pid = waitpid(id, &status, WNOHANG) } while pid < 0 && errno == EINTR
    if pid == 0 { return false }
    leaderStatus = pid == id ? ProcessEnd.Status(waitStatus: status) : .unknown
    return true
  }

  /// Sends a signal to all members, and to the leader if it has moved to another group; does nothing
  /// once the group is gone.
  func send(_ signal: Int32) {
    guard !isGone else { return }
    kill(-id, signal)
    if leaderStatus == nil, getpgid(id) != id { kill(id, signal) }
  }

  /// Kills the group and waits for its leader, which takes negligible time.
  mutating func killAndReapLeader() {
    guard !isGone else { return }
    send(SIGKILL)
    // A leader that runs as another user cannot be killed, so it is not waited for.
    guard leaderStatus == nil, kill(id, SIGKILL) == 0 else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    leaderStatus = ProcessEnd.Status(waitStatus: status)
  }
}
