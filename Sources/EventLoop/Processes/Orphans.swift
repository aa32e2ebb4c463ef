import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Descendants whose parent ended before them.
enum Orphans {
  private static let adoption = clibuv_adopt_orphans()

  /// Makes orphans children of this process, so that SIGCHLD announces their end. Only Linux can;
  /// elsewhere groups that outlive their leader are polled.
  static func adopt() { _ = adoption }

  /// Reaps adopted processes that had left their group, which no loop knows of any more.
  ///
  /// They are told from other code's children by their session: whoever wants to outlive a runner
  /// calls `setsid`, and nobody who waits for a child does it to the child.
  static func reapEscaped() {
    #if os(Linux)
      guard adoption == 0, let children = adoptedChildren() else { return }
      let session = getsid(0)
      for pid in children {
        let childSession = getsid(pid)
        guard childSession > 0, childSession != session else { continue }
        var status: Int32 = 0
        waitpid(pid, &status, WNOHANG)
      }
    #endif
  }

  #if os(Linux)
    /// The children of the main thread, to which the kernel hands orphans; nil if it does not say.
    private static func adoptedChildren() -> [pid_t]? {
      let number = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { return nil }
      let descriptor = FileDescriptor(owning: number)
      // What does not fit waits for the next signal.
      return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
        let count = read(descriptor.number, space.baseAddress, space.count)
        guard count > 0 else { return nil }
        return space[..<count].split(separator: UInt8(ascii: " ")).compactMap { digits in
          pid_t(String(decoding: digits, as: UTF8.self))
        }
      }
    }
  #endif
}
