import EventLoop
import Platform
import RunnerCore

/// The worker that a submitter starts for its own batch, as a child. On the loop's thread.
final class OwnWorker {
  private let session: Session
  private let arguments: [String]
  private let url: String
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

  init(_ batch: Int64, _ address: ServerAddress, _ line: CommandLine, in session: Session) {
    self.session = session
    url = address.url
    var words = ["worker", "--batch", "\(batch)", "--quiet"]
    if let jobs = line[.jobs] { words += ["--jobs", jobs] }
    arguments = words
  }

  var isRunning: Bool { child != nil }

  func start() {
    guard !isLeaving else { return }
    let own = ProcessEnvironment.variables().filter { $0.name != "RACLETTE_JOURNAL" }
    // The URL may hold a password, and other users can see arguments.
    let environment =
      own.map { Array($0.name.utf8) + [UInt8(ascii: "=")] + $0.value }
      + [Array("RACLETTE_JOURNAL=\(url)".utf8)]
    var request = ProcessRequest(
      argv: (["/proc/self/exe"] + arguments).map(\.exactBytes), environment: environment)
    request.output = .null
    do {
      child = try session.loop.spawn(request) { [weak self] end in self?.ended(end) }
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
  fileprivate var text: String {
    switch self {
    case .exited(let code): "status \(code)"
    case .signalled(let signal): "signal \(signal)"
    case .unknown: "unknown status"
    }
  }
}
