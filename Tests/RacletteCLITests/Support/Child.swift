import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that was started. It is killed when the object goes, or when it has lived longer than any
/// test takes: whatever waits for it goes on then.
final class Child {
  let pid: pid_t
  private let limit: DispatchWorkItem
  private var status: Int32?

  init(_ pid: pid_t) {
    self.pid = pid
    limit = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(600), execute: limit)
  }

  deinit {
    guard status == nil else { return }
    kill(pid, SIGKILL)
    waitForEnd()
  }

  /// Waits until the program has stopped, as by Ctrl-Z.
  func waitForStop() { _ = wait(WUNTRACED) }

  /// Waits until something is so that nothing announces, unless the program ends before.
  func spin(until isSo: () -> Bool) {
    while !isSo(), !hasEnded { sched_yield() }
  }

  private var hasEnded: Bool {
    var information = siginfo_t()
    waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT)
    return information.si_signo != 0
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: the exit status; that of a shell, 128 and the number, for a program that a signal ended.
  @discardableResult
  func waitForEnd() -> Int32 {
    let status = wait(0)
    self.status = status
    limit.cancel()
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
  }

  private func wait(_ options: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, options) < 0 && errno == EINTR {}
    return status
  }
}
