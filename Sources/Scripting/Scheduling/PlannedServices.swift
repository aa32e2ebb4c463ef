import LuaRuntime
import Reactive

/// The services of a plan: each is used from the time at which its step is requested until the steps
/// that need it have ended, and those that need what has used it, such as a migration: they may depend on
/// what that has done there. Confined to the loop's thread.
final class PlannedServices {
  private let plan: Plan
  private var uses: [Int: ServiceUse] = [:]
  /// Takes the uses at their ends, if the run is one of several rounds.
  var kept: KeptServices?
  /// The number of those that keep each service up and have not ended; the plan's owner is one of them.
  private var left: [Int: Int] = [:]
  /// The services that each step keeps up.
  private var keptUp: [Int: [Int]] = [:]
  /// The services that the call needs directly whose needs the plan has.
  private var ofOwner: Set<Int> = []
  /// Those that it keeps up.
  private var keptUpByOwner: [Int] = []

  /// - Parameter users: the steps that need each step.
  init(_ plan: Plan, _ users: [[Int]]) {
    self.plan = plan
    for (index, step) in plan.steps.enumerated() where step.command.isService {
      if plan.needsOfOwner.contains(step.call.key) { ofOwner.insert(index) }
      if !plan.needsOfOwner.isEmpty { keptUpByOwner.append(index) }
      let all = Self.all(users, of: index)
      for user in all { keptUp[user, default: []].append(index) }
      let count = all.count + (plan.needsOfOwner.isEmpty ? 0 : 1)
      if count > 0 { left[index] = count }
    }
  }

  /// The steps that need one, and those that need these.
  private static func all(_ users: [[Int]], of index: Int) -> Set<Int> {
    var all: Set<Int> = []
    var pending = users[index]
    while let next = pending.popLast() {
      if all.insert(next).inserted { pending += users[next] }
    }
    return all
  }

  /// True if a step is a service that another step or the plan's owner needs.
  func isUsed(_ index: Int) -> Bool { left[index] != nil }

  func isUsedByOwner(_ index: Int) -> Bool { ofOwner.contains(index) }

  /// True if a step needs services.
  func areUsed(by step: Int) -> Bool {
    !left.isEmpty && plan.steps[step].needs.contains { left[$0] != nil }
  }

  /// The services that a step uses.
  func used(by step: Int) -> UsedServices {
    left.isEmpty ? UsedServices() : UsedServices(plan.steps[step].needs.compactMap { uses[$0] })
  }

  /// The services that the plan's owner uses.
  var usedByOwner: UsedServices { UsedServices(ofOwner.sorted().compactMap { uses[$0] }) }

  /// - Parameter caller: the variables that the service begins with if this starts it; nil for those of
  ///   its interpreter.
  func begin(
    _ index: Int, for caller: CallerEnvironment?,
    _ onOutcome: @escaping (ServiceUse.Outcome) -> Void
  ) {
    let call = plan.steps[index].call
    let begin = {
      ServiceUse.begin(call, for: caller ?? call.command.host.environment, onOutcome)
    }
    uses[index] = kept?.begin(call, begin) ?? begin()
  }

  func endUse(of index: Int) {
    guard let use = uses.removeValue(forKey: index) else { return }
    if let kept { kept.keep(use, of: plan.steps[index].call) } else { use.end() }
  }

  /// True if a step keeps services up.
  func areKeptUp(by step: Int) -> Bool { keptUp[step] != nil }

  /// Ends the uses of a step that has ended.
  func release(by step: Int) { for service in keptUp[step] ?? [] { releaseOne(service) } }

  /// Ends the uses of the plan's owner.
  func releaseAsOwner() {
    let services = keptUpByOwner
    (ofOwner, keptUpByOwner) = ([], [])
    for index in services.reversed() { releaseOne(index) }
  }

  private func releaseOne(_ index: Int) {
    guard let count = left[index] else { return }
    left[index] = count - 1
    if count == 1 { endUse(of: index) }
  }
}
