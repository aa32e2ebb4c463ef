import EventLoop
import LuaRuntime
import Platform
import Reactive
import Testing

@testable import Scripting

/// Executions that use a service that is lost, and ready again, before they begin.
@Suite("services in use", .timeLimit(.minutes(5))) struct UsedServiceTests {
  private let script: Script
  private let provider = Provider()

  init() throws {
    script = try Script()
    script.host.policy.services = provider
    script.define("lose") { [provider] _ in
      provider.send(.restarting)
      return .none
    }
    script.define("restore") { [script, provider] _ in
      script.print("ready")
      provider.send(.ready)
      return .none
    }
    // Long enough for all that does not wait.
    script.define("restore_later") { [script, provider] _ in
      script.loop.timer(after: .milliseconds(50)) {
        script.print("ready")
        provider.send(.ready)
      }
      return .none
    }
    script.define("stay_unready") { [provider] _ in
      provider.send(.unready)
      return .none
    }
    script.run(
      """
      rac.defaults{resources = {gpu = 1}}
      rac.command{name = "db", service = true, ready = {line = "up"}, run = "exit 1"}
      rac.command{name = "cache", service = true, ready = {line = "up"}, run = "exit 1"}
      rac.command{name = "hasty", service = true, ready = {line = "up"}, ready_timeout = 0.05,
        run = "exit 1"}
      rac.command{name = "first", needs = "db", run = function() print("first") lose() restore_later() end}
      rac.command{name = "use", needs = {"db", "first"}, run = function() print("use") end}
      rac.command{name = "other", uses = {gpu = 1}, run = function() print("other") restore() end}
      rac.command{name = "again", needs = "db", uses = {gpu = 1}, retry = {times = 1}, run = function()
        print("again")
        if lost then error("no", 0) end
        lost = true
        lose()
        rac.commands.other:execute():subscribe()
        error("no", 0)
      end}
      rac.command{name = "late", needs = "hasty", run = function() print("late") stay_unready() end}
      """)
  }

  private func command(_ name: String) throws -> ScriptCommand {
    try #require(script.host.command(named: name))
  }

  /// Lets the uses receive what was sent.
  private func deliver() {
    var isDelivered = false
    script.host.scheduler.enqueue(onLoop { isDelivered = true })
    while !isDelivered { script.loop.runOnce() }
  }

  /// Executes a command in a plan, and returns the failures of its steps.
  private func plan(_ name: String) throws -> [String] {
    let run = PlanRun(try Plan([Plan.Call(try command(name), .nil)]), PlanOptions())
    var failures: [String] = []
    run.onEnd = { _, end in
      switch end {
      case .failed(let failure), .refused(let failure): failures.append(failure.message)
      case .completed, .cancelled, .unbegun, .skipped: break
      }
    }
    run.start()
    while !run.isOver { script.loop.runOnce() }
    return failures
  }

  @Test func aStepWaitsForOneThatIsStartedAgain() throws {
    #expect(try plan("use") == [])
    #expect(script.result.output == ["first", "ready", "use"])
    script.finish()
  }

  @Test func soDoesAnExecutionOfLua() {
    script.run("rac.commands.use:execute():wait()")
    #expect(script.result.output == ["first", "ready", "use"])
    script.finish()
  }

  @Test func aFurtherAttemptWaitsTooAndItsResourcesAreFreeMeanwhile() throws {
    #expect(try plan("again") == ["no"])
    #expect(script.result.output == ["again", "other", "ready", "again"])
    script.finish()
  }

  @Test func theWaitHasALimit() throws {
    script.run(
      """
      rac.command{name = "long", needs = {"hasty", "late"}, run = function() print("long") end}
      """)
    #expect(
      try plan("long") == [
        "'hasty' failed: the service was not ready within 0.05 s: its probe has not answered"
      ])
    #expect(script.result.output == ["late"])
    script.finish()
  }

  @Test func theWaitForOneEndsWithTheLossOfAnother() throws {
    let uses = try ["db", "cache"].map {
      ServiceUse.begin(Plan.Call(try command($0), .nil), for: .own) { _ in }
    }
    let services = UsedServices(uses)
    provider.send(.restarting, of: "db")
    var isSettled = false
    services.whenSettled(
      for: try command("use"), in: CompoundDisposable(), isReported: false
    ) { isSettled = true }
    deliver()
    #expect(!isSettled)
    provider.send(.failed, of: "cache")
    deliver()
    #expect(isSettled)
    #expect(
      services.failure?.message == "'cache' failed: the service has ended while it was used")
    for use in uses { use.end() }
    script.finish()
  }
}

/// Services without processes, whose state a test sends.
private final class Provider: ServiceProvider {
  private struct Service {
    var status = ServiceStatus(.ready, since: 0)
    let observers = ServiceObservers()
  }

  private var services: [String: Service] = [:]

  /// Sends a state of one service; of all if none is named.
  func send(_ state: ServiceState, of name: String? = nil) {
    for key in services.keys.sorted() where name == nil || key == name {
      guard let service = services[key] else { continue }
      let status = ServiceStatus(state, since: service.status.since + 1)
      services[key]?.status = status
      service.observers.send(status)
    }
  }

  func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { watch(command, input, observer) }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let service = services[command.name, default: Service()]
    services[command.name] = service
    observer(service.status)
    return service.observers.add(observer)
  }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ done: @escaping (Result<Bool, any Error>) -> Void
  ) { done(.success(false)) }

  func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable { ActionDisposable {} }

  var isEnding: Bool { false }
  var namesOfEnding: [String] { [] }
  func kill(_ done: @escaping () -> Void) { done() }
}
