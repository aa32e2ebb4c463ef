import Platform

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

  /// - Parameter offers: those of the command line.
  package init(_ offers: Resources) {
    fixed = Set(offers.keys)
    for (name, amount) in offers { pool.set(name, Self.stock(name, amount)) }
  }

  /// Adds what a command file offers; the file that is loaded last counts.
  func offer(_ offers: Resources) {
    for (name, amount) in offers where !fixed.contains(name) {
      pool.set(name, Self.stock(name, amount))
      declared.set(name, ResourcePool.Stock(amount))
    }
  }

  /// Adds what command files of other processes offer; the largest amount counts.
  package func offer(others offers: Resources) {
    for (name, amount) in offers where !fixed.contains(name) {
      guard amount.value > pool.stocks[name]?.amount.value ?? 0 else { continue }
      pool.set(name, Self.stock(name, amount))
    }
  }

  /// What the command files offer.
  package var declaredAmounts: Resources { declared.stocks.mapValues(\.amount) }

  /// The reason why a definition contradicts what the command files offer; nil if it does not.
  func contradiction(of wanted: Resources) -> String? { declared.excess(of: wanted) }

  /// The part of an offer that this process may use: its caller may have promised it less.
  private static func stock(_ name: String, _ amount: ResourceAmount) -> ResourcePool.Stock {
    let promised = ProcessEnvironment.value(of: "RACLETTE_\(name.uppercased())")
    let devices =
      name == "gpu"
      ? (ProcessEnvironment.value(of: "CUDA_VISIBLE_DEVICES") ?? "").split(separator: ",")
        .map(String.init) : []
    if amount.isCount {
      let indices = promised.map { $0.split(separator: ",").compactMap { Int($0) } }
      let count = min(amount.value, Int64(indices?.count ?? .max))
      guard let indices else {
        let visible = devices.isEmpty ? count : min(count, Int64(devices.count))
        return ResourcePool.Stock(.count(visible), devices: devices)
      }
      return ResourcePool.Stock(
        .count(count), indices: Array(indices.prefix(Int(count))), devices: devices)
    }
    return ResourcePool.Stock(.size(min(amount.value, promised.flatMap { Int64($0) } ?? .max)))
  }
}
