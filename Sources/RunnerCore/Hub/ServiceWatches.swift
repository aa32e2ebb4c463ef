import Platform
import Scripting

/// The watches of services in this process. The hub sends each stream over a connection of its own, so a
/// service may be ready for a use before the stream of a watch says so. That a use has learnt this counts for
/// watches, too: a condition that follows a service is true when an execution begins that has waited for the
/// service. Confined to the loop's thread.
final class ServiceWatches {
  /// A watch with a stream of its own.
  final class Watch {
    private let observer: (ServiceStatus) -> Void
    private var last: ServiceState?
    /// When the service came into the state that was reported last.
    private var latest = Int64.min
    /// When it became ready, if a use has learnt that and the watch's own stream has yet to say so.
    private var ahead: Int64?

    fileprivate init(_ observer: @escaping (ServiceStatus) -> Void) { self.observer = observer }

    /// Takes what its own stream has from the hub, unless that comes before what a use has learnt.
    func receive(_ status: ServiceStatus) {
      if let ahead, status.since < ahead { return }
      report(status)
    }

    /// Takes what is known without the hub, such as its end.
    func replace(by status: ServiceStatus) {
      if status.state != last { report(status) }
    }

    /// Takes what a use has from the hub, if that is newer than what was reported.
    fileprivate func take(_ status: ServiceStatus) {
      guard status.since > latest else { return }
      report(status)
      ahead = status.since
    }

    private func report(_ status: ServiceStatus) {
      (last, latest, ahead) = (status.state, status.since, nil)
      observer(status)
    }
  }

  private var watches: [ServiceKey: [Watch]] = [:]

  /// Adds a watch of a service, until `remove`.
  func add(_ key: ServiceKey, _ observer: @escaping (ServiceStatus) -> Void) -> Watch {
    let watch = Watch(observer)
    watches[key, default: []].append(watch)
    return watch
  }

  func remove(_ watch: Watch, of key: ServiceKey) {
    watches[key]?.removeAll { $0 === watch }
    if watches[key]?.isEmpty == true { watches[key] = nil }
  }

  /// Passes on what a use of a service has from the hub, if the service is ready: other states may be those
  /// of the use alone, which waits for a new start, for example.
  func tell(_ status: ServiceStatus, of key: ServiceKey) {
    guard status.state == .ready else { return }
    for watch in watches[key] ?? [] { watch.take(status) }
  }
}
