import EventLoop
import Platform
import RunnerCore

/// The worker that a submitter starts for its own batch, as a child. On the loop's thread.
final class OwnWorker {
  private let session: Session
  private let order: BatchWorker.Order
  /// What it offers, as `--resource` takes it.
  private let offers: [String]
  private var child: ChildProcess?
  private var isLeaving = false
  /// The number of times that it has ended too early.
  private var failures = 0
  private var timer: Timer?
  /// Called when it has ended too early several times.
  var onGivingUp: () -> Void = {}

  private static let mostFailures = 3
  /// The time that it has to end what it does.
  private static let grace = Duration.seconds(30)

  init(_ order: BatchWorker.Order, offers: [String], in session: Session) {
    self.session = session
    self.offers = offers
    self.order = order
  }

  var isRunning: Bool { child != nil }

  func start() {
    guard !isLeaving else { return }
    var request = ProcessRequest(
      ["/proc/self/exe", ":batch-worker", "--quiet"]
        + offers.flatMap { ["--resource", $0] })
    request.input = .pipe
    request.output = .null
    do {
      let child = try session.loop.spawn(request) { [weak self] end in self?.ended(end) }
      child.write(Array(order.text.utf8))
      self.child = child
    } catch {
      session.report.error("cannot start a worker: \(error)")
      onGivingUp()
    }
  }

  /// Makes it leave; what it still executes is cancelled after a while.
  func leave() {
    isLeaving = true
    timer?.cancel()
    child?.terminate(grace: Self.grace)
  }

  private func ended(_ end: ProcessEnd) {
    child = nil
    guard !isLeaving, !session.isEnding else { return }
    failures += 1
    session.report.error("the worker of this batch has ended (\(end.status.text))")
    guard failures < Self.mostFailures else { return onGivingUp() }
    timer = session.loop.timer(after: .seconds(1)) { [weak self] in self?.start() }
  }
}

extension ProcessEnd.Status {
  var text: String {
    switch self {
    case .exited(let code): "status \(code)"
    case .signalled(let signal): "signal \(signal)"
    case .unknown: "unknown status"
    }
  }
}
