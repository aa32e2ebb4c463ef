import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// What the services of a hub print, in files, and the states that they come into. On the loop's thread.
final class ServiceRecords {
  /// What is followed of one service.
  private final class Following {
    let record: ServiceRecord
    let host: ScriptHost
    let subscriptions = CompoundDisposable()
    /// The state that it has come into last, and when.
    var last: (state: ServiceState, since: Int64)?

    init(_ record: ServiceRecord, _ host: ScriptHost) { (self.record, self.host) = (record, host) }
  }

  private var followed: [ServiceKey: Following] = [:]
  private let outputs: String
  /// How many records are kept of a service with parameters, beside those of the inputs that run.
  private static let mostRecords = 16
  /// Called when a service may have come into another state.
  var onChange: () -> Void = {}
  /// Called when a service has come into another state.
  var onStatus: (ServiceKey, ServiceStatus) -> Void = { _, _ in }

  /// - Parameter outputs: the beginning of the paths of what services print.
  init(outputs: String) { self.outputs = outputs }

  /// Follows a service from now on where an interpreter runs it.
  func follow(_ key: ServiceKey, _ command: ScriptCommand, _ input: LuaValue) {
    let earlier = followed[key]
    if earlier?.host === command.host { return }
    if earlier == nil { removeOldest(of: key) }
    let record =
      earlier?.record
      ?? ServiceRecord(key, outputs) { [scheduler = command.host.scheduler] in
        scheduler.enqueue(onLoop($0))
      }
    earlier?.subscriptions.dispose()
    let following = Following(record, command.host)
    followed[key] = following
    let services = command.host.ownServices
    // What is kept of a run that is over was recorded then.
    var isNew = !services.status(of: command, input).state.isOver
    following.subscriptions.add(
      services.output(of: command, input) { [record] in if isNew { record.add($0) } })
    isNew = true
    following.subscriptions.add(
      services.watch(command, input) { [weak self, unowned following] status in
        guard let self else { return }
        onChange()
        let new = (status.state, status.since)
        guard following.last.map({ $0 == new }) != true else { return }
        if status.state == .starting { record.beginRun() }
        if status.state.isOver { record.end() }
        let isFirst = following.last == nil
        following.last = new
        // Before its first use it is down.
        if !(isFirst && status.state == .down) { onStatus(key, status) }
      })
  }

  /// Leaves the services that are down, unless somebody still uses them: each input is one of its own.
  func leaveThoseDown(unless isUsed: (ServiceKey) -> Bool) {
    for (key, following) in followed where following.last?.state == .down && !isUsed(key) {
      following.subscriptions.dispose()
      followed[key] = nil
    }
  }

  /// Removes the records of inputs of a service that ran the longest time ago.
  private func removeOldest(of key: ServiceKey) {
    guard key.shownInput != nil else { return }
    let kept = Set((followed.keys + [key]).map { ServiceLog.path(outputs, $0) })
    let others = ServiceLog.paths(ofInputsOf: key.name, outputs).filter { !kept.contains($0) }
      .map { path in
        var information = stat()
        return (
          path, written: stat(path, &information) == 0 ? information.modificationTime.tv_sec : 0
        )
      }
    for (path, _) in others.sorted(by: { $0.written > $1.written }).dropFirst(Self.mostRecords) {
      for file in [path, "\(path).1"] { unlink(file) }
    }
  }

  /// Leaves the services of an interpreter that was closed.
  func leave(_ host: ScriptHost) {
    for (key, following) in followed where following.host === host {
      following.subscriptions.dispose()
      followed[key] = nil
    }
  }

  /// The interpreter that runs a service, or has run it last; nil if that was closed.
  func host(of key: ServiceKey) -> ScriptHost? { followed[key]?.host }
}
