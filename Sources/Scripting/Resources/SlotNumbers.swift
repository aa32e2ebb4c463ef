import EventLoop
import Platform

/// The numbers of places of executions that run at the same time, from 1 up. Confined to the loop's thread.
struct SlotNumbers {
  private var free = BinaryHeap<Int>()
  private var last = 0

  /// Takes the smallest number that nobody has.
  mutating func take() -> Int {
    guard let (number, _) = free.first else {
      last += 1
      return last
    }
    free.removeFirst()
    return number
  }

  mutating func give(back number: Int) { free.insert(number, number) }
}

extension ScriptHost {
  /// The variables that processes have from the host, and which those of their command and their own go
  /// before.
  ///
  /// - Parameter execution: the one that they work for.
  func variables(for execution: ScriptExecution?) -> [EnvironmentChange] {
    var variables = policy.processVariables(execution?.origin)
    // The path is another one once tokens were lost.
    if execution?.scriptCommand.description.environment.jobServer == .byPath {
      variables += JobServerVariables.naming
    }
    // It shares what the one around it has.
    if let execution { variables += policy.resources.variables(for: execution) }
    if let slot = execution?.slotNumber {
      variables.append(("RACLETTE_SLOT", "\(slot)".exactBytes))
    }
    return variables
  }
}
