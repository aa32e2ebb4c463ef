import Platform
import Scripting

/// Those who watch services in this process. The hub tells each stream on a connection of its own, so the
/// stream of a use may have a status before that of a watch has it: what a use learns counts for who
/// watches too, so that a condition that follows a service is true when an execution begins that has
/// waited for the service. Confined to the loop's thread.
final class ServiceWatches {
  /// One who watches, with a stream of its own.
  final class Watch {
    private let observer: (ServiceStatus) -> Void
    /// When the service has come into the state that was reported last; nil if the stream has broken off
    /// since, or no hub has reported one.
    private var latest: Int64?

    fileprivate init(_ observer: @escaping (ServiceStatus) -> Void) { self.observer = observer }

    /// Takes what its own stream has from the hub, unless that is older than what was reported.
    func receive(_ status: ServiceStatus) {
      if status.since >= latest ?? status.since { report(status) }
    }

    /// Takes what is known without the hub: it runs no longer, for example.
    func replace(by status: ServiceStatus) {
      latest = nil
      observer(status)
    }

    /// Takes what another stream has from the hub, if that is newer than what was reported.
    fileprivate func take(_ status: ServiceStatus) {
      if latest.map({ $0 < status.since }) ?? true { report(status) }
    }

    private func report(_ status: ServiceStatus) {
      latest = status.since
      observer(status)
    }
  }

  private var watches: [ServiceKey: [Watch]] = [:]

  /// Adds one who watches a service, until `remove`.
  func add(_ key: ServiceKey, _ observer: @escaping (ServiceStatus) -> Void) -> Watch {
    let watch = Watch(observer)
    watches[key, default: []].append(watch)
    return watch
  }

  func remove(_ watch: Watch, of key: ServiceKey) {
    watches[key]?.removeAll { $0 === watch }
    if watches[key]?.isEmpty == true { watches[key] = nil }
  }

  /// Passes on what a use of a service has from the hub.
  func tell(_ status: ServiceStatus, of key: ServiceKey) {
    for watch in watches[key] ?? [] { watch.take(status) }
  }
}
