import Testing

@testable import Scripting

@Suite("The limit on becoming ready", .timeLimit(.minutes(5))) struct ReadyLimitTests {
  @Test func theTimeOfItsOwnWorkAloneCounts() throws {
    let script = try Script()
    script.run(
      #"""
      rac.command{name = "db", service = true, ready = {line = "up"}, ready_timeout = 0,
        run = "sleep 600"}
      """#)
    let command = try #require(script.host.command(named: "db"))
    var failures: [String] = []
    let limit = ReadyLimit(of: command) { failures.append($0.message) }
    var preparing = ServiceStatus(.starting, since: 0)
    preparing.isPreparing = true
    // An order to start it again is no crash.
    let others = [ServiceState.ending, .down, .restarting].map { ServiceStatus($0, since: 0) }
    for status in [preparing] + others {
      limit.note(status)
      script.loop.poll()
    }
    #expect(failures == [])
    var starting = ServiceStatus(.starting, since: 0)
    starting.probe = "it has not printed 'up'"
    limit.note(starting)
    while failures.isEmpty { script.loop.runOnce() }
    #expect(failures == ["the service was not ready within 0 s: it has not printed 'up'"])
    script.finish()
  }

  @Test func readinessEndsIt() throws {
    let script = try Script()
    script.run(
      #"""
      rac.command{name = "db", service = true, ready = {line = "up"}, ready_timeout = 0,
        run = "sleep 600"}
      """#)
    var count = 0
    let limit = ReadyLimit(of: try #require(script.host.command(named: "db"))) { _ in count += 1 }
    for state in [ServiceState.starting, .ready, .unready] {
      limit.note(ServiceStatus(state, since: 0))
    }
    script.loop.poll()
    #expect(count == 0)
    script.finish()
  }
}
