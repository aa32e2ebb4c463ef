import EventLoop
import Platform

/// Counts what the processes of one execution, or of one project, take of the same resources: each writes
/// into a ledger what it waits for and what it has. Confined to the loop's thread.
final class ResourceLedger {
  /// What all ledgers of a process have in common.
  struct Surroundings {
    let loop: EventLoop
    /// The grants of this process that others may need first.
    let idle: IdleHoldings
    /// Called if the ledger cannot be kept, with the reason.
    let onFailure: (String) -> Void
    /// Called with a report of processes that were ended because a killed execution had left them.
    let onLeftEnded: (String) -> Void
    var folder = UserFolder.shared
  }

  /// What a process was promised.
  struct Promise {
    let stocks: [String: ResourcePool.Stock]
    /// The entry that says so.
    let entry: LedgerEntry
  }

  /// An entry of another process.
  struct Entry {
    let process: Int32
    /// The command that uses the resources.
    let user: String
    let wanted: Resources
    /// What it has; nil while it waits.
    let stocks: [String: ResourcePool.Stock]?

    var isGranted: Bool { stocks != nil }
    var title: String { "'\(user)' (process \(process))" }
  }

  /// The variable that names the ledger for the processes of an execution.
  private static let variable = "RACLETTE_LEDGER"

  /// Made once it is needed: most processes share nothing.
  private(set) lazy var key = makeKey()
  private let makeKey: () -> LedgerKey
  private let surroundings: Surroundings
  private lazy var ledger = SharedLedger(
    key, on: surroundings.loop, in: surroundings.folder
  ) { [surroundings] text, leaders in
    guard let entry = Entry(text) else { return }
    surroundings.onLeftEnded(textOfEnded(leaders, leftBy: entry.user))
  }
  /// The number of entries that say what this process has.
  private var holdings = 0 {
    didSet { if (holdings == 0) != (oldValue == 0) { followOthers() } }
  }
  private var timer: Timer?

  init(_ key: @autoclosure @escaping () -> LedgerKey, _ surroundings: Surroundings) {
    makeKey = key
    self.surroundings = surroundings
  }

  /// The one of a project.
  ///
  /// - Parameter project: the project's file; nil for a new ledger.
  static func ofProject(_ project: ProjectFile?, _ surroundings: Surroundings) -> ResourceLedger {
    ResourceLedger(project?.ledger ?? .unique(), surroundings)
  }

  /// The one that the execution around this process names, whose resources its processes share; a new one
  /// if it names none.
  static func ofCaller(_ surroundings: Surroundings) -> ResourceLedger {
    ResourceLedger(
      ProcessEnvironment.value(of: variable).flatMap(LedgerKey.init) ?? .unique(), surroundings)
  }

  /// A new one, for what is inside an execution.
  func inner() -> ResourceLedger { ResourceLedger(.unique(), surroundings) }

  /// The variables of processes that share it.
  var variables: [EnvironmentChange] { [(Self.variable, key.text.exactBytes)] }

  /// The changes after which a process shares nothing.
  static var lifting: [EnvironmentChange] { [(variable, nil)] }

  /// What the entries of other processes say.
  var entriesOfOthers: [Entry] {
    ledger.textsOfOthers.compactMap(Entry.init)
  }

  /// Takes amounts once they are free. Those of other processes that came earlier and want the same
  /// resources are first, unless they are stopped.
  ///
  /// - Parameters:
  ///   - offers: all that there is.
  ///   - own: returns what this process uses of it, what is wanted included, and has.
  ///   - user: who wants them.
  ///   - granted: called once, perhaps inside this call, with what was promised, and what gives it back.
  ///     Without a promise others cannot be counted.
  /// - Returns: nil if it was called; else what gives the wish up.
  func take(
    _ wanted: Resources, of offers: [String: ResourcePool.Stock],
    besides own: @escaping () -> ResourcePool.Use, for user: String,
    _ granted: @escaping (Promise?, _ release: @escaping () -> Void) -> Void
  ) -> (() -> Void)? {
    var promised: [String: ResourcePool.Stock] = [:]
    let wish = Entry(process: getpid(), user: user, wanted: wanted, stocks: nil)
    return ledger.enter(wish.text) { before, after in
      let before = before.compactMap(Entry.init)
      let isAwaited = before.contains {
        !$0.isGranted && !$0.wanted.keys.allSatisfy { wanted[$0] == nil } && !isStopped($0.process)
      }
      if isAwaited { return nil }
      let holders = (before + after.compactMap(Entry.init)).compactMap(\.stocks)
      let own = own()
      var taken: [String: Set<Int>] = [:]
      for name in wanted.keys {
        guard let offer = offers[name] else { return nil }
        let stocks = holders.compactMap { $0[name] }
        let held = stocks.reduce(own.amounts[name] ?? 0) { $0 + offer.amount(takenBy: $1) }
        guard held <= offer.amount.value else { return nil }
        taken[name] = stocks.reduce(into: own.indices[name] ?? []) {
          $0.formUnion(offer.indices(takenBy: $1))
        }
      }
      promised = offers.part(wanted, without: taken)
      return Entry(process: getpid(), user: user, wanted: wanted, stocks: promised).text
    } _: { [self] result in
      switch result {
      case .success(let entry):
        holdings += 1
        granted(Promise(stocks: promised, entry: entry)) { [self] in
          entry.remove()
          holdings -= 1
        }
      case .failure(let error):
        surroundings.onFailure(error.description)
        granted(nil, {})
      }
    }
  }

  /// Gives back what this process does not use yet, if others wait. They may have a job that it waits for.
  private func followOthers() {
    timer?.cancel()
    timer = nil
    guard holdings > 0 else { return }
    timer = surroundings.loop.timer(after: .seconds(1), every: .seconds(1)) { [unowned self] in
      let idle = surroundings.idle
      if !idle.isEmpty, entriesOfOthers.contains(where: { !$0.isGranted }) { idle.reclaim() }
    }
    timer?.unref()
  }
}

extension ResourceLedger.Entry {
  fileprivate init?(_ text: String) {
    guard let json = JSONValue(text: text), let process = json["process"]?.integer,
      let user = json["user"]?.string, let wanted = json["wants"]
    else { return nil }
    self.init(
      process: Int32(clamping: process), user: user, wanted: Resources(json: wanted),
      stocks: json["has"].map { has in
        guard case .object(let fields) = has else { return [:] }
        let stocks = fields.compactMap { name, value in
          ResourcePool.Stock(json: value).map { (name, $0) }
        }
        return Dictionary(stocks) { $1 }
      })
  }

  fileprivate var text: String {
    var fields: [(String, JSONValue)] = [
      ("process", .integer(Int64(process))), ("user", .string(user)), ("wants", wanted.json),
    ]
    if let stocks { fields.append(("has", .object(stocks.map { ($0.key, $0.value.json) }))) }
    return JSONValue.object(fields).text
  }
}
