import Commands
import LuaRuntime
import Platform
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
  /// Called when the line that a job's process has begun may be another.
  var onBegun: (Job) -> Void = { _ in }
  /// Called with output of something inside the job that an entry in the foreground shows.
  var onAttachedOutput: (LuaValue) -> Void = { _ in }

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
    execution.observe(
      Observer(
        next: onLoop { [weak self] value in self?.received(value, by: job) },
        batch: onLoop { [weak self] (batch: Batch<LuaValue>) in
          switch batch {
          case let line as UnfinishedLine:
            job.begin(line)
            self?.onBegun(job)
          case let chunk as ByteChunk: self?.received(chunk, by: job)
          case let question as JoinedStreams: question.answer(false)
          case let shown as ShownValues:
            shown.send(
              to: Observer(
                next: onLoop { [weak self] in self?.received($0, by: job) }, end: { _ in }),
              showing: job.id)
          default: batch.forEach { self?.received($0, by: job) }
          }
        },
        end: onLoop { [weak self] termination in
          job.subscription.dispose()
          if let line = job.takeOpenLine() { self?.show(line, of: job) }
          job.end()
          self?.onBegun(job)
          if case .error(let error) = termination {
            self?.onEnd(job, error)
          } else {
            self?.onEnd(job, nil)
          }
        }), in: job.subscription)
    forget()
    return job
  }

  private func received(_ value: LuaValue, by job: Job) {
    job.countValue()
    onBegun(job)
    if job.tellsEvents { onValue(job, value) }
  }

  /// Shows bytes by lines, as a terminal does: the one that is begun in the place of the former.
  private func received(_ chunk: ByteChunk, by job: Job) {
    let lines = job.receive(chunk: chunk.text)
    onBegun(job)
    for line in lines { show(line, of: job) }
  }

  /// Shows output of something inside a job, which is no value of it.
  func show(_ value: LuaValue, of job: Job) {
    if job.isAttached {
      onAttachedOutput(value)
    } else if job.tellsEvents {
      onValue(job, value)
    }
  }

  func cancelAll() {
    for job in active { job.execution.cancel() }
  }

  private func forget() {
    let ended = all.filter { !$0.isActive }
    for job in ended.dropLast(Self.memory) { jobs[job.id] = nil }
  }
}
