import EventLoop
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

    /// What tells its things apart in processes that see different devices.
    private var things: [String] { devices.isEmpty ? indices.map(String.init) : devices }

    /// The indices of its things that another process has.
    func indices(takenBy other: Stock) -> [Int] {
      if devices.isEmpty, other.devices.isEmpty { return other.indices }
      let taken = Set(other.things)
      return zip(indices, things).filter { taken.contains($1) }.map(\.0)
    }

    /// The part of it that another process has, as a value of its amount.
    func amount(takenBy other: Stock) -> Int64 {
      if devices.isEmpty, other.devices.isEmpty { return other.amount.value }
      return Int64(indices(takenBy: other).count)
    }
  }

  /// What is promised in this process.
  struct Use {
    /// The values of the amounts.
    fileprivate(set) var amounts: [String: Int64] = [:]
    fileprivate(set) var indices: [String: Set<Int>] = [:]
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
    /// Gives up what it asks the ledger for.
    var withdraw: (() -> Void)?

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
  /// Counts what other processes take from the same, too; nil if none does.
  let ledger: ResourceLedger?
  private var grants: [ObjectIdentifier: (user: String, resources: Resources)] = [:]
  private var use = Use()
  private var waiting: [Wait] = []
  /// Those for which enough is left in this process, while they wait for others: at most one for each
  /// resource.
  private var asking: [Wait] = []

  package init(_ stocks: [String: Stock]) {
    self.stocks = stocks
    ledger = nil
  }

  init(_ stocks: [String: Stock], sharedBy ledger: ResourceLedger?) {
    self.stocks = stocks
    self.ledger = ledger
  }

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
        [self] stocks, release in
        let grant = ResourceGrant(stocks, entry: nil, sharedBy: ledger?.inner()) { [self] grant in
          grants[ObjectIdentifier(grant)] = nil
          release()
        }
        self.grants[ObjectIdentifier(grant)] = (user, wanted)
        granted(grant)
      }
    }
    let wait = Wait(wanted, user, rank, granted)
    // The one that came first is put in front of the others.
    for other in asking.reversed() where other.rank.rawValue < rank.rawValue {
      withdraw(other)
      let place = waiting.firstIndex { $0.rank.rawValue <= other.rank.rawValue }
      waiting.insert(other, at: place ?? waiting.endIndex)
    }
    let place = waiting.firstIndex { $0.rank.rawValue < rank.rawValue }
    waiting.insert(wait, at: place ?? waiting.endIndex)
    advance()
    guard wait.granted != nil else { return nil }
    return { [weak self] in
      guard wait.granted.take() != nil, let self else { return }
      withdraw(wait)
      advance()
    }
  }

  /// Makes one that asks the ledger do so no longer.
  private func withdraw(_ wait: Wait) {
    guard let index = asking.firstIndex(where: { $0 === wait }) else { return }
    asking.remove(at: index)
    wait.withdraw.take()?()
    for (name, amount) in wait.wanted { use.amounts[name, default: 0] -= amount.value }
  }

  /// Who has what is missing for others, as in `'train' has gpu = 2`, or who waits before them; nil if
  /// nobody does any more.
  func holders(of wanted: Resources) -> String? {
    let others = source == nil ? ledger?.entriesOfOthers ?? [] : []
    let holdings =
      grants.values.map { Holding(user: "'\($0.user)'", amounts: $0.resources) }
      + others.filter(\.isGranted).map { entry in
        let amounts = entry.wanted.filter { name, _ in
          guard let offer = stocks[name], let stock = entry.stocks?[name] else { return false }
          return offer.amount(takenBy: stock) > 0
        }
        return Holding(user: entry.title, amounts: amounts)
      }
    let missing = wanted.filter { name, amount in
      let held = holdings.reduce(0) { $0 + ($1.amounts[name]?.value ?? 0) }
      return held + amount.value > stocks[name]?.amount.value ?? 0
    }
    var counts: [Holding: Int] = [:]
    for holding in holdings {
      let amounts = holding.amounts.filter { missing[$0.key] != nil }
      if !amounts.isEmpty { counts[Holding(user: holding.user, amounts: amounts), default: 0] += 1 }
    }
    let list = counts.map { holding, count in
      count == 1
        ? "\(holding.user) has \(holding.amounts.text)"
        : "\(count) executions of \(holding.user) have \(holding.amounts.text) each"
    }
    if !list.isEmpty { return list.sorted().joined(separator: "; ") }
    let waits =
      waiting.map { Holding(user: "'\($0.user)'", amounts: $0.wanted) }
      + others.filter { !$0.isGranted }.map { Holding(user: $0.title, amounts: $0.wanted) }
    let first = waits.first { $0.amounts.keys.contains { wanted[$0] != nil } }
    return first.map { "\($0.user) is waiting for \($0.amounts.text) ahead of it" }
  }

  private struct Holding: Hashable {
    let user: String
    let amounts: Resources
  }

  private func release(_ grant: ResourceGrant) {
    grants[ObjectIdentifier(grant)] = nil
    for (name, stock) in grant.stocks {
      use.amounts[name, default: 0] -= stock.amount.value
      use.indices[name]?.subtract(stock.indices)
    }
    advance()
  }

  private func advance() {
    waiting.removeAll { $0.granted == nil }
    // What is called may take and release in turn.
    while let index = nextToGrant {
      let wait = waiting.remove(at: index)
      for (name, amount) in wait.wanted { use.amounts[name, default: 0] += amount.value }
      guard let ledger else {
        grant(wait, stocks.part(wait.wanted, without: use.indices), nil, release: {})
        continue
      }
      asking.append(wait)
      var isInside = true
      wait.withdraw = ledger.take(
        wait.wanted, of: stocks, besides: { [unowned self] in use }, for: wait.user
      ) { [self] promise, release in
        asking.removeAll { $0 === wait }
        let part = promise?.stocks ?? stocks.part(wait.wanted, without: use.indices)
        grant(wait, part, promise?.entry, release: release)
        // Others have waited behind it.
        if !isInside { advance() }
      }
      isInside = false
    }
  }

  /// The first of those that wait whose resources are free.
  private var nextToGrant: Int? {
    // What somebody waits for is not for those who came later.
    var awaited = Set(asking.flatMap(\.wanted.keys))
    return waiting.firstIndex { wait in
      if awaited.isDisjoint(with: wait.wanted.keys), isFree(wait.wanted) { return true }
      awaited.formUnion(wait.wanted.keys)
      return false
    }
  }

  private func isFree(_ wanted: Resources) -> Bool {
    wanted.allSatisfy { name, amount in
      guard let stock = stocks[name] else { return false }
      return use.amounts[name, default: 0] + amount.value <= stock.amount.value
    }
  }

  private func grant(
    _ wait: Wait, _ promised: [String: Stock], _ entry: LedgerEntry?, release: @escaping () -> Void
  ) {
    guard let granted = wait.granted.take() else { return }
    for (name, stock) in promised { use.indices[name, default: []].formUnion(stock.indices) }
    let grant = ResourceGrant(promised, entry: entry, sharedBy: ledger?.inner()) { [self] grant in
      release()
      self.release(grant)
    }
    grants[ObjectIdentifier(grant)] = (wait.user, wait.wanted)
    granted(grant)
  }
}

