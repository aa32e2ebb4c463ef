import RunnerCore
import Scripting

/// All waiting work of a batch, in the queues of its commands. On the loop's thread.
struct CommandQueues {
  /// Work that waits only for a free job: scripts, and work that cannot be executed.
  let scripts = CommandQueue(nil)
  /// The queues that contain waiting work.
  private(set) var busy: [CommandQueue] = []
  /// The number of waiting units of work.
  private(set) var waiting = 0
  /// The number of those that wait only for a job, as far as is known.
  var ready: Int { busy.reduce(0) { $0 + ($1.obstacle == nil ? $1.count : 0) } }
  private var byCommand: [ObjectIdentifier: CommandQueue] = [:]

  /// The queue of a command.
  mutating func queue(of command: ScriptCommand) -> CommandQueue {
    if let queue = byCommand[ObjectIdentifier(command)] { return queue }
    let queue = CommandQueue(command)
    byCommand[ObjectIdentifier(command)] = queue
    return queue
  }

  mutating func append(_ work: Work, to queue: CommandQueue) {
    note(queue)
    queue.append(work)
  }

  /// Puts work at the front of a queue.
  mutating func prepend(_ work: Work, to queue: CommandQueue) {
    note(queue)
    queue.prepend(work)
  }

  /// Removes the first work of a queue.
  mutating func popFirst(of queue: CommandQueue) -> Work? {
    guard let work = queue.popFirst() else { return nil }
    waiting -= 1
    if queue.isEmpty { forget(queue) }
    return work
  }

  /// Removes all work of a queue.
  mutating func removeAll(of queue: CommandQueue) -> [Work] {
    waiting -= queue.count
    forget(queue)
    return queue.removeAll()
  }

  /// Removes all work; no queue is woken any more.
  mutating func removeAll() -> [Work] {
    for queue in [scripts] + Array(byCommand.values) { queue.clearAlarm() }
    let queues = busy
    return queues.flatMap { removeAll(of: $0) }
  }

  private mutating func note(_ queue: CommandQueue) {
    if queue.isEmpty { busy.append(queue) }
    waiting += 1
  }

  private mutating func forget(_ queue: CommandQueue) { busy.removeAll { $0 === queue } }
}
