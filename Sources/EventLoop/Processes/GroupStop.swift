import Platform

extension ProcessGroup {
  /// Waits until every member that a stop signal has reached has stopped, for a second at most.
  ///
  /// The kernel reports the stop of our child, not that of its descendants. One that waits for a
  /// processor has its stop still ahead of it, and first finishes a read of the terminal: it would
  /// take the next line, which the user types for the shell.
  func awaitStop() {
    let end = ContinuousClock.now + .seconds(1)
    while isStopping, ContinuousClock.now < end { usleep(1_000) }
  }

  /// True while a stop signal has reached a member that has not stopped.
  var isStopping: Bool {
    (names(inFolder: "/proc") ?? []).contains { name in
      guard let member = pid_t(name), getpgid(member) == id else { return false }
      return isStopping(member)
    }
  }

  private func isStopping(_ member: pid_t) -> Bool {
    guard let fields = statusFields(of: "\(member)") else { return false }
    func signals(_ name: Substring) -> UInt64 {
      fields[name].flatMap { UInt64($0, radix: 16) } ?? 0
    }
    let pending = (signals("SigPnd") | signals("ShdPnd")) & ~signals("SigBlk")
    let stops = [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].reduce(into: UInt64(0)) { $0 |= 1 << ($1 - 1) }
    return pending & stops != 0 && fields["State"]?.first != "T"
  }
}