extension [String: ResourcePool.Stock] {
  /// What amounts of it are: the first of the things that are free.
  ///
  /// - Parameter taken: the indices that are not.
  func part(_ wanted: Resources, without taken: [String: Set<Int>]) -> Self {
    var part: Self = [:]
    for (name, amount) in wanted {
      guard let stock = self[name] else { continue }
      let taken = taken[name] ?? []
      let free = stock.indices.enumerated().filter { !taken.contains($0.element) }
      let chosen = amount.isCount ? free.prefix(Int(clamping: amount.value)) : []
      part[name] = ResourcePool.Stock(
        amount, indices: chosen.map(\.element),
        devices: chosen.compactMap {
          $0.offset < stock.devices.count ? stock.devices[$0.offset] : nil
        })
    }
    return part
  }
}

/// What one execution may use until it has ended. Executions inside it share it among themselves.
/// Confined to the loop's thread.
package final class ResourceGrant {
  /// What executions inside it take from.
  let pool: ResourcePool
  package let stocks: [String: ResourcePool.Stock]
  /// The entry that says so in the ledger of the pool; nil if there is none.
  let entry: LedgerEntry?
  private var onRelease: ((ResourceGrant) -> Void)?

  fileprivate init(
    _ stocks: [String: ResourcePool.Stock], entry: LedgerEntry?, sharedBy ledger: ResourceLedger?,
    onRelease: @escaping (ResourceGrant) -> Void
  ) {
    (self.stocks, self.entry) = (stocks, entry)
    self.onRelease = onRelease
    pool = ResourcePool(stocks, sharedBy: ledger)
  }

  deinit { release() }

  package func release() { onRelease.take()?(self) }

  /// Records a process group that uses it, for other processes if this one is killed.
  func began(_ leader: Int32) { entry?.began(leader) }

  /// The variables that tell its processes what they may use.
  var variables: [EnvironmentChange] {
    CallerResources.variables(stocks) + (pool.ledger?.variables ?? [])
  }
}
