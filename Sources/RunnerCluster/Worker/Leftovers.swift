import EventLoop
import Platform
import RunnerCore

/// What executors leave behind that were killed: the processes of their executions, whose parent has
/// gone. They end before others begin the same. On the loop's thread.
///
/// An executor adopts the orphans below it for as long as it lives, and its worker adopts them all when
/// it has ended. Where the system has no such thing, the worker waits for as long as a lease lasts.
final class Leftovers {
  private let loop: EventLoop
  private let report: Report
  /// The most time that they have.
  private let limit: Duration
  /// What was there before, and what executors have left that ended in order: a command may start
  /// what is to outlive it.
  private var spared: Set<ProcessIdentity>
  private var sweeps = 0

  init(on loop: EventLoop, limit: Duration, _ report: Report) {
    self.loop = loop
    self.limit = limit
    self.report = report
    spared = loop.orphans()
  }

  /// Lets live what an executor has left that has ended in order.
  func spare() {
    // Another that was killed at the same time is noticed before.
    let me = LoopBound(self)
    loop.enqueue {
      if me.value.sweeps == 0 { me.value.spared = me.value.loop.orphans() }
    }
  }

  /// Kills what executors have left, and calls `completion` when it has ended.
  func kill(_ completion: @escaping () -> Void) {
    sweeps += 1
    func end() {
      sweeps -= 1
      completion()
    }
    #if os(Linux)
      loop.killOrphans(sparing: spared, within: limit) { [self] left in
        if !left.isEmpty {
          let processes = left.map { "\($0.id)" }.sorted().joined(separator: ", ")
          report.error("what a killed executor has left cannot be ended: process \(processes)")
        }
        end()
      }
    #else
      loop.timer(after: limit, end)
    #endif
  }
}
