import Scripting

/// All work of a batch that waits, in the queues of its commands. On the loop's thread.
struct CommandQueues {
  /// What waits for nothing but a free job: scripts, and what cannot be executed.
  let scripts = CommandQueue(nil)
  /// Those in which something waits.
  private(set) var busy: [CommandQueue] = []
  /// How much work waits.
  private(set) var waiting = 0
  /// How much of that waits for nothing but a job, as far as is known.
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

  /// Puts work before all that waits in a queue.
  mutating func prepend(_ work: Work, to queue: CommandQueue) {
    note(queue)
    queue.prepend(work)
  }

  /// Takes the first work out of a queue.
  mutating func removeFirst(of queue: CommandQueue) -> Work {
    waiting -= 1
    defer { if queue.isEmpty { forget(queue) } }
    return queue.removeFirst()
  }

  /// Takes all work out of a queue.
  mutating func removeAll(of queue: CommandQueue) -> [Work] {
    waiting -= queue.count
    forget(queue)
    return queue.removeAll()
  }

  /// Takes out everything; no queue is woken any more.
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
