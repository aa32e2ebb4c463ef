import Scripting
import Testing

@testable import RunnerCore

@Suite("Those who watch services")
struct ServiceWatchesTests {
  private let watches = ServiceWatches()
  private let key = ServiceKey("db", input: "")

  private final class Seen { var states: [ServiceState] = [] }

  private func status(_ state: ServiceState, _ since: Int64) -> ServiceStatus {
    ServiceStatus(state, since: since)
  }

  @Test("see what a use learns first, once, and nothing older after it")
  func ahead() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watch.replace(by: status(.down, 9))
    watches.tell(status(.starting, 1), of: key)
    watch.receive(status(.starting, 1))
    watches.tell(status(.ready, 2), of: key)
    watches.tell(status(.ready, 2), of: key)
    watch.receive(status(.starting, 1))
    #expect(seen.states == [.down, .starting, .starting, .ready])
    watch.receive(status(.ready, 2))
    watch.receive(status(.unready, 3))
    watches.tell(status(.ready, 2), of: key)
    #expect(seen.states == [.down, .starting, .starting, .ready, .ready, .unready])
  }

  @Test("begin again with the next hub, whatever the clock of the last one said")
  func another() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watch.receive(status(.ready, 1_000))
    watch.replace(by: status(.restarting, 1_001))
    watch.receive(status(.starting, 500))
    watch.receive(status(.ready, 501))
    #expect(seen.states == [.ready, .restarting, .starting, .ready])
  }

  @Test("see their own service, and nothing after their end")
  func own() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watches.tell(status(.ready, 1), of: ServiceKey("web", input: ""))
    watches.tell(status(.ready, 1), of: ServiceKey("db", input: #"{"port":1}"#))
    watches.remove(watch, of: key)
    watches.tell(status(.ready, 1), of: key)
    #expect(seen.states.isEmpty)
  }
}
