import Commands

/// What the steps of a plan are to each other, as a run of it looks at them.
struct PlanGraph {
  /// The steps that need each step.
  let users: [[Int]]
  /// The steps that an order puts behind each step: they are not executed if it fails.
  let dependents: [[Int]]
  /// The steps of the next call of a sequence, behind each step.
  let followers: [[Int]]
  /// The commands of which executions take turns.
  let turns: Set<ObjectIdentifier>
  /// For each step, the number of executable steps that need it.
  private var interest: [Int]

  init(_ plan: Plan) {
    users = plan.successors(\.needs)
    dependents = plan.successors(\.after)
    followers = plan.successors(\.follows)
    turns = plan.turns(users)
    interest = users.map(\.count)
  }

  /// Returns the steps of a plan that only this step, which is not executed, still needed.
  mutating func loseInterest(of index: Int, in plan: Plan) -> [Int] {
    plan.steps[index].needs.filter { need in
      interest[need] -= 1
      return interest[need] == 0 && !plan.steps[need].isRequested
    }
  }
}

extension Plan {
  /// Returns for each step the steps that have it among some of their predecessors.
  fileprivate func successors(_ predecessors: KeyPath<Step, [Int]>) -> [[Int]] {
    var successors = [[Int]](repeating: [], count: steps.count)
    for (index, step) in steps.enumerated() {
      for predecessor in step[keyPath: predecessors] { successors[predecessor].append(index) }
    }
    return successors
  }

  /// The commands of which executions take turns: those of several steps of which one is needed,
  /// as the user did not ask for them at the same time. A command that is only requested twice may
  /// reject the second execution itself, and a command that queues executions needs no turns.
  ///
  /// - Parameter users: the steps that need each step.
  fileprivate func turns(_ users: [[Int]]) -> Set<ObjectIdentifier> {
    guard steps.count > 1 else { return [] }
    var known: [ObjectIdentifier: (count: Int, isNeeded: Bool)] = [:]
    for (index, step) in steps.enumerated() where !step.command.whenBusy.isQueue {
      let key = ObjectIdentifier(step.command)
      let (count, isNeeded) = known[key] ?? (0, false)
      // What an execution needs is planned without the step that needs it.
      known[key] = (count + 1, isNeeded || !step.isRequested || !users[index].isEmpty)
    }
    return Set(known.filter { $0.value.count > 1 && $0.value.isNeeded }.keys)
  }
}

extension BusyPolicy {
  var isQueue: Bool { if case .queue = self { true } else { false } }
}
