import Scripting

/// All work of a batch that waits, in the lanes of its commands. On the loop's thread.
struct Lanes {
  /// What waits for nothing but a free job: scripts, and what cannot be executed.
  let scripts = Lane(nil)
  /// Those in which something waits.
  private(set) var busy: [Lane] = []
  /// How much work waits.
  private(set) var waiting = 0
  /// How much of that waits for nothing but a job, as far as is known.
  var ready: Int { busy.reduce(0) { $0 + ($1.obstacle == nil ? $1.count : 0) } }
  private var byCommand: [ObjectIdentifier: Lane] = [:]

  /// The lane of a command.
  mutating func lane(of command: ScriptCommand) -> Lane {
    if let lane = byCommand[ObjectIdentifier(command)] { return lane }
    let lane = Lane(command)
    byCommand[ObjectIdentifier(command)] = lane
    return lane
  }

  mutating func append(_ work: Work, to lane: Lane) {
    note(lane)
    lane.append(work)
  }

  /// Puts work before all that waits in a lane.
  mutating func prepend(_ work: Work, to lane: Lane) {
    note(lane)
    lane.prepend(work)
  }

  /// Takes the first work out of a lane.
  mutating func removeFirst(of lane: Lane) -> Work {
    waiting -= 1
    defer { if lane.isEmpty { forget(lane) } }
    return lane.removeFirst()
  }

  /// Takes all work out of a lane.
  mutating func removeAll(of lane: Lane) -> [Work] {
    waiting -= lane.count
    forget(lane)
    return lane.removeAll()
  }

  /// Takes out everything; no lane is woken any more.
  mutating func removeAll() -> [Work] {
    for lane in [scripts] + Array(byCommand.values) { lane.clearAlarm() }
    let lanes = busy
    return lanes.flatMap { removeAll(of: $0) }
  }

  private mutating func note(_ lane: Lane) {
    if lane.isEmpty { busy.append(lane) }
    waiting += 1
  }

  private mutating func forget(_ lane: Lane) { busy.removeAll { $0 === lane } }
}
