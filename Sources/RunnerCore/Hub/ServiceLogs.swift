import EventLoop
import Platform

/// The records of the services that names address, as `logs` prints them: one after the other, each line
/// behind the name of its service if there may be several. On the loop's thread.
package final class ServiceLogs {
  private let place: HubPlace
  /// Empty for all services.
  private let names: [ServiceName]
  private let style: Style
  private var logs: [ServiceLog] = []
  /// The beginnings of lines that have not come to their ends, by the paths of the records.
  private var unfinished: [String: [UInt8]] = [:]

  /// - Parameter names: those of the services; empty for all.
  package init(_ place: HubPlace, _ names: [ServiceName], _ style: Style) {
    (self.place, self.names, self.style) = (place, names, style)
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
    let found =
      names.isEmpty
      ? ServiceLog.all(in: place) : names.flatMap { ServiceLog.all(of: $0, in: place) }
    for log in found where !logs.contains(where: { $0.path == log.path }) { logs.append(log) }
  }

  private func write(_ bytes: [UInt8], of log: ServiceLog) throws {
    guard names.count != 1 || logs.count > 1 else { return try write(bytes) }
    var bytes = (unfinished.removeValue(forKey: log.path) ?? []) + bytes
    let end = bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0
    if end < bytes.count { unfinished[log.path] = Array(bytes[end...]) }
    bytes.removeSubrange(end...)
    let prefix = prefix(of: log)
    var lines: [UInt8] = []
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
      lines += prefix + line + [10]
    }
    try write(lines)
  }

  private func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    try Terminal.output(masked: String(exactly: bytes))
  }

  private func prefix(of log: ServiceLog) -> [UInt8] {
    let labels = logs.map { $0.service.text(among: services).visibleInLine }
    let index = logs.firstIndex { $0 === log } ?? 0
    let width = labels.map(\.count).max() ?? 0
    let label = labels[index] + String(repeating: " ", count: width - labels[index].count) + " |"
    return Array((style.colorIndex(index, label) + " ").utf8)
  }
}
