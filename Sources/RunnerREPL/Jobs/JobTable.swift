import Commands
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// The executions of a session: the running ones, and the latest of the ended ones, which can be
/// replayed.
final class JobTable: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The number of ended executions that are kept.
  private static let memory = 50
  /// The number of values of an entry's job that can be replayed.
  static let replayCapacity = 100_000

  private var jobs: [Int: Job] = [:]
  /// Called with each value and each end of a job that reports its events.
  var onValue: (Job, LuaValue) -> Void = { _, _ in }
  var onEnd: (Job, (any Error)?) -> Void = { _, _ in }

  /// All jobs in the order of their start.
  var all: [Job] { jobs.values.sorted { $0.id < $1.id } }
  var active: [Job] { all.filter(\.isActive) }

  subscript(id: Int) -> Job? { jobs[id] }

  /// The number of the latest job.
  var latest: Int { jobs.keys.max() ?? 0 }

  /// Observes an execution until it ends.
  @discardableResult
  func add(
    _ execution: Execution<LuaValue, LuaValue>, title: String, isAnnounced: Bool
  ) -> Job {
    let job = Job(execution, title: title, isAnnounced: isAnnounced)
    jobs[job.id] = job
    execution.subscribe(
      next: { [weak self] value in
        job.countValue()
        if job.tellsEvents { self?.onValue(job, value) }
      },
      error: { [weak self] error in
        job.end()
        self?.onEnd(job, error)
      },
      completed: { [weak self] in
        job.end()
        self?.onEnd(job, nil)
      })
    forget()
    return job
  }

  func cancelAll() {
    for job in active { job.execution.cancel() }
  }

  private func forget() {
    let ended = all.filter { !$0.isActive }
    for job in ended.dropLast(Self.memory) { jobs[job.id] = nil }
  }
}
