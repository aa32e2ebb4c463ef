import EventLoop

/// Finds out whether notifications reach a connection while it has no statement under way: a second
/// connection sends it some.
///
/// A pooler in transaction mode lends the server's process to somebody else between two statements. What
/// the process is notified of then goes to whoever has it, or to nobody. A notification that arrives
/// during a statement proves nothing, because the process may by luck be the one that has listened.
///
/// On the loop's thread.
final class NotificationTest {
  /// The channel that the connection listens to before the test starts.
  let channel = "raclette_test_\(UniqueID.text())"

  private let address: ServerAddress
  private let loop: EventLoop
  private var sender: ServerConnection?
  private var timer: Timer?
  private var delay = Duration.zero
  /// The notifications that have not arrived in time.
  private var misses = 0
  private var onEnd: (Bool) -> Void = { _ in }

  /// The time in which a notification has to arrive after it was committed.
  private static let patience = Duration.milliseconds(500)
  /// The number of notifications that may be slow.
  private static let mostMisses = 2
  /// The time until another one after one that has proved nothing.
  private static let pause = Duration.milliseconds(50)

  init(_ address: ServerAddress, on loop: EventLoop) {
    self.address = address
    self.loop = loop
  }

  deinit { close() }

  /// Sends notifications until one proves something, and then calls `onEnd` once.
  func start(then onEnd: @escaping (_ doArrive: Bool) -> Void) {
    self.onEnd = onEnd
    connect()
  }

  /// Takes a notification that the connection has received; false if it is not of this test.
  ///
  /// - Parameter isIdle: true if the connection had no statement under way.
  func take(_ channel: String, isIdle: Bool) -> Bool {
    guard channel == self.channel else { return false }
    if isIdle { end(true) } else { wait(Self.pause) { [unowned self] in notify() } }
    return true
  }

  /// Ends without a result.
  func close() {
    timer?.cancel()
    timer = nil
    sender?.close()
    sender = nil
    onEnd = { _ in }
  }

  private func connect() {
    let sender = ServerConnection(address, on: loop)
    self.sender = sender
    sender.onReady = { [unowned self] in notify() }
    sender.onLoss = { [unowned self] _ in tryAgain() }
    sender.onAnswer = { [unowned self] answer in
      guard case .success? = answer else { return tryAgain() }
      wait(Self.patience) { [unowned self] in miss() }
    }
    sender.connect()
  }

  private func notify() { sender?.send("NOTIFY \"\(channel)\"", []) }

  private func miss() {
    misses += 1
    if misses == Self.mostMisses { end(false) } else { notify() }
  }

  /// Connects again later: a pooler may have no connection to spare.
  private func tryAgain() {
    sender?.close()
    sender = nil
    delay = min(max(delay * 2, .seconds(1)), .seconds(60))
    wait(delay) { [unowned self] in connect() }
  }

  private func wait(_ time: Duration, _ body: @escaping () -> Void) {
    timer?.cancel()
    timer = loop.timer(after: time, body)
    timer?.unref()
  }

  private func end(_ doArrive: Bool) {
    let report = onEnd
    close()
    report(doArrive)
  }
}
