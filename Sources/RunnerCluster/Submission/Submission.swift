import EventLoop
import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// Hands a batch over to a server: its bundle, then its entries, a thousand at a time. On the loop's
/// thread.
///
/// Each statement may be sent again after a lost connection: batch, entries and files are known by
/// keys that are chosen here.
final class Submission {
  /// What is known of the batch besides its entries.
  struct Description {
    let plans: [String]
    let folder: String
    let options: String
    let failsFast: Bool
    /// Seconds.
    let enabledTimeout: Double
    /// True if what has completed by the journal is left out, and what other batches execute counts.
    let isResumption: Bool
  }

  /// The number of entries handed over.
  private(set) var count = 0
  /// Problems that prevented a plan from being read to its end.
  private(set) var problems: [String] = []
  /// Entries that cannot be executed, by their place in the plan.
  private(set) var flawCount = 0
  /// Called with the number of the batch, before its entries are handed over.
  var onBegin: (Int64) -> Void = { _ in }
  /// The numbers of entries that wait for the end of an equal one, by the batch that has claimed that.
  private(set) var awaited: [Int: Int] = [:]
  /// Called with an entry that is left out, and why.
  var onSkip: (PlanEntry, String) -> Void = { _, _ in }
  /// Called with the numbers of entries that were handed over.
  var onEntries: ([Int]) -> Void = { _ in }
  /// Called with an entry that cannot be executed, and why.
  var onFlaw: (PlanEntry, String) -> Void = { _, _ in }

  private let link: ServerLink
  private let loop: EventLoop
  private let bundle: Bundle
  private let description: Description
  private let source: any EntrySource
  private let checks: EntryChecks
  private let key = UniqueID.text()
  /// How many equal entries were left out.
  private var skipped: [EntryKey: Int] = [:]
  private var batch: Int64 = 0
  private var onEnd: (Error?) -> Void = { _ in }
  private var awake: KeepAlive?
  private var isStopped = false
  /// Tells the server that this submitter lives, however long the next entries take.
  private var pulse: Timer?

  private static let pageLength = 1_000
  /// The bytes of inputs from which on a statement is long enough; the server takes a gibibyte at most.
  private static let statementSize = 4 << 20
  /// The server closes a batch whose submitter it has not heard of for a minute.
  private static let pulsePeriod = Duration.seconds(10)

  init(
    _ link: ServerLink, on loop: EventLoop, _ bundle: Bundle, _ description: Description,
    _ source: any EntrySource, _ checks: EntryChecks
  ) {
    self.link = link
    self.loop = loop
    self.bundle = bundle
    self.description = description
    self.source = source
    self.checks = checks
  }

  /// Begins; calls `onEnd` when all entries are handed over, or with the error.
  func start(then onEnd: @escaping (Error?) -> Void) {
    self.onEnd = onEnd
    awake = loop.keepAlive()
    BundleUpload(link, bundle).start { [self] error in
      if let error { return end(error) }
      if description.isResumption {
        // Nobody may have looked for lost workers since the last one has ended.
        ask("SELECT raclette.reap('{}')", []) { [self] _ in begin() }
      } else {
        begin()
      }
    }
  }

  /// Hands no more entries over: the batch ends with those that are there.
  func stop() { isStopped = true }

  /// Gives up: the connection has failed, and no statement gets an answer.
  func abandon() {
    pulse?.cancel()
    awake?.release()
    awake = nil
  }

  private func end(_ error: Error?) {
    abandon()
    onEnd(error)
  }

  /// Sends a statement, and calls `body` with its rows; an error ends the submission.
  private func ask(
    _ statement: String, _ parameters: [ServerValue], _ body: @escaping (ServerRows) -> Void
  ) {
    link.send(statement, parameters) { [self] answer in
      switch answer {
      case .success(let rows): body(rows)
      case .failure(let error): end(error)
      }
    }
  }

  private func begin() {
    let plans = description.plans.map { Secrets.masked($0) }.joined(separator: " ")
    ask(
      "SELECT raclette.submit_batch($1, $2, $3, $4, $5, $6, $7, $8, $9)",
      [
        .text(key), .text(plans.repaired), .text(description.folder.repaired),
        .text(Submitter.name.repaired), .text(bundle.listing.digest), .text(description.options),
        .boolean(description.failsFast), .number(description.enabledTimeout),
        .boolean(description.isResumption),
      ]
    ) { [self] rows in
      batch = Int64(rows.integer(0, 0))
      pulse = loop.timer(after: Self.pulsePeriod, every: Self.pulsePeriod) { [link, batch] in
        guard link.unanswered == 0 else { return }
        link.send("SELECT raclette.keep_submission($1)", [.integer(Int(batch))]) { [weak self] in
          if case .failure(let error) = $0, !error.isCancellation { self?.end(error) }
        }
      }
      onBegin(batch)
      next()
    }
  }

