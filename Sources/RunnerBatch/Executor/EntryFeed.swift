import EventLoop
import Journal
import Platform
import RunnerCore
import Scripting

/// The entries that a worker hands to an executor: a line of JSON each on standard input.
///
/// ```
/// ["batch", number, worker's name]                                        first
/// ["run", entry, token, attempt, kind, command, input, name, plan, line, [secret, …]]
/// ["cancel", entry]
/// ["return", entry]                                                       unless it has begun
/// ["need", 0, key, "execute"]                                             the answer to who does
/// ["need", 0, key, "completed" or "failed", kind, error]
/// ["granted", wish, {resource: …}]                                        what it may use
/// ["lease", milliseconds]                                                 when it has to have ended
/// ```
///
/// The lease is a time of the `BootClock`: it is over at that time, however long the line waits to be
/// read. The secrets are values in the input that are not to be shown.
final class EntryFeed: EntrySource {
  /// An entry as the worker has claimed it.
  struct Claimed {
    let planned: PlannedEntry
    let number: Int64
    let token: Int64
    let attempt: Int
  }

  private let state: LoopBound<State>

  private final class State {
    let descriptor: Int32
    var watch: DescriptorWatch?
    var lines = LineSplitter()
    var waiting: [Claimed] = []
    var isOver = false
    var wanted: (limit: Int, deliver: @Sendable (EntryPage) -> Void)?
    var onDelivery: (Claimed) -> Void = { _ in }
    var onBatch: (_ number: Int64, _ worker: String) -> Void = { _, _ in }
    var onCancel: (Int64) -> Void = { _ in }
    var onReturn: (Int64) -> Void = { _ in }
    var onLease: (Duration) -> Void = { _ in }
    var onNeed: (_ key: String, SharedNeed) -> Void = { _, _ in }
    var onGrant: (_ wish: Int64, [String: ResourcePool.Stock]) -> Void = { _, _ in }

    init(_ descriptor: Int32) { self.descriptor = descriptor }
  }

  /// Takes over standard input, of which commands see nothing.
  init() {
    let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(nothing, STDIN_FILENO)
    _ = Platform.close(nothing)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    state = LoopBound(State(descriptor))
  }

  /// Reads from now on, and calls the handlers on the loop's thread.
  func read(
    on loop: EventLoop,
    batch: @escaping (_ number: Int64, _ worker: String) -> Void,
    delivery: @escaping (Claimed) -> Void, cancel: @escaping (Int64) -> Void,
    return giveBack: @escaping (Int64) -> Void, lease: @escaping (Duration) -> Void,
    need: @escaping (_ key: String, SharedNeed) -> Void,
    grant: @escaping (_ wish: Int64, [String: ResourcePool.Stock]) -> Void
  ) throws {
    state.value.onBatch = batch
    state.value.onDelivery = delivery
    state.value.onCancel = cancel
    state.value.onReturn = giveBack
    state.value.onLease = lease
    state.value.onNeed = need
    state.value.onGrant = grant
    state.value.watch = try loop.watchDescriptor(state.value.descriptor) { [unowned self] in
      read()
    }
  }

  /// Removes an entry that has not been delivered.
  ///
  /// - Returns: false if there is none.
  func remove(_ number: Int64) -> Bool {
    guard let index = state.value.waiting.firstIndex(where: { $0.number == number }) else {
      return false
    }
    state.value.waiting.remove(at: index)
    return true
  }

  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void) {
    state.value.wanted = (limit, deliver)
    deliverIfAsked()
  }

  /// Stops reading.
  func close() {
    state.value.watch?.cancel()
    state.value.watch = nil
  }

  private func deliverIfAsked() {
    let state = state.value
    guard let wanted = state.wanted, state.isOver || !state.waiting.isEmpty else { return }
    state.wanted = nil
    let entries = state.waiting.prefix(wanted.limit)
    state.waiting.removeFirst(entries.count)
    for entry in entries { state.onDelivery(entry) }
    wanted.deliver(
      EntryPage(
        entries: entries.map(\.planned), isLast: state.isOver && state.waiting.isEmpty))
  }

  private func read() {
    let state = state.value
    var space = [UInt8](repeating: 0, count: 65_536)
    let count = space.withUnsafeMutableBytes {
      Platform.read(state.descriptor, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else {
      // The worker has no more, or is gone.
      state.isOver = true
      close()
      return deliverIfAsked()
    }
    space.withUnsafeBytes { bytes in
      state.lines.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { take($0) }
    }
    deliverIfAsked()
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard case .list(let fields)? = try? JSONValue(parsing: line), fields.count >= 2,
      case .string(let verb) = fields[0], case .integer(let number) = fields[1]
    else { return }
    switch verb {
    case "batch": if case .string(let name) = fields[2] { state.value.onBatch(number, name) }
    case "cancel": state.value.onCancel(number)
    case "return": state.value.onReturn(number)
    case "lease": state.value.onLease(.milliseconds(number))
    case "need": takeNeed(fields)
    case "granted":
      guard fields.count == 3, case .object(let stocks) = fields[2] else { return }
      state.value.onGrant(
        number,
        Dictionary(
          stocks.compactMap { name, json in ResourcePool.Stock(json: json).map { (name, $0) } },
          uniquingKeysWith: { first, _ in first }))
    default: if let entry = claimed(number, fields) { state.value.waiting.append(entry) }
    }
  }

  private func takeNeed(_ fields: [JSONValue]) {
    guard fields.count >= 4, case .string(let key) = fields[2], case .string(let state) = fields[3]
    else { return }
    switch state {
    case "execute": self.state.value.onNeed(key, .execute)
    case "completed": self.state.value.onNeed(key, .ended(nil))
    default:
      guard fields.count == 6, case .string(let kind) = fields[4],
        case .string(let message) = fields[5]
      else { return }
      let failure = Failure(Failure.Kind(rawValue: kind) ?? .user, message)
      self.state.value.onNeed(key, .ended(failure))
    }
  }

  private func claimed(_ number: Int64, _ fields: [JSONValue]) -> Claimed? {
    guard fields.count == 11, case .integer(let token) = fields[2],
      case .integer(let attempt) = fields[3], case .string(let kind) = fields[4],
      case .string(let command) = fields[5], case .string(let input) = fields[6],
      case .string(let plan) = fields[8], case .integer(let line) = fields[9],
      case .list(let secrets) = fields[10], let kind = PlanEntry.Kind(rawValue: kind)
    else { return nil }
    for case .string(let secret) in secrets { Secrets.add(secret) }
    var entry = PlanEntry(
      key: EntryKey("claimed", "\(number)"), kind: kind, command: command, input: input, plan: plan,
      line: Int(line))
    if case .string(let name) = fields[7] { entry.name = name }
    return Claimed(
      planned: PlannedEntry(entry: entry), number: number, token: token, attempt: Int(attempt))
  }
}
