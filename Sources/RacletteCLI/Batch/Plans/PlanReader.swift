import Journal
import Reactive
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads plans one after the other, each as a stream, off the main thread: a plan may be longer than
/// the memory, a FIFO, or still being written.
final class PlanReader: EntrySource {
  private let state: Mutex<State>
  private let scheduler = QueueScheduler(named: "raclette.plans")

  private struct State: ~Copyable {
    var plans: ArraySlice<String>
    let digests: PlanDigests
    var open: OpenPlan?
  }

  private struct OpenPlan {
    let name: String
    let descriptor: Int32
    var reader: LineReader
    var line = 0
  }

  /// - Parameter plans: paths of JSONL files and `.lua` scripts, and `-` for standard input.
  init(_ plans: [String], _ digests: PlanDigests) {
    state = Mutex(State(plans: plans[...], digests: digests, open: nil))
  }

  func next(_ limit: Int, _ deliver: @escaping @Sendable (Supply) -> Void) {
    scheduler.schedule { [self] in
      deliver(state.withLock { $0.read(limit) })
    }
  }
}

extension PlanReader.State {
  /// Reads until there is something, and then what can be had without waiting.
  fileprivate mutating func read(_ limit: Int) -> Supply {
    var supply = Supply()
    while supply.entries.count < limit {
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

  private mutating func begin(_ plan: String, _ supply: inout Supply) {
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
    #if canImport(Glibc)
      let descriptor = isInput ? STDIN_FILENO : Glibc.open(plan, O_RDONLY | O_CLOEXEC)
    #else
      let descriptor = isInput ? STDIN_FILENO : Darwin.open(plan, O_RDONLY | O_CLOEXEC)
    #endif
    guard descriptor >= 0 else {
      supply.problems.append("cannot read the plan '\(plan)': \(systemText(errno))")
      return
    }
    open = OpenPlan(
      name: isInput ? "stdin" : plan, descriptor: descriptor, reader: LineReader(descriptor))
  }

  /// The next entry of the open plan; nil if the next line is none, and at the end.
  private mutating func nextEntry(_ supply: inout Supply) -> PlannedEntry? {
    guard let text = open?.reader.next() else {
      end(&supply)
      return nil
    }
    open?.line += 1
    let line = PlanLine(plan: open?.name ?? "", number: open?.line ?? 0, digests: digests)
    switch text {
    case .text(var bytes):
      // Some editors begin a file with a mark.
      if line.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      return bytes.withUnsafeBytes(line.entry)
    case .tooLong(let beginning):
      return beginning.withUnsafeBytes {
        line.malformed($0, .tooLong(limit: LineReader.limit))
      }
    }
  }

  private mutating func end(_ supply: inout Supply) {
    guard let plan = open else { return }
    if plan.reader.problem != 0 {
      supply.problems.append(
        "cannot read the plan '\(plan.name)' beyond line \(plan.line): "
          + systemText(plan.reader.problem))
    }
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
