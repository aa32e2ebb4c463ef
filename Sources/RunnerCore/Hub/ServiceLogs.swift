import EventLoop
import Platform

/// The records of the services that names address, as `logs` prints them: one after the other, each
/// under a heading if there are several. On the loop's thread.
package final class ServiceLogs {
  private let place: HubPlace
  private let names: [ServiceName]
  private var logs: [ServiceLog]
  /// The record whose lines were printed last.
  private var latest: ServiceLog?

  package init(_ place: HubPlace, _ names: [ServiceName]) {
    (self.place, self.names) = (place, names)
    logs = []
    takeNew()
  }

  /// The services that have printed something.
  package var services: [ServiceFace] { logs.map(\.service) }

  /// Prints the last lines of each.
  ///
  /// - Parameter count: how many; nil for all that are kept.
  package func show(last count: Int?) throws {
    for log in logs { try write(log.last(count), of: log) }
  }

  /// Prints what comes, until the session ends.
  package func follow(in session: Session) throws {
    var hasChanged = true
    let watch = try session.loop.watchFolder(CommandFile.split(place.outputs).directory) {
      hasChanged = true
    }
    defer { watch.cancel() }
    while !session.isEnding {
      if hasChanged {
        hasChanged = false
        takeNew()
        for log in logs { try write(log.more(), of: log) }
      }
      session.wait { hasChanged || session.isEnding }
    }
  }

  /// Takes the records that are there and were not taken yet.
  private func takeNew() {
    for log in names.flatMap({ ServiceLog.all(of: $0, in: place) })
    where !logs.contains(where: { $0.path == log.path }) { logs.append(log) }
  }

  private func write(_ bytes: [UInt8], of log: ServiceLog) throws {
    guard !bytes.isEmpty else { return }
    var text = String(exactly: bytes)
    if logs.count > 1, latest !== log {
      text = ServiceLog.heading(log.service.text(among: logs.map(\.service))) + "\n" + text
    }
    latest = log
    try Terminal.output(masked: text.visibleBesideColors)
  }
}
