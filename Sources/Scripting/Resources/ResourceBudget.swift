import EventLoop
import Platform

/// The resources that the executions of this process share: those of the command line, and those that the
/// command files offer, within what the execution around this process may use. Confined to the loop's
/// thread.
package final class ResourceBudget {
  package let pool: ResourcePool
  /// The grants of requests and executions whose work has not begun.
  let idle: IdleHoldings
  /// What no file can change.
  private let fixed: Set<String>
  /// What the execution around this process may use; nil if none uses anything.
  private let caller: CallerResources?
  private let starter: ResourceHolder?
  /// The execution around this process that has resources of its project; nil if none has.
  var holderOutside: ResourceHolder? { starter.flatMap { $0.isThere ? $0 : nil } }

  /// - Parameter offers: those of the command line.
  package convenience init(_ offers: Resources) {
    self.init(offers, IdleHoldings(), of: nil, CallerResources(), sharedBy: nil)
  }

  /// Makes one that other processes share: those of its executions, and those of the same project.
  ///
  /// - Parameters:
  ///   - offers: those of the command line.
  ///   - project: a path of the project's command file, or of a script; nil to share with no other run.
  ///   - say: called with a sentence for the user, without its period.
  package convenience init(
    _ offers: Resources, of project: String?, on loop: EventLoop,
    _ say: @escaping (String) -> Void
  ) {
    let idle = IdleHoldings()
    var hasSaid = false
    let surroundings = ResourceLedger.Surroundings(
      loop: loop, idle: idle,
      onFailure: { reason in
        if !hasSaid { say("resources that other processes use are not counted: \(reason)") }
        hasSaid = true
      }, onLeftEnded: say)
    let caller = CallerResources()
    let project = project.map { ProjectFile($0) }
    self.init(
      offers, idle, of: project, caller,
      sharedBy: caller == nil ? .ofProject(project, surroundings) : .ofCaller(surroundings))
  }

  private init(
    _ offers: Resources, _ idle: IdleHoldings, of project: ProjectFile?, _ caller: CallerResources?,
    sharedBy ledger: ResourceLedger?
  ) {
    self.idle = idle
    self.caller = caller
    starter = caller == nil ? nil : ResourceHolder.outside(project?.ledger)
    pool = ResourcePool([:], sharedBy: ledger)
    fixed = Set(offers.keys)
    if let caller { for (name, amount) in caller.amounts { set(name, amount) } }
    for (name, amount) in offers { set(name, amount) }
  }

  /// Offers what command files declare.
  func offer(_ declared: Resources) {
    for (name, amount) in declared where !fixed.contains(name) { set(name, amount) }
  }

  /// The variables of the processes of an execution.
  func variables(for execution: ScriptExecution) -> [EnvironmentChange] {
    guard let grant = execution.resourceHolder?.grant else { return [] }
    // Those inside another one have its name from that, and a worker's are not the project's.
    guard caller == nil, pool.source == nil, let ledger = pool.ledger,
      let holder = execution.outermostHolder
    else { return grant.variables }
    return grant.variables
      + holder.scriptCommand.asHolder.variables(
        of: pool.stocks.mapValues(\.amount), ledger.key, holder.grant?.entry?.name)
  }

  /// What leaves this process less than is offered, as a sentence without its period; nil if nothing does.
  func limit(on wanted: Resources) -> String? {
    if let caller {
      return
        "the execution that has started this process uses \(caller.amounts.text), which is all "
        + "that its processes may use"
    }
    guard wanted["gpu"] != nil, let devices = CallerResources.visibleDevices else { return nil }
    return
      "CUDA_VISIBLE_DEVICES names \(devices.count) \(devices.count == 1 ? "device" : "devices")"
  }

  /// The reason why amounts cannot be had at once by executions and services; nil if they can, or if it is
  /// not known what there is outside the execution around this process.
  func excess(of all: Resources) -> String? { caller == nil ? pool.excess(of: all) : nil }

  private func set(_ name: String, _ amount: ResourceAmount) {
    pool.set(name, CallerResources.stock(name, amount, caller))
  }

  /// Adds what command files of other processes offer; the largest amount counts.
  package func offer(others offers: Resources) {
    for (name, amount) in offers where !fixed.contains(name) {
      guard amount.value > pool.stocks[name]?.amount.value ?? 0 else { continue }
      set(name, amount)
    }
  }

  /// The reason why a definition can never have what it uses, given what its command files declare; nil if
  /// it can.
  func contradiction(of wanted: Resources, in declared: DeclaredResources) -> String? {
    if wanted.isEmpty { return nil }
    return ResourcePool(
      declared.amounts.filter { !fixed.contains($0.key) }.mapValues { ResourcePool.Stock($0) }
    ).excess(of: wanted)
  }
}

/// What the command files of a host declare, whatever the process may use of it.
struct DeclaredResources {
  private(set) var amounts: Resources = [:]
  /// How many files include the one that declares a resource.
  private var depths: [String: Int] = [:]

  /// Adds what a command file declares. A file counts more than those that it includes, and of several of
  /// one depth the last.
  ///
  /// - Parameter depth: how many files include it.
  mutating func add(_ resources: Resources, depth: Int) {
    for (name, amount) in resources where depth <= depths[name] ?? .max {
      depths[name] = depth
      amounts[name] = amount
    }
  }
}

extension ScriptHost {
  /// What its command files declare.
  package var declaredAmounts: Resources { declaredResources.amounts }
}
