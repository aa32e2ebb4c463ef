import EventLoop
import Journal

/// How the entries of a batch come in: fetched from their source and claimed in the log. How far ahead
/// grows with the speed at which they end, so that neither the memory nor the disk's slowness matters.
/// Entries that another batch has are asked for again, until that has completed them or not.
///
/// On the loop's thread.
final class ClaimQueue: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  /// What one fetch brought.
  struct Delivery {
    var claims: [(planned: PlannedEntry, claim: Claim)] = []
    /// What kept a plan from being read to its end.
    var problems: [String] = []
    /// Why nothing could be claimed.
    var failure: JournalError?
  }

  /// How many entries have come, and which part of the plan they are, if that can be told.
  private(set) var supplied = 0
  private(set) var fraction: Double?
  /// Receives what comes.
  var onDelivery: (Delivery) -> Void = { _ in }

  private let source: any EntrySource
  private let log: any ExecutionLog
  private let loop: EventLoop
  /// Sees to it that what an entry keeps secret is not recorded.
  private let hideSecrets: (PlanEntry) -> Void
  /// How many entries may be fetched and wait.
  private var window: Int
  /// Keeps the loop alive while the source is asked; nil while it is not.
  private var asking: KeepAlive?
  private var isClaiming = false
  private var isExhausted = false
  private var isClosed = false
  /// What other batches have.
  private var taken: [PlannedEntry] = []
  private var patience: Timer?

  /// The most entries that are fetched ahead while others of them run or may run, and otherwise.
  private static let mostAhead = (beside: 8_192, alone: 131_072)

  init(
    _ source: any EntrySource, _ log: any ExecutionLog, on loop: EventLoop, jobs: Int,
    hideSecrets: @escaping (PlanEntry) -> Void
  ) {
    self.hideSecrets = hideSecrets
    self.source = source
    self.log = log
    self.loop = loop
    window = 2 * jobs
  }

  /// Whether nothing more comes.
  var isOver: Bool { isExhausted && asking == nil && !isClaiming && taken.isEmpty }

  /// Fetches no more. The source is not waited for, claims that were made are.
  func close() {
    isClosed = true
    isExhausted = true
    asking?.release()
    asking = nil
    taken = []
    patience?.cancel()
    patience = nil
  }

  /// Lets more entries be fetched ahead.
  func widen() { window = min(window * 2, 2_048) }

  /// Asks for entries if few are left.
  ///
  /// - Parameters:
  ///   - ready: how many could start.
  ///   - waiting: how many wait, those whose command is not ready included: others may overtake them.
  ///   - isIdle: whether nothing runs.
  func fetch(ready: Int, waiting: Int, isIdle: Bool) {
    guard asking == nil, !isClaiming else { return }
    if isExhausted { return waitForOthers() }
    let most = isIdle && ready == 0 ? Self.mostAhead.alone : Self.mostAhead.beside
    guard ready * 2 <= window, waiting < most else { return }
    let awake = loop.keepAlive()
    asking = awake
    source.next(window - ready) { [self] supply in
      loop.enqueue {
        // Nobody waits for it any more if the batch has ended meanwhile.
        guard self.asking === awake else { return }
        awake.release()
        self.asking = nil
        self.receive(supply)
      }
    }
  }

  private func receive(_ supply: EntryPage) {
    if supply.isLast { isExhausted = true }
    supplied += supply.entries.count
    fraction = supply.isLast ? 1 : supply.fraction
    claim(supply.entries, supply.problems)
  }

  private func claim(_ entries: [PlannedEntry], _ problems: [String] = []) {
    let delivery = Delivery(problems: problems)
    if entries.isEmpty { return onDelivery(delivery) }
    isClaiming = true
    let awake = loop.keepAlive()
    for planned in entries { hideSecrets(planned.entry) }
    log.claim(entries.map(\.entry.masked)) { [self, delivery] answer in
      loop.enqueue {
        awake.release()
        self.isClaiming = false
        var delivery = delivery
        switch answer {
        case .success(let claims): delivery.claims = self.settled(entries, claims)
        case .failure(let error): delivery.failure = error
        }
        self.onDelivery(delivery)
      }
    }
  }

  /// Keeps what others have.
  private func settled(
    _ entries: [PlannedEntry], _ claims: [Claim]
  ) -> [(planned: PlannedEntry, claim: Claim)] {
    var settled: [(planned: PlannedEntry, claim: Claim)] = []
    for (planned, claim) in zip(entries, claims) {
      guard case .taken = claim else {
        settled.append((planned, claim))
        continue
      }
      if !isClosed { taken.append(planned) }
    }
    return settled
  }

  /// Nothing tells what happens in other processes, so they are asked.
  private func waitForOthers() {
    guard !taken.isEmpty, patience == nil else { return }
    patience = loop.timer(after: .milliseconds(200)) { [self] in
      patience = nil
      let entries = taken
      taken = []
      claim(entries)
    }
  }
}
