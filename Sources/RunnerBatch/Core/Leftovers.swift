import EventLoop
import Journal
import Platform
import RunnerCore

/// Processes that killed batches have left running. They must not run beside a second execution of
/// the same entries: they are ended, or waited for.
package struct Leftovers {
  /// The values of `--leftover`.
  enum Treatment: String, CaseIterable {
    case end, wait
  }

  private let journal: Journal
  private let treatment: Treatment
  /// The time that a group has to end after SIGTERM.
  private static let grace = Duration.seconds(5)

  init(in journal: Journal, _ treatment: Treatment) {
    self.journal = journal
    self.treatment = treatment
  }

  /// Returns when no leftover process runs, or the run is interrupted.
  func settle(in session: Session) throws(JournalError) {
    let recorded = try journal.leftovers()
    guard !recorded.isEmpty else { return }
    var alive = recorded.alive
    if !alive.isEmpty {
      tell(alive, session)
      if treatment == .end {
        alive.send(SIGTERM)
        alive.send(SIGCONT)
      }
    }
    let end = EventLoop.now + Self.grace
    var isKilled = treatment == .wait
    while !alive.isEmpty, !session.isEnding {
      pause(session)
      alive = alive.alive
      if !isKilled, EventLoop.now >= end {
        isKilled = true
        alive.send(SIGKILL)
      }
    }
    if alive.isEmpty { try journal.forget(recorded) }
  }

  /// Waits before the next check: nothing reports the end of another process's children.
  private func pause(_ session: Session) {
    let isOver = Once<Bool>()
    let timer = session.loop.timer(after: .milliseconds(50)) { isOver.value = true }
    session.wait { isOver.value == true || session.isEnding }
    timer.cancel()
  }

  private func tell(_ alive: [Leftover], _ session: Session) {
    let names = alive.prefix(5).map { leftover in
      "\(leftover.command) (#\(leftover.execution), process group \(leftover.group.leader))"
    }
    let more = alive.count > 5 ? " and \(alive.count - 5) more" : ""
    let what = names.joined(separator: ", ") + more
    switch treatment {
    case .end:
      session.report.say("ending what a killed batch has left running: \(what)")
    case .wait:
      session.report.say(
        "waiting for what a killed batch has left running: \(what); to end it: --leftover end")
    }
  }
}

extension [Leftover] {
  /// The leftovers of which a process still runs.
  fileprivate var alive: [Leftover] {
    let alive = GroupIdentity.alive(among: map(\.group))
    return filter { alive.contains($0.group) }
  }

  fileprivate func send(_ signal: Int32) {
    GroupIdentity.send(signal, to: map(\.group))
  }
}
