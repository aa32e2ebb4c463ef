import EventLoop
import RunnerCore
import Scripting

/// Looks now and then whether entries of a batch wait for resources that no worker offers, and reports
/// each such resource once. On the loop's thread.
final class OfferWatch {
  private let batch: Int64
  private let link: ServerLink
  private let loop: EventLoop
  private let report: Report
  private var reported: Set<String> = []
  private var timer: Timer?
  /// The time until the next look: a question counts all that waits on the server.
  private var pause = Duration.seconds(1)

  private static let longestPause = Duration.seconds(60)

  init(_ batch: Int64, _ link: ServerLink, in session: Session) {
    self.batch = batch
    self.link = link
    loop = session.loop
    report = session.report
  }

  func start() {
    timer = loop.timer(after: pause) { [weak self] in self?.look() }
    timer?.unref()
    pause = min(pause * 2, Self.longestPause)
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  private func look() {
    link.send(SQL.read_jobs) { [weak self] answer in
      guard let self, timer != nil else { return }
      // What follows the batch reports a lost server.
      if case .success(let rows) = answer { take(JobsReport(rows)) }
      start()
    }
  }

  private func take(_ jobs: JobsReport) {
    for resources in jobs.notOffered(to: batch) {
      let text = resources.optionText
      guard reported.insert(text).inserted else { continue }
      report.say(
        "entries of batch \(batch) wait for \(text), which no worker offers; to start one: "
          + "raclette worker \(resources.options)")
    }
  }
}
