import Commands

/// Serialises the steps of one plan that execute the same command, if one of them is needed:
/// the user did not ask for them at the same time. A command that is only requested twice may
/// reject the second execution itself, and a command that queues executions needs no turns.
struct CommandTurns {
  private struct Turns {
    var running = 0
    var waiting: [Int] = []
  }

  /// The turns of each command whose steps take turns.
  private var turns: [ObjectIdentifier: Turns] = [:]

  /// - Parameter users: the steps that need each step of the plan.
  init(_ plan: Plan, _ users: [[Int]]) {
    var known: [ObjectIdentifier: (count: Int, isNeeded: Bool)] = [:]
    for (index, step) in plan.steps.enumerated() where !step.command.whenBusy.isQueue {
      let key = ObjectIdentifier(step.command)
      let (count, isNeeded) = known[key] ?? (0, false)
      // What an execution needs is planned without the step that needs it.
      known[key] = (count + 1, isNeeded || !step.isRequested || !users[index].isEmpty)
    }
    for (key, steps) in known where steps.count > 1 && steps.isNeeded { turns[key] = Turns() }
  }

  /// Returns true if a step may be executed now; otherwise `leave` returns it when it may.
  mutating func take(_ step: Int, of command: ScriptCommand) -> Bool {
    let key = ObjectIdentifier(command)
    guard var known = turns[key] else { return true }
    defer { turns[key] = known }
    guard known.running < command.concurrencyLimit.count else {
      known.waiting.append(step)
      return false
    }
    known.running += 1
    return true
  }

  /// Records that an execution has ended.
  ///
  /// - Returns: the steps that may try again.
  mutating func leave(_ command: ScriptCommand) -> [Int] {
    let key = ObjectIdentifier(command)
    guard var known = turns[key] else { return [] }
    let waiting = known.waiting
    known.running -= 1
    known.waiting = []
    turns[key] = known
    return waiting
  }
}

extension BusyPolicy {
  var isQueue: Bool { if case .queue = self { true } else { false } }
}
