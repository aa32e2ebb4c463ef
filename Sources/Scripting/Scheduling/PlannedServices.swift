import LuaRuntime
import Reactive

/// The services of a plan: each is used from the time at which its step is requested until the steps
/// that need it have ended. If all of these may be up to date, its use begins with the work of the first
/// that is not. Confined to the loop's thread.
final class PlannedServices {
  private let plan: Plan
  private var uses: [Int: ServiceUse] = [:]
  /// Takes the uses at their ends, if the run is one of several rounds.
  var kept: KeptServices?
  /// The number of those that need each service and have not ended; the plan's owner is one of them.
  private var left: [Int: Int] = [:]
  /// The services that the call needs directly whose needs the plan has.
  private var ofOwner: Set<Int> = []
  /// Those whose use begins with the work of what needs them.
  private var deferred: Set<Int> = []

  init(_ plan: Plan, _ graph: PlanGraph) {
    self.plan = plan
    for (index, step) in plan.steps.enumerated() where step.command.isService {
      var users = graph.users[index].map { plan.steps[$0].command }
      if let owner = plan.owner, plan.needsOfOwner.contains(step.call.key) {
        ofOwner.insert(index)
        users.append(owner)
      }
      guard !users.isEmpty else { continue }
      left[index] = users.count
      let isAwaited = step.isRequested || !graph.dependents[index].isEmpty
      if !isAwaited, users.allSatisfy(\.mayBeUpToDate) { deferred.insert(index) }
    }
  }

  /// True if a step is a service that another step or the plan's owner needs.
  func isUsed(_ index: Int) -> Bool { left[index] != nil }

  /// True if only the work of what needs a service uses it.
  func isDeferred(_ index: Int) -> Bool { deferred.contains(index) }

  func isUsedByOwner(_ index: Int) -> Bool { ofOwner.contains(index) }

  /// True if a step needs services.
  func areUsed(by step: Int) -> Bool {
    !left.isEmpty && plan.steps[step].needs.contains { left[$0] != nil }
  }

  /// The services that a step uses.
  ///
  /// - Parameter caller: the variables that deferred ones begin with.
  func used(by step: Int, for caller: CallerEnvironment?) -> UsedServices {
    left.isEmpty ? UsedServices() : used(plan.steps[step].needs, for: caller)
  }

  /// The services that the plan's owner uses.
  ///
  /// - Parameter caller: the variables that deferred ones begin with.
  func usedByOwner(for caller: CallerEnvironment?) -> UsedServices {
    used(ofOwner.sorted(), for: caller)
  }

  private func used(_ steps: [Int], for caller: CallerEnvironment?) -> UsedServices {
    UsedServices(
      steps.compactMap { deferred.contains($0) ? nil : uses[$0] },
      deferred: steps.filter(deferred.contains).map { index in
        // Those who use it learn of its loss from the use.
        { [self] in uses[index] ?? begin(index, for: caller) { _ in } }
      })
  }

  /// - Parameter caller: the variables that the service begins with if this starts it; nil for those of
  ///   its interpreter.
  @discardableResult
  func begin(
    _ index: Int, for caller: CallerEnvironment?,
    _ onOutcome: @escaping (ServiceUse.Outcome) -> Void
  ) -> ServiceUse {
    let call = plan.steps[index].call
    let begin = {
      ServiceUse.begin(call, for: caller ?? call.command.host.environment, onOutcome)
    }
    let use = kept?.begin(call, begin) ?? begin()
    uses[index] = use
    return use
  }

  func endUse(of index: Int) {
    guard let use = uses.removeValue(forKey: index) else { return }
    if let kept { kept.keep(use, of: plan.steps[index].call) } else { use.end() }
  }

  /// Ends the uses of a step that has ended.
  func release(by step: Int) { for need in plan.steps[step].needs { releaseOne(need) } }

  /// Ends the uses of the plan's owner.
  func releaseAsOwner() {
    let services = ofOwner
    ofOwner = []
    for index in services.sorted(by: >) { releaseOne(index) }
  }

  private func releaseOne(_ index: Int) {
    guard let count = left[index] else { return }
    left[index] = count - 1
    if count == 1 { endUse(of: index) }
  }
}
