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

  @Test("see that a use has learnt that the service is ready, once, and nothing older after it")
  func ahead() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watch.replace(by: status(.down, 0))
    watches.tell(status(.starting, 1), of: key)
    watch.receive(status(.starting, 1))
    watches.tell(status(.ready, 2), of: key)
    watches.tell(status(.ready, 2), of: key)
    watch.receive(status(.starting, 1))
    #expect(seen.states == [.down, .starting, .ready])
    watch.receive(status(.ready, 2))
    watch.receive(status(.unready, 3))
    watches.tell(status(.ready, 2), of: key)
    #expect(seen.states == [.down, .starting, .ready, .ready, .unready])
  }

  @Test("do not take what concerns one use alone for the state of the service")
  func madeUp() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watch.receive(status(.ready, 1))
    for state in [ServiceState.ending, .restarting, .down] {
      watches.tell(status(state, 5), of: key)
    }
    watch.receive(status(.ready, 1))
    #expect(seen.states == [.ready, .ready])
  }

  @Test(
    "begin again with the next hub, whatever its clock says, and take no late news of the last one")
  func another() {
    let seen = Seen()
    let watch = watches.add(key) { seen.states.append($0.state) }
    watch.receive(status(.starting, 1_000))
    watch.replace(by: status(.restarting, 1_002))
    watches.tell(status(.ready, 1_001), of: key)
    watch.replace(by: status(.restarting, 1_003))
    watch.receive(status(.starting, 500))
    watch.receive(status(.ready, 501))
    #expect(seen.states == [.starting, .restarting, .starting, .ready])
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
