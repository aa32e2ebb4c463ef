import Journal
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Synchronization

/// Reads plans one after the other as streams, off the main thread: a plan may exceed the memory,
/// be a FIFO, or still be being written.
package final class PlanReader: EntrySource {
  private let state: Mutex<State>
  private let scheduler = QueueScheduler(named: "raclette.plans")

  fileprivate struct State: ~Copyable {
    var plans: ArraySlice<String>
    let digests: PlanDigests
    var open: OpenPlan?
    /// The size of all plans in bytes; nil if unknown.
    let size: Int?
    /// The number of bytes handed out, without those of the open plan.
    var read = 0
    /// The next page, read while the one before it was being claimed.
    var ahead: EntryPage?
  }

  /// From this limit on the next page is read before it is asked for. A smaller one means that the work
  /// takes longer than the reading.
  private static let longPage = 1_024

  fileprivate struct OpenPlan {
    let name: String
    let descriptor: Int32
    var reader: LineReader
    var line = 0
  }

  /// - Parameter plans: paths of JSONL files and `.lua` scripts, and `-` for standard input.
  package init(_ plans: [String], _ digests: PlanDigests) {
    let sizes = plans.map { Self.size(of: digests.absolute($0)) }
    let size = sizes.allSatisfy { $0 != nil } ? sizes.reduce(0) { $0 + ($1 ?? 0) } : nil
    state = Mutex(State(plans: plans[...], digests: digests, open: nil, size: size))
  }

  private static func size(of path: String) -> Int? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(information.st_size)
  }

  package func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void) {
    scheduler.schedule { [self] in
      let page = state.withLock { $0.ahead.take() ?? $0.page(limit) }
      deliver(page)
      guard limit >= Self.longPage, !page.isLast else { return }
      state.withLock { $0.ahead = $0.page(limit) }
    }
  }

  /// Reads all entries, a page at a time, and blocks meanwhile.
  package func readAll(_ body: (EntryPage) -> Void) {
    var isOver = false
    while !isOver {
      let page = state.withLock { $0.read(10_000) }
      body(page)
      isOver = page.isLast
    }
  }
}

extension PlanReader.State {
  fileprivate typealias OpenPlan = PlanReader.OpenPlan

  /// The fraction of the plans that has been handed out.
  fileprivate var fraction: Double? {
    guard let size, size > 0 else { return nil }
    return min(1, Double(consumed) / Double(size))
  }

  /// The number of bytes handed out.
  private var consumed: Int { read + (open?.reader.consumed ?? 0) }

  /// The bytes of lines from which on a page is full, whatever its number of entries.
  private static var fullPage: Int { 4 << 20 }

  fileprivate mutating func page(_ limit: Int) -> EntryPage {
    var page = read(limit)
    page.fraction = fraction
    return page
  }

  /// Waits for the first entry, then reads all that are available without waiting.
  fileprivate mutating func read(_ limit: Int) -> EntryPage {
    var supply = EntryPage()
    let start = consumed
    while supply.entries.count < limit {
      if !supply.entries.isEmpty, consumed - start >= Self.fullPage { return supply }
      if open == nil {
        guard let plan = plans.popFirst() else {
          supply.isLast = true
          return supply
        }
        begin(plan, &supply)
        continue
      }
      if !supply.entries.isEmpty, open?.reader.hasLine() == false { return supply }
      if let entry = nextEntry(&supply) { supply.entries.append(entry) }
    }
    return supply
  }

  private mutating func begin(_ plan: String, _ supply: inout EntryPage) {
    if plan.hasSuffix(".lua") {
      let line = PlanLine(plan: plan, number: 1, digests: digests)
      do throws(PlanLineError) {
        supply.entries.append(PlannedEntry(entry: try line.script(plan, [], nil)))
      } catch {
        supply.entries.append(plan.withBytes { line.malformed($0, error) })
      }
      return
    }
    let isInput = plan == "-"
    let path = digests.absolute(plan)
    let descriptor = isInput ? STDIN_FILENO : Platform.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      supply.problems.append("cannot read the plan '\(plan)': \(systemErrorText(errno))")
      return
    }
    open = OpenPlan(
      name: isInput ? "stdin" : plan, descriptor: descriptor, reader: LineReader(descriptor))
  }

  /// The next entry of the open plan; nil if the next line has none, and at the end.
  private mutating func nextEntry(_ supply: inout EntryPage) -> PlannedEntry? {
    guard let text = open?.reader.next() else {
      end(&supply)
      return nil
    }
    open?.line += 1
    let line = PlanLine(plan: open?.name ?? "", number: open?.line ?? 0, digests: digests)
    switch text {
    case .text(var bytes):
      // Some editors write a byte order mark.
      if line.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      return bytes.withUnsafeBytes(line.entry)
    case .tooLong(let beginning):
      return beginning.withUnsafeBytes {
        line.malformed($0, .tooLong(limit: LineReader.limit))
      }
    }
  }

  private mutating func end(_ supply: inout EntryPage) {
    guard let plan = open else { return }
    if plan.reader.problem != 0 {
      supply.problems.append(
        "cannot read the plan '\(plan.name)' beyond line \(plan.line): "
          + systemErrorText(plan.reader.problem))
    }
    read += plan.reader.consumed
    if plan.descriptor != STDIN_FILENO { close(plan.descriptor) }
    open = nil
  }
}

extension String {
  fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = self
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
