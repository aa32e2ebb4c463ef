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
    // Long enough for all that does not wait.
    script.define("lose") { [script, provider] _ in
      provider.send(.restarting)
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
      rac.command{name = "db", service = true, ready = {line = "up"}, ready_timeout = 0.05,
        run = "exit 1"}
      rac.command{name = "first", needs = "db", run = function() print("first") lose() end}
      rac.command{name = "use", needs = {"db", "first"}, run = function() print("use") end}
      rac.command{name = "other", uses = {gpu = 1}, run = function() print("other") end}
      rac.command{name = "again", needs = "db", uses = {gpu = 1}, retry = {times = 1}, run = function()
        print("again")
        if lost then error("no", 0) end
        lost = true
        lose()
        rac.commands.other:execute():subscribe()
        error("no", 0)
      end}
      rac.command{name = "late", needs = "db", run = function() print("late") stay_unready() end}
      """)
  }

  /// Executes a command in a plan, and returns the failures of its steps.
  private func plan(_ name: String) throws -> [String] {
    let command = try #require(script.host.command(named: name))
    let run = PlanRun(try Plan([Plan.Call(command, .nil)]), PlanOptions())
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
      rac.command{name = "long", needs = {"db", "late"}, run = function() print("long") end}
      """)
    #expect(
      try plan("long") == [
        "'db' failed: the service was not ready within 0.05 s: its probe has not answered"
      ])
    #expect(script.result.output == ["late"])
    script.finish()
  }
}

/// Services without processes, whose state a test sends.
private final class Provider: ServiceProvider {
  private var status = ServiceStatus(.ready, since: 0)
  private let observers = ServiceObservers()

  func send(_ state: ServiceState) {
    status = ServiceStatus(state, since: status.since + 1)
    observers.send(status)
  }

  func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { watch(command, input, observer) }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    observer(status)
    return observers.add(observer)
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
