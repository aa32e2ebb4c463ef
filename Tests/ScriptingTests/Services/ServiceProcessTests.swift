import Platform
import Reactive
import Testing

@testable import Scripting

/// Services with real processes: random histories of users, crashes, `kill -9` and restarts, in which
/// no service ever runs twice and no process is left.
@Suite("Services and their processes", .timeLimit(.minutes(10))) struct ServiceProcessTests {
  @Test(arguments: 0..<(LongRun.isOn ? 300 : 6))
  func randomHistories(_ seed: Int) throws {
    let folder = TemporaryFolder()
    let script = try Script()
    script.run(
      """
      local line = [[
        exec 9>"%s/$0.lock"; flock -n 9 || { echo $0 >>"%s/twice"; exit 9; }
        sleep 600 & echo up; wait
      ]]
      for name, needs in pairs{disk = {}, db = {"disk"}, web = {"db"}} do
        rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
          run = line:format("\(folder.path)", "\(folder.path)"),
          restart = {policy = "always", delay = 0.01, times = 3}}
      end
      """)
    let commands = ["disk", "db", "web"].map { script.host.command(named: $0)! }
    let supervisor = script.host.ownServices
    var random = SystemRandomNumberGenerator()
    var users: [any Disposable] = []
    for _ in 0..<30 {
      let command = commands.randomElement(using: &random)!
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: users.append(supervisor.use(command, .nil, for: .own) { _ in })
      case 3, 4:
        if !users.isEmpty {
          users.remove(at: Int.random(in: users.indices, using: &random)).dispose()
        }
      case 5: supervisor.restart(command, .nil, for: .own)
      case 6:
        let running = supervisor.all.compactMap(\.status.pid)
        if let process = running.randomElement(using: &random) { kill(process, SIGKILL) }
      default: supervisor.end(command, .nil, because: "it was ended")
      }
      // Until something happens, a few times.
      let timer = script.loop.timer(after: .milliseconds(Int.random(in: 0...20, using: &random))) {}
      while timer.isActive { script.loop.runOnce() }
    }
    for user in users { user.dispose() }
    let patience = script.loop.timer(after: .seconds(30)) {}
    while supervisor.isBusy, patience.isActive { script.loop.runOnce() }
    patience.cancel()
    #expect(!supervisor.isBusy, "\(supervisor.all.map(\.status.state))")
    #expect(script.host.liveProcesses == 0)
    #expect(fileContent(folder.path + "/twice") == nil)
    script.finish()
  }
}
