/// The resources that the executions of this process share: those of the command line, and those that the
/// command files offer, within what the execution around this process may use. Confined to the loop's
/// thread.
package final class ResourceBudget {
  package let pool = ResourcePool([:])
  /// The grants of requests and executions whose work has not begun.
  let idle = IdleHoldings()
  /// What no file can change.
  private let fixed: Set<String>
  /// What files offer, whatever this process may use of it.
  private let declared = ResourcePool([:])
  /// How many files include the one that offers a resource.
  private var depths: [String: Int] = [:]
  /// What the execution around this process may use; nil if none uses anything.
  private let caller = CallerResources()

  /// - Parameter offers: those of the command line.
  package init(_ offers: Resources) {
    fixed = Set(offers.keys)
    if let caller { for (name, amount) in caller.amounts { set(name, amount) } }
    for (name, amount) in offers { set(name, amount) }
  }

  /// Adds what a command file offers. A file counts more than those that it includes, and of several of
  /// one depth the last.
  ///
  /// - Parameter depth: how many files include it.
  func offer(_ offers: Resources, depth: Int = 0) {
    for (name, amount) in offers where !fixed.contains(name) {
      guard depth <= depths[name] ?? .max else { continue }
      depths[name] = depth
      set(name, amount)
      declared.set(name, ResourcePool.Stock(amount))
    }
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

  /// What the command files offer.
  package var declaredAmounts: Resources { declared.stocks.mapValues(\.amount) }

  /// The reason why a definition contradicts what the command files offer; nil if it does not.
  func contradiction(of wanted: Resources) -> String? { declared.excess(of: wanted) }
}
