import Platform

/// The process group that a child leads: who is left of it, and signals to it.
///
/// Only members of the group are ever reaped, so that other loops and other code of the program
/// keep their children.
struct ProcessGroup {
  /// The group's id, which is the leader's process id.
  let id: pid_t
  /// How the leader ended, once it has been reaped.
  private(set) var leaderStatus: ProcessEnd.Status?
  /// Whether no process of the group is left. From then on its id may belong to strangers.
  private(set) var isGone = false

  /// Who is left of a group.
  enum Members {
    /// Children of ours, whose end SIGCHLD announces.
    case children
    /// Only descendants that are not our children; nothing announces their end.
    case strangers
    case nobody
    /// Children of ours of which one has been stopped by this signal.
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
    // No child of ours is in the group. That includes the leader: if its status never came here,
    // somebody else took it.
    if leaderStatus == nil { leaderStatus = .unknown }
    if kill(-id, 0) < 0 && errno == ESRCH {
      isGone = true
      return .nobody
    }
    return .strangers
  }

  /// Sends a signal to all members; nothing once the group is gone.
  func send(_ signal: Int32) {
    if !isGone { kill(-id, signal) }
  }

  /// Kills the group and waits for its leader, which takes no time worth mentioning.
  mutating func killAndReapLeader() {
    guard !isGone else { return }
    send(SIGKILL)
    // A leader that runs as another user cannot be killed, and is not waited for.
    guard leaderStatus == nil, kill(id, SIGKILL) == 0 else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    leaderStatus = ProcessEnd.Status(waitStatus: status)
  }
}
