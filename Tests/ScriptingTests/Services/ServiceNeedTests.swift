import EventLoop
import LuaRuntime
import Platform
import Reactive
import Testing

@testable import Scripting

/// What is executed for a service, before its own work.
@Suite("What services need", .timeLimit(.minutes(5))) struct ServiceNeedTests {
  private let folder = TemporaryFolder()
  private let script: Script

  init() throws { script = try Script() }

  /// Uses the service `db` until a condition holds.
  private func use(
    _ definitions: String, until condition: @escaping (ServiceStatus) -> Bool
  ) -> (status: ServiceStatus, lines: [String]) {
    script.run(definitions.replacing("FOLDER", with: folder.path))
    let command = script.host.command(named: "db")!
    let supervisor = script.host.ownServices
    var (lines, last) = ([String](), ServiceStatus(.down, since: 0))
    let output = supervisor.output(of: command, .nil) {
      lines.append(String(decoding: $0.bytes, as: UTF8.self))
    }
    let use = supervisor.use(command, .nil, for: .own) { last = $0 }
    while !condition(last), !last.state.isOver { script.loop.runOnce() }
    let seen = last
    output.dispose()
    use.dispose()
    while supervisor.isBusy { script.loop.runOnce() }
    script.finish()
    return (seen, lines)
  }

  private func process(_ name: String) -> Int32? {
    fileContent("\(folder.path)/\(name)").flatMap {
      Int32(String(decoding: $0, as: UTF8.self).filter(\.isNumber))
    }
  }

  @Test func aStateIsReportedOnceAlthoughNewsOfItIsLate() throws {
    final class Reports: HostObserver {
      var states: [ServiceState] = []
      func hostServiceChanged(
        _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
      ) { states.append(status.state) }
    }
    script.run(
      #"rac.command{name = "db", service = true, ready = {line = "up"}, run = "echo up"}"#)
    let reports = Reports()
    script.host.add(reports)
    let call = Plan.Call(try #require(script.host.command(named: "db")), .nil)
    let news: [(ServiceState, Int64)] = [
      (.ready, 1), (.unready, 2), (.ready, 3), (.unready, 2), (.ready, 3), (.unready, 4),
    ]
    for (state, since) in news { script.host.note(ServiceStatus(state, since: since), of: call) }
    #expect(reports.states == [.ready, .unready, .ready, .unready])
    script.finish()
  }

  @Test func theProcessIsThatOfTheService() {
    let (status, _) = use(
      """
      rac.command{name = "init", run = "echo $$ >FOLDER/init"}
      rac.command{name = "db", service = true, needs = "init", ready = {line = "up"},
        run = "echo $$ >FOLDER/db; echo up; exec sleep 600"}
      """
    ) { $0.state == .ready }
    #expect(status.pid != nil && status.pid == process("db"), "\(status)")
    #expect(process("init") != nil)
  }

  @Test func theirOutputIsRecordedBeforeItsOwn() {
    let (_, lines) = use(
      """
      rac.command{name = "init", run = "echo out; printf err >&2"}
      rac.command{name = "db", service = true, needs = "init", ready = {line = "up"},
        run = function()
          rac.sh("echo first"):wait()
          return rac.sh("echo up; exec sleep 600")
        end}
      """
    ) { $0.state == .ready }
    #expect(lines.prefix(2).sorted() == ["err", "out"])
    #expect(lines.dropFirst(2) == ["first", "up"])
  }

  @Test(arguments: ["", " >&2"])
  func whatTheyPrintIsNoSignOfReadiness(_ stream: String) {
    let (status, _) = use(
      """
      rac.command{name = "init", run = "echo up\(stream)"}
      rac.command{name = "db", service = true, needs = "init", ready = {line = "up"},
        run = "exec sleep 600"}
      """
    ) { $0.probe != nil }
    #expect(status.state == .starting)
    #expect(status.probe == "it has not printed 'up'")
  }

  @Test func theyCountAgainstTheBudgetAndTheServiceDoesNot() {
    script.host.policy.jobServer = JobServer(jobs: 1, on: script.loop)
    let line = "echo begins >>\(folder.path)/log; sleep 0.1; echo ends >>\(folder.path)/log"
    script.run(
      """
      local line = "\(line)"
      rac.command{name = "init", run = line}
      rac.command{name = "db", service = true, needs = "init", ready = {line = "up"},
        run = "echo up; exec sleep 600"}
      rac.command{name = "test", needs = "db", run = line}
      rac.command{name = "other", run = line}
      rac.merge(rac.commands.test:execute(), rac.commands.other:execute()):subscribe()
      """)
    let log = fileContent("\(folder.path)/log") ?? []
    #expect(
      String(decoding: log, as: UTF8.self)
        == String(repeating: "begins\nends\n", count: 3))
    script.finish()
  }
}
