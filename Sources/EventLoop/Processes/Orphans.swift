import CLibUV

import Platform

/// Descendants whose parent ended before them.
enum Orphans {
  private static let adoption = clibuv_adopt_orphans()

  /// Makes orphans children of this process, so that SIGCHLD announces their end. Linux only;
  /// elsewhere groups that outlive their leader are polled.
  static func adopt() { _ = adoption }

  /// Reaps adopted processes that had left their group, so that no loop tracks them any more.
  ///
  /// Their session distinguishes them from other code's children: a process that is meant to
  /// outlive a runner calls `setsid`, and code that waits for a child does not start it in a new
  /// session.
  static func reapEscaped() {
    #if os(Linux)
      guard adoption == 0 else { return }
      let session = getsid(0)
      // The kernel hands orphans to the main thread.
      for pid in Descendants.numbers(in: "/proc/self/task/\(getpid())/children") {
        let childSession = getsid(pid)
        guard childSession > 0, childSession != session else { continue }
        var status: Int32 = 0
        waitpid(pid, &status, WNOHANG)
      }
    #endif
  }
}
