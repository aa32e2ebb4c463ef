import EventLoop
import Journal
import Platform
import RunnerCore
import Scripting

/// Tells a worker what the entries do that it has handed over: lines of fields with tabs between
/// them, on the standard output that this process had at its start. Tabs, newlines and backslashes in
/// fields are escaped.
///
/// ```
/// ready                                       the command file is loaded
/// began  entry
/// event  entry event                          entry 0: of no entry
/// ended  entry state seconds attempts code kind error output event
/// back   entry                                it has not begun and will not
/// need   key                                  who executes it?
/// needed key state kind error                 completed, failed or cancelled
/// take   wish resources offers rank user      promise these of what there is
/// free   wish                                 they are free, or not wanted any more
/// expired                                     the lease is over; it cancels what runs
/// ```
final class ExecutorLog: ExecutionLog {
  private let state: LoopBound<State>
  private let loop: EventLoop

  private final class State {
    var granted: [Int64] = []
    var text: [UInt8] = []
    var isFlushing = false
    /// The last events of entries whose end is not recorded yet.
    var lastEvents: [Int64: String] = [:]
    var onEnd: (Int64) -> Void = { _ in }
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func append(_ field: String) {
      var field = field
      field.withUTF8 { bytes in
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 9 || byte == 10 || byte == 92 {
          text += bytes[start..<index]
          text.append(92)
          text.append(byte == 9 ? UInt8(ascii: "t") : byte == 10 ? UInt8(ascii: "n") : byte)
          start = index + 1
        }
        text += bytes[start...]
      }
    }
  }

  /// Takes over standard output; what scripts print goes to standard error.
  init(on loop: EventLoop) {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    state = LoopBound(State(descriptor))
    self.loop = loop
  }

  /// Calls `body` with each entry that has ended or goes back.
  func onEnd(_ body: @escaping (Int64) -> Void) { state.value.onEnd = body }

  /// Grants the next claim to an entry: claims are made in the order of deliveries.
  func grant(_ entry: Int64) { state.value.granted.append(entry) }

  func ready() { write("ready") }

  func expired() { write("expired") }

  func ask(_ need: String) { write("need", need) }

  func end(_ need: String, _ failure: Failure?) {
    let state = failure.map { $0.kind == .cancelled ? "cancelled" : "failed" } ?? "completed"
    write("needed", need, state, failure?.kind.rawValue ?? "", failure?.text ?? "")
  }

  func take(
    _ wish: Int64, _ wanted: Resources, of offers: Resources, for user: String,
    rank: ResourcePool.Rank
  ) {
    write("take", "\(wish)", wanted.json.text, offers.json.text, "\(rank.rawValue)", user)
  }

  func free(_ wish: Int64) { write("free", "\(wish)") }

  func event(_ entry: Int64, _ text: String) { write("event", "\(entry)", text) }

  /// Keeps the event that ends an entry until its end is recorded.
  func last(_ entry: Int64, _ text: String) { state.value.lastEvents[entry] = text }

  func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void
  ) {
    let granted = state.value.granted.prefix(entries.count)
    state.value.granted.removeFirst(granted.count)
    answer(.success(granted.map { .granted(execution: $0) }))
  }

  func begin(_ execution: Int64, at time: Double) { write("began", "\(execution)") }

  func note(_ change: (inout ExecutionNotes) -> Void) {}

  func record(_ ends: [ExecutionEnd], releases: [Int64]) {
    for end in ends {
      let event = state.value.lastEvents.removeValue(forKey: end.execution) ?? ""
      let output = RecordedLine.blob(of: end.output)?.hexadecimal ?? ""
      write(
        "ended", "\(end.execution)", end.state.rawValue, "\(end.duration)", "\(end.attempts)",
        end.code.map { "\($0)" } ?? "", end.errorKind ?? "", end.error ?? "", output, event)
      state.value.onEnd(end.execution)
    }
    for execution in releases {
      write("back", "\(execution)")
      state.value.onEnd(execution)
    }
  }

  func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
    flush()
    answer(.success(()))
  }

  func finish(status: Int32) { flush() }

  private func write(_ fields: String...) {
    let state = state.value
    for (index, field) in fields.enumerated() {
      if index > 0 { state.text.append(9) }
      state.append(field)
    }
    state.text.append(10)
    if state.text.count > 65_536 { return flush() }
    guard !state.isFlushing else { return }
    state.isFlushing = true
    loop.enqueue { [self] in flush() }
  }

  /// Writes what waits, however long the worker takes to read.
  private func flush() {
    let state = state.value
    state.isFlushing = false
    guard !state.text.isEmpty else { return }
    state.text.withUnsafeBytes { _ = Terminal.write($0, to: state.descriptor) }
    state.text.removeAll(keepingCapacity: true)
  }
}