  private func next() {
    if isStopped { return seal() }
    let asked = LoopBound(self)
    source.next(Self.pageLength) { [loop] page in
      loop.enqueue { asked.value.take(page) }
    }
  }

  private func take(_ page: EntryPage) {
    problems += page.problems
    let entries: [PlannedEntry]
    do { entries = try checks.checked(page.entries) } catch { return end(error) }
    leaveOutKnown(entries) { [self] entries in
      for planned in entries {
        guard let problem = planned.problem else { continue }
        flawCount += 1
        onFlaw(planned.entry, problem)
      }
      submit(entries[...]) { [self] in
        if page.isLast { seal() } else { next() }
      }
    }
  }

  /// Leaves out entries that have completed in another batch, if the batch resumes.
  private func leaveOutKnown(
    _ entries: [PlannedEntry], _ body: @escaping ([PlannedEntry]) -> Void
  ) {
    guard description.isResumption, !entries.isEmpty else { return body(entries) }
    let keys = entries.map { $0.problem == nil ? $0.entry.key.bytes : [] }
    ask(
      "SELECT place, entry FROM raclette.equal_entries($1, $2, $3) WHERE is_completed "
        + "ORDER BY place",
      [.integer(Int(batch)), .binaries(keys), .integers(skippedCounts(of: entries))]
    ) { [self] rows in
      var known: Set<Int> = []
      for row in 0..<rows.count {
        let entry = entries[rows.integer(row, 0) - 1].entry
        known.insert(rows.integer(row, 0) - 1)
        skipped[entry.key, default: 0] += 1
        onSkip(entry, "completed as #\(rows.integer(row, 1))")
      }
      body(entries.enumerated().filter { !known.contains($0.offset) }.map(\.element))
    }
  }

  private func skippedCounts(of entries: [PlannedEntry]) -> [Int] {
    entries.map { skipped[$0.entry.key] ?? 0 }
  }

  /// Hands entries over, as many at a time as a statement may hold.
  private func submit(_ pending: ArraySlice<PlannedEntry>, _ body: @escaping () -> Void) {
    guard !pending.isEmpty else { return body() }
    var size = 0
    var entries = Array(
      pending.prefix { planned in
        defer { size += planned.entry.input.utf8.count }
        return size < Self.statementSize
      })
    let rest = pending.dropFirst(entries.count)
    let gates = entries.indices.map { checks.gate(of: &entries[$0]) }
    let plain = entries.map(\.entry)
    ask(
      "SELECT * FROM raclette.submit_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
        + "$12, $13, $14, $15, $16, $17)",
      [
        .integer(Int(batch)), .integer(count + 1), .texts(plain.map(\.kind.rawValue)),
        .texts(plain.map(\.command.repaired)), .texts(plain.map(\.input.repaired)),
        .texts(plain.map { $0.name?.repaired }), .texts(plain.map(\.plan.repaired)),
        .integers(plain.map(\.line)), .binaries(plain.map(\.key.bytes)),
        .texts(entries.map { Set($0.tags).sorted().joined(separator: ",") }),
        .texts(entries.map { $0.problem?.repaired }), .texts(gates.map(\.name)),
        .integers(gates.map(\.limit)), .texts(gates.map(\.policy)),
        .integers(skippedCounts(of: entries)),
        .texts(entries.map { checks.uses(of: $0).json.text }), .text(checks.offers.json.text),
      ]
    ) { [self] rows in
      count += rows.count
      onEntries((0..<rows.count).map { rows.integer($0, 0) })
      for row in 0..<rows.count where rows.text(row, 1) != nil {
        awaited[rows.integer(row, 1), default: 0] += 1
      }
      if rows.count < entries.count {
        if !isStopped { problems.append("batch \(batch) was closed while it was handed over") }
        isStopped = true
        return body()
      }
      submit(rest, body)
    }
  }

  private func seal() {
    ask("SELECT raclette.seal_batch($1, $2)", [.integer(Int(batch)), .integer(count)]) {
      [self] _ in end(nil)
    }
  }
}

/// Who submits: the user and the machine.
enum Submitter {
  static var name: String {
    "\(environment("USER") ?? "user \(getuid())")@\(hostName)"
  }
}
