import EventLoop
import Journal
import Platform
import RunnerCore

/// The input of a batch: fetches entries from their source and claims them in the log. The number
/// fetched ahead grows with the speed at which entries end, so that memory use stays limited and a
/// slow disk does not delay the work. Entries claimed by another batch are requested again, until
/// that batch has completed or released them.
///
/// On the loop's thread.
final class ClaimQueue {
  /// The result of one fetch.
  struct Delivery {
    var claims: [(planned: PlannedEntry, claim: Claim)] = []
    /// The problems that prevented a plan from being read to its end.
    var problems: [String] = []
    /// The reason why nothing could be claimed.
    var failure: JournalError?
  }

  /// The number of entries received, and the fraction of the plan that they are, if known.
  private(set) var supplied = 0
  private(set) var fraction: Double?
  /// Receives each delivery.
  var onDelivery: (Delivery) -> Void = { _ in }

  private let source: any EntrySource
  private let log: any ExecutionLog
  private let loop: EventLoop
  private let commands: BatchCommands
  /// The number of entries that may be fetched and waiting.
  private var window: Int
  /// Keeps the loop alive while the source is read; nil at other times.
  private var asking: KeepAlive?
  private var isClaiming = false
  private var isExhausted = false
  private var isClosed = false
  /// The entries claimed by other batches.
  private var taken: [PlannedEntry] = []
  private var patience: Timer?

  /// The limits of entries fetched ahead: while others run or may run, and otherwise.
  private static let mostAhead = (beside: 8_192, alone: 131_072)

  init(
    _ source: any EntrySource, _ log: any ExecutionLog, on loop: EventLoop, jobs: Int,
    for commands: BatchCommands
  ) {
    self.commands = commands
    self.source = source
    self.log = log
    self.loop = loop
    window = 2 * jobs
  }

  /// True if no more entries will arrive.
  var isOver: Bool { isExhausted && asking == nil && !isClaiming && taken.isEmpty }

  /// Stops fetching. The queue does not wait for the source, but for claims in progress.
  func close() {
    isClosed = true
    isExhausted = true
    asking?.release()
    asking = nil
    taken = []
    patience?.cancel()
    patience = nil
  }

  /// Allows more entries to be fetched ahead.
  func widen() { window = min(window * 2, 8_192) }

  /// Requests entries if few are left.
  ///
  /// - Parameters:
  ///   - ready: the number of entries that could start.
  ///   - waiting: the number of waiting entries, including those whose command is not ready: others
  ///     may overtake them.
  ///   - isIdle: true if nothing runs.
  func fetch(ready: Int, waiting: Int, isIdle: Bool) {
    guard asking == nil, !isClaiming else { return }
    if isExhausted { return waitForOthers() }
    let most = isIdle && ready == 0 ? Self.mostAhead.alone : Self.mostAhead.beside
    guard ready * 2 <= window, waiting < most else { return }
    let awake = loop.keepAlive()
    asking = awake
    let asked = LoopBound((queue: self, awake: awake))
    source.next(window - ready) { [loop] supply in
      loop.enqueue {
        let (queue, awake) = asked.value
        // If the batch has ended meanwhile, the result is not needed.
        guard queue.asking === awake else { return }
        awake.release()
        queue.asking = nil
        queue.receive(supply)
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
    if entries.isEmpty { return onDelivery(Delivery(problems: problems)) }
    isClaiming = true
    let awake = loop.keepAlive()
    for planned in entries { commands.hideSecrets(of: planned.entry) }
    let shown = entries.map(commands.maskingUnknownName)
    let asked = LoopBound((queue: self, awake: awake))
    log.claim(shown.map(\.entry.masked)) { [loop] answer in
      loop.enqueue {
        let (queue, awake) = asked.value
        awake.release()
        queue.isClaiming = false
        var delivery = Delivery(problems: problems)
        switch answer {
        case .success(let claims): delivery.claims = queue.settled(shown, claims)
        case .failure(let error): delivery.failure = error
        }
        queue.onDelivery(delivery)
      }
    }
  }

  /// Stores the entries claimed by other batches, and returns the rest.
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

  /// Polls other batches: there is no notification of what happens in other processes.
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
