import CLibUV
import Platform
import Synchronization

/// Descendants whose parent ended before them.
enum Orphans {
  private struct Adoption {
    var users = 0
    /// The children of the loops, who take their statuses.
    var children: Set<pid_t> = []
    /// False where the system has no such thing.
    var isPossible = true
  }

  private static let adoption = Mutex(Adoption())

  /// Makes orphans children of this process, so that SIGCHLD announces their end, until `leave` has
  /// been called as often. Linux only; elsewhere groups that outlive their leader are polled.
  ///
  /// It does not last longer than the children of the loops, because a program that embeds a loop
  /// does not expect descendants of its other children.
  ///
  /// - Parameter child: the child of a loop that asks for it.
  static func adopt(for child: pid_t? = nil) {
    adoption.withLock { adoption in
      adoption.users += 1
      if let child { adoption.children.insert(child) }
      if adoption.users == 1 { adoption.isPossible = clibuv_adopt_orphans(1) == 0 }
    }
  }

  /// Ends what one call of `adopt` began. Those that were adopted remain children of this process.
  static func leave(for child: pid_t? = nil) {
    adoption.withLock { adoption in
      adoption.users -= 1
      if let child { adoption.children.remove(child) }
      if adoption.users == 0 { _ = clibuv_adopt_orphans(0) }
    }
  }

  /// The adopted processes, and the other children of the main thread, to which the kernel hands
  /// orphans. Empty where the system does not list children.
  static var children: [pid_t] {
    #if os(Linux)
      Descendants.numbers(in: "/proc/self/task/\(getpid())/children")
    #else
      []
    #endif
  }

  /// Reaps adopted processes that had left their group, so that no loop tracks them any more.
  ///
  /// Their session distinguishes them from other code's children: a process that is meant to
  /// outlive a runner calls `setsid`, and code that waits for a child does not start it in a new
  /// session. Children of loops do have one if they have a terminal of their own.
  static func reapEscaped() {
    #if os(Linux)
      let (isPossible, own) = adoption.withLock { ($0.isPossible, $0.children) }
      // The loops have taken the statuses of theirs: only if another one waits to be reaped is the list
      // of all children worth reading, which grows with those that run.
      guard isPossible, clibuv_child_has_ended() else { return }
      let session = getsid(0)
      for pid in children where !own.contains(pid) {
        let childSession = getsid(pid)
        guard childSession > 0, childSession != session else { continue }
        var status: Int32 = 0
        waitpid(pid, &status, WNOHANG)
      }
    #endif
  }
}
