import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// A unit of work in a batch: an entry of its plan, or a command that entries depend on.
final class Work: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  enum Origin {
    /// An entry, and the number of its execution in the journal.
    case entry(PlannedEntry, execution: Int64)
    /// A dependency, and a callback for its end.
    case need(Plan.Call, (Failure?) -> Void)
  }

  let origin: Origin
  /// Its position in the order of all work.
  let number: Int
  /// The reason why it cannot be executed, reported at its turn.
  let flaw: Failure?
  /// The record that events refer to, once it has started.
  var record: ExecutionRecord?
  /// The queue in which it waited.
  private(set) weak var queue: CommandQueue?
  /// The executed key of an entry, if it differs from the one in the plan.
  var executedKey: EntryKey?
  /// Cancels the work.
  var cancel: () -> Void = {}
  /// The start time in seconds since 1970, once it has started.
  var started: Double?
  var startTime = Duration.zero
  /// The state of what it depends on itself, apart from the other work of its queue.
  let ownNeeds = NeedsState()

  init(_ origin: Origin, number: Int, flaw: Failure? = nil) {
    self.origin = origin
    self.number = number
    self.flaw = flaw
  }

  /// Its number in the journal.
  var recordedAs: Int64? {
    guard case .entry(_, let execution) = origin, execution != 0 else { return nil }
    return execution
  }

  func begin(in queue: CommandQueue) {
    self.queue = queue
    started = secondsSince1970()
    startTime = EventLoop.now
  }

  var entry: PlannedEntry? {
    if case .entry(let planned, _) = origin { planned } else { nil }
  }
}

/// A queue of work with the same requirement: one command, or only a free job.
final class CommandQueue: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The command; nil for scripts.
  let command: ScriptCommand?
  /// The number of running executions of the queue.
  var running = 0
  /// The reason why nothing in the queue may start at this moment; nil if something may.
  var obstacle: Obstacle?
  /// The state of what all its work depends on.
  private let sharedNeeds = NeedsState()
  /// True if the command's condition has been evaluated for the next attempt.
  var isAsked = false
  /// The time at which the command was found disabled, on the clock of the loop.
  var disabledSince: Duration?
  /// Holds the subscriptions and timers that wake the queue.
  var alarm = CompoundDisposable()

  private var works = Queue<Work>()

  enum Obstacle {
    /// The command is busy, or its dependencies are running.
    case busy
    case condition
  }

  /// The state of what its first work depends on: for all its work alike, unless that differs with
  /// the input, or a precondition is asked for each.
  var needs: NeedsState? {
    guard let command else { return nil }
    let isShared = !command.asksForNeeds && !command.hasPrecondition
    return isShared ? sharedNeeds : first?.ownNeeds
  }

  init(_ command: ScriptCommand?) {
    self.command = command
  }

  var isEmpty: Bool { works.isEmpty }
  var first: Work? { works.first }
  var count: Int { works.count }

  func append(_ work: Work) { works.append(work) }

  func prepend(_ work: Work) { works.prepend(work) }

  func popFirst() -> Work? { works.popFirst() }

  func removeAll() -> [Work] {
    defer { works = Queue() }
    return works.elements
  }

  func clearAlarm() {
    alarm.dispose()
    alarm = CompoundDisposable()
  }
}

/// The state of what work depends on.
final class NeedsState: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  enum State {
    case unknown, underWay, met
    case failed(Failure)
  }

  var state = State.unknown
}
