import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import Scripting

/// Something a batch has to execute: an entry of its plan, or a command that entries need.
final class Work: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  enum Origin {
    /// An entry, and the number of its execution in the journal.
    case entry(PlannedEntry, execution: Int64)
    /// A needed command, and who waits for its end.
    case need((Failure?) -> Void)
  }

  let origin: Origin
  /// Its place in the order of all work.
  let number: Int
  /// Why it cannot be executed, which is told at its turn.
  let flaw: Failure?
  /// What events tell of it, once it has started.
  var record: ExecutionRecord?
  /// Where it waited.
  private(set) weak var queue: CommandQueue?
  /// What of an entry was executed, if that is not what the plan was read for.
  var executedKey: EntryKey?
  /// Ends it.
  var cancel: () -> Void = {}
  /// Seconds since 1970, once it has started.
  var started: Double?
  var startTime = Duration.zero

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

/// Work that waits for the same: to be executed by one command, or for nothing but a free job.
final class CommandQueue: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  /// The command; nil for scripts.
  let command: ScriptCommand?
  /// How many executions of the queue run.
  var running = 0
  /// Why nothing of the queue may start at this moment; nil if something may.
  var obstacle: Obstacle?
  /// Whether what the command needs has been seen to.
  var needs = Needs.unknown
  /// Whether the command's condition has been asked for the next attempt.
  var isAsked = false
  /// Since when the command was found disabled, on the clock of the loop.
  var disabledSince: Duration?
  /// What is to wake the queue.
  var alarm = CompoundDisposable()

  private var works: [Work] = []
  private var head = 0

  enum Obstacle {
    /// The command is busy, or its needs are under way.
    case busy
    case condition
  }

  enum Needs {
    case unknown, underWay, met
    case failed(Failure)
  }

  init(_ command: ScriptCommand?) {
    self.command = command
  }

  var isEmpty: Bool { head == works.count }
  var first: Work? { isEmpty ? nil : works[head] }
  var count: Int { works.count - head }

  func append(_ work: Work) { works.append(work) }

  func prepend(_ work: Work) { works.insert(work, at: head) }

  func removeFirst() -> Work {
    defer {
      head += 1
      if head > 64, head * 2 > works.count {
        works.removeFirst(head)
        head = 0
      }
    }
    return works[head]
  }

  func removeAll() -> [Work] {
    defer {
      works = []
      head = 0
    }
    return Array(works[head...])
  }

  func clearAlarm() {
    alarm.dispose()
    alarm = CompoundDisposable()
  }
}
