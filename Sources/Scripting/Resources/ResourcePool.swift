import Platform

/// What executions share: amounts of resources, which are promised to one execution at a time. Nothing is
/// promised twice, and nobody waits behind those of the same rank who came later. Confined to the loop's
/// thread.
package final class ResourcePool {
  /// One resource.
  package struct Stock {
    package let amount: ResourceAmount
    /// The indices of its things, in order; none for a size.
    package let indices: [Int]
    /// What the devices with these indices are called by the caller; empty if they have no other names.
    package let devices: [String]

    package init(_ amount: ResourceAmount, indices: [Int]? = nil, devices: [String] = []) {
      self.amount = amount
      self.indices =
        indices ?? (amount.isCount ? Array(0..<Int(clamping: min(amount.value, 1 << 16))) : [])
      self.devices = devices
    }
  }

  /// The priority of a wait for resources; later cases come first.
  package enum Rank: Int {
    /// A request that nothing waits for but the runner.
    case request
    /// A request that an execution at work has made.
    case innerRequest
    /// An execution that has begun, and so has a job and a slot that others may wait for.
    case execution
  }

  private final class Wait {
    let wanted: Resources
    let user: String
    let rank: Rank
    var granted: ((ResourceGrant) -> Void)?

    init(
      _ wanted: Resources, _ user: String, _ rank: Rank,
      _ granted: @escaping (ResourceGrant) -> Void
    ) {
      self.wanted = wanted
      self.user = user
      self.rank = rank
      self.granted = granted
    }
  }

  private(set) var stocks: [String: Stock]
  /// What promises in place of this pool, for several processes; nil if they share nothing.
  package var source: (any ResourceSource)?
  private var grants: [ObjectIdentifier: (user: String, resources: Resources)] = [:]
  private var used: [String: Int64] = [:]
  private var takenIndices: [String: Set<Int>] = [:]
  private var waiting: [Wait] = []

  package init(_ stocks: [String: Stock]) { self.stocks = stocks }

  /// Sets the amount of a resource. What is promised stays so.
  func set(_ name: String, _ stock: Stock) {
    stocks[name] = stock
    advance()
  }

  /// The reason why amounts can never be had here, as the end of a sentence; nil if they can.
  package func problem(with wanted: Resources) -> String? {
    if let excess = excess(of: wanted) { return excess }
    guard let (name, amount) = wanted.filter({ stocks[$0.key] == nil }).min(by: { $0.key < $1.key })
    else { return nil }
    let given = amount.isCount ? amount.text : "\"\(amount.text)\""
    return "nothing offers '\(name)': --resource \(name)=\(amount.text), or "
      + "rac.defaults{resources = {\(name) = \(given)}}"
  }

  /// The reason why amounts are too large for what is offered; nil if none is, as far as is known.
  func excess(of wanted: Resources) -> String? {
    for (name, amount) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let stock = stocks[name] else { continue }
      guard stock.amount.isCount == amount.isCount else {
        return "'\(name)' is \(stock.amount.isCount ? "a number" : "a size"), \(stock.amount.text)"
      }
      guard amount.value <= stock.amount.value else {
        return "there is only \(name) = \(stock.amount.text)"
      }
    }
    return nil
  }

  /// Promises amounts that can be had, once they are free, in the order of the calls as far as these
  /// want the same resources.
  ///
  /// - Parameters:
  ///   - user: who wants them, for those who wait.
  ///   - rank: a higher rank precedes a lower one, whatever the order of the calls.
  ///   - granted: called once, perhaps inside this call.
  /// - Returns: nil if it was called; else what gives the wish up.
  package func take(
    _ wanted: Resources, for user: String, rank: Rank = .request,
    _ granted: @escaping (ResourceGrant) -> Void
  ) -> (() -> Void)? {
    if let source {
      return source.take(wanted, of: stocks.mapValues(\.amount), for: user, rank: rank) {
        stocks, release in
        let grant = ResourceGrant(stocks) { [self] grant in
          grants[ObjectIdentifier(grant)] = nil
          release()
        }
        self.grants[ObjectIdentifier(grant)] = (user, wanted)
        granted(grant)
      }
    }
    let wait = Wait(wanted, user, rank, granted)
    let place = waiting.firstIndex { $0.rank.rawValue < rank.rawValue }
    waiting.insert(wait, at: place ?? waiting.endIndex)
    advance()
    guard wait.granted != nil else { return nil }
    return { [weak self] in
      wait.granted = nil
      self?.advance()
    }
  }

  /// Who has what is missing for others, as in `'train' has gpu = 2`, or who waits before them.
  func holders(of wanted: Resources) -> String {
    let isMissing = { [self] (name: String) in
      wanted[name].map { !isFree([name: $0]) } ?? false
    }
    var counts: [Holding: Int] = [:]
    for grant in grants.values {
      let amounts = grant.resources.filter { isMissing($0.key) }
      if !amounts.isEmpty { counts[Holding(user: grant.user, amounts: amounts), default: 0] += 1 }
    }
    let list = counts.map { holding, count in
      count == 1
        ? "'\(holding.user)' has \(holding.amounts.text)"
        : "\(count) executions of '\(holding.user)' have \(holding.amounts.text) each"
    }
    if !list.isEmpty { return list.sorted().joined(separator: "; ") }
    let first = waiting.first { $0.wanted.keys.contains { wanted[$0] != nil } }
    return first.map { "'\($0.user)' waits for \($0.wanted.text) before it" }
      ?? "others wait for it"
  }

  private struct Holding: Hashable {
    let user: String
    let amounts: Resources
  }

  private func release(_ grant: ResourceGrant) {
    grants[ObjectIdentifier(grant)] = nil
    for (name, stock) in grant.stocks {
      used[name, default: 0] -= stock.amount.value
      takenIndices[name]?.subtract(stock.indices)
    }
    advance()
  }

  private func advance() {
    waiting.removeAll { $0.granted == nil }
    // What is called may take and release in turn.
    while let index = nextToGrant {
      let wait = waiting.remove(at: index)
      guard let granted = wait.granted.take() else { continue }
      granted(promise(wait))
    }
  }

  /// The first of those that wait whose resources are free.
  private var nextToGrant: Int? {
    // What somebody waits for is not for those who came later.
    var awaited: Set<String> = []
    return waiting.firstIndex { wait in
      if awaited.isDisjoint(with: wait.wanted.keys), isFree(wait.wanted) { return true }
      awaited.formUnion(wait.wanted.keys)
      return false
    }
  }

  private func isFree(_ wanted: Resources) -> Bool {
    wanted.allSatisfy { name, amount in
      guard let stock = stocks[name] else { return false }
      return used[name, default: 0] + amount.value <= stock.amount.value
    }
  }

  private func promise(_ wait: Wait) -> ResourceGrant {
    var promised: [String: Stock] = [:]
    for (name, amount) in wait.wanted {
      guard let stock = stocks[name] else { continue }
      used[name, default: 0] += amount.value
      let taken = takenIndices[name] ?? []
      let free = stock.indices.enumerated().filter { !taken.contains($0.element) }
      let chosen = amount.isCount ? free.prefix(Int(clamping: amount.value)) : []
      takenIndices[name, default: []].formUnion(chosen.map(\.element))
      promised[name] = Stock(
        amount, indices: chosen.map(\.element),
        devices: chosen.compactMap {
          $0.offset < stock.devices.count ? stock.devices[$0.offset] : nil
        })
    }
    let grant = ResourceGrant(promised, onRelease: release)
    grants[ObjectIdentifier(grant)] = (wait.user, wait.wanted)
    return grant
  }
}

/// What one execution may use until it has ended. Executions inside it share it among themselves.
/// Confined to the loop's thread.
package final class ResourceGrant {
  /// What executions inside it take from.
  let pool: ResourcePool
  package let stocks: [String: ResourcePool.Stock]
  private var onRelease: ((ResourceGrant) -> Void)?

  fileprivate init(
    _ stocks: [String: ResourcePool.Stock], onRelease: @escaping (ResourceGrant) -> Void
  ) {
    self.stocks = stocks
    self.onRelease = onRelease
    pool = ResourcePool(stocks)
  }

  deinit { release() }

  package func release() { onRelease.take()?(self) }

  /// The variables that tell its processes what they may use.
  var variables: [EnvironmentChange] { CallerResources.variables(stocks) }
}
