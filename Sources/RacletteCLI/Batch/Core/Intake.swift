import EventLoop
import Journal

/// How the entries of a batch come in: fetched from their source and claimed in the log. How far ahead
/// grows with the speed at which they end, so that neither the memory nor the disk's slowness matters.
/// On the loop's thread.
final class Intake: @unchecked Sendable {
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
  /// How many entries may be fetched and wait.
  private var window: Int
  private var isFetching = false
  private var isExhausted = false

  init(_ source: any EntrySource, _ log: any ExecutionLog, on loop: EventLoop, jobs: Int) {
    self.source = source
    self.log = log
    self.loop = loop
    window = max(32, 4 * jobs)
  }

  /// Whether nothing more comes.
  var isOver: Bool { isExhausted && !isFetching }

  /// Fetches no more. What has been asked for may still come.
  func close() { isExhausted = true }

  /// Lets more entries be fetched ahead.
  func widen() { window = min(window * 2, 2_048) }

  /// Asks for entries if few are left that wait.
  func fetch(waiting: Int) {
    guard !isFetching, !isExhausted, waiting * 2 <= window else { return }
    isFetching = true
    let onLoop = loop.expectWork()
    source.next(window - waiting) { [self] supply in onLoop { self.receive(supply) } }
  }

  private func receive(_ supply: Supply) {
    let isWanted = !isExhausted
    if supply.isLast { isExhausted = true }
    supplied += supply.entries.count
    fraction = supply.isLast ? 1 : supply.fraction
    guard !supply.entries.isEmpty, isWanted else {
      return deliver(Delivery(problems: supply.problems))
    }
    let onLoop = loop.expectWork()
    log.claim(supply.entries.map(\.entry)) { [self] answer in
      onLoop {
        var delivery = Delivery(problems: supply.problems)
        switch answer {
        case .success(let claims):
          delivery.claims = zip(supply.entries, claims).map { (planned: $0, claim: $1) }
        case .failure(let error): delivery.failure = error
        }
        self.deliver(delivery)
      }
    }
  }

  private func deliver(_ delivery: Delivery) {
    isFetching = false
    onDelivery(delivery)
  }
}

extension EventLoop {
  /// A way for another thread to have work done on the loop, once, which does not end before that.
  func expectWork() -> @Sendable (@escaping @Sendable () -> Void) -> Void {
    let awake = keepAlive()
    return { [self] work in
      enqueue {
        awake.release()
        work()
      }
    }
  }
}
