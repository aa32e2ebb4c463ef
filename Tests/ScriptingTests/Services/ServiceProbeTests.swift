import EventLoop
import LuaRuntime
import Platform
import Reactive
import Testing

@testable import Scripting

/// Probes that are programs and functions of the script.
@Suite("Probes of services", .timeLimit(.minutes(2))) struct ServiceProbeTests {
  private let folder = TemporaryFolder()
  private let script: Script

  init() throws { script = try Script() }

  private func isThere(_ name: String) -> Bool { access("\(folder.path)/\(name)", F_OK) == 0 }

  /// Uses the service `db` until a condition holds, and waits for its end.
  ///
  /// - Returns: the last status of the use.
  private func use(
    _ definition: String, until condition: (ServiceStatus) -> Bool
  ) -> ServiceStatus {
    script.run(
      "rac.command{name = 'db', service = true, run = 'exec sleep 600', \(definition)}"
        .replacing("FOLDER", with: folder.path))
    let command = script.host.command(named: "db")!
    let supervisor = ServiceSupervisor(script.loop, probeLimit: .milliseconds(100))
    var last = ServiceStatus(.down, since: 0)
    let use = supervisor.use(command, .nil, for: .own) { last = $0 }
    while !condition(last), !last.state.isOver { script.loop.runOnce() }
    let seen = last
    use.dispose()
    while supervisor.isBusy { script.loop.runOnce() }
    return seen
  }

  @Test func aFunctionThatDoesNotAnswerIsAskedAgain() {
    let status = use(
      """
      ready = function()
        asked = (asked or 0) + 1
        if asked == 1 then rac.never():wait() end
        return asked > 2, "asked " .. asked
      end
      """
    ) { $0.state == .ready }
    #expect(status.probe == "its probe is true")
    script.finish()
  }

  @Test func aFunctionThatDoesNotAnswerIsNamed() {
    let status = use("ready = function() rac.never():wait() end") { $0.probe != nil }
    #expect(status.probe == "its probe did not answer within 0.1 s")
    #expect(status.state == .starting)
    script.finish()
  }

  @Test func aFunctionEndsWithItsService() {
    _ = use(
      """
      ready = function()
        local ends <close> = setmetatable({}, {__close = function()
          io.open("FOLDER/closed", "w"):close()
        end})
        io.open("FOLDER/asked", "w"):close()
        rac.sleep(600)
      end
      """
    ) { _ in isThere("asked") }
    #expect(isThere("closed"))
    #expect(script.host.activeRuns == 0)
    #expect(script.host.runsOfServices == 0)
    script.finish()
  }

  @Test(arguments: [
    ("touch up", "touch up"), ("touch up", "touch new; mv new up"), ("mkdir up", "touch up/file"),
    ("ln -s up.real up; touch up.real", "touch up"),
  ])
  func aPathThatWasLeftCountsOnceItHasChanged(_ left: String, _ renewed: String) {
    #expect(system("cd '\(folder.path)' && \(left)") == 0)
    var wasOld = false
    let status = use(
      """
      ready = {path = 'FOLDER/up'},
      run = [[cd 'FOLDER'; until [ -e go ]; do sleep 0.01; done; \(renewed); exec sleep 600]]
      """
    ) { status in
      if !wasOld, status.probe == "'\(folder.path)/up' is as it was before the start" {
        wasOld = status.state == .starting
        close(open("\(folder.path)/go", O_CREAT | O_WRONLY, 0o600))
      }
      return status.state == .ready
    }
    #expect(wasOld)
    #expect(status.probe == "there is '\(folder.path)/up'")
    script.finish()
  }

  @Test func aPathThatANeedHasMadeDoesNotCount() {
    script.run("rac.command{name = 'make', run = [[touch '\(folder.path)/up']]}")
    let status = use("needs = 'make', ready = {path = 'FOLDER/up'}") { $0.probe != nil }
    #expect(status.probe == "'\(folder.path)/up' is as it was before the start")
    #expect(status.state == .starting)
    script.finish()
  }

  @Test func aSocketOfAnotherServerDoesNotCount() {
    let socket = listen(at: "\(folder.path)/up")
    defer { close(socket) }
    let status = use("ready = {path = 'FOLDER/up'}") { $0.probe != nil }
    #expect(status.probe == "'\(folder.path)/up' is as it was before the start")
    #expect(status.state == .starting)
    script.finish()
  }

  @Test func aProgramIsKilledAtOnceWhenItsServiceEnds() {
    _ = use(
      "ready = [[trap 'touch FOLDER/asked-to-end; exit' TERM; touch FOLDER/asked; "
        + "while :; do sleep 0.01; done]]"
    ) { _ in isThere("asked") }
    while script.host.liveProcesses > 0 { script.loop.runOnce() }
    #expect(!isThere("asked-to-end"))
    script.finish()
  }

  @Test func aProgramIsNoStepThatIsReported() {
    final class Starts: StartObserver {
      var texts: [String] = []
      func hostStarts(_ text: String, for command: String?) { texts.append(text) }
      func hostBegan(
        _ text: String, _ leader: Int32, of execution: Int?, since start: Duration
      ) {
        texts.append("began \(text)")
      }
    }
    let starts = Starts()
    script.host.add(ofStarts: starts)
    _ = use("ready = 'test -e FOLDER/asked || { touch FOLDER/asked; exit 1; }'") {
      $0.state == .ready
    }
    #expect(starts.texts == ["exec sleep 600", "began exec sleep 600"])
    script.finish()
  }

  @Test func nothingIsKeptOfInputsThatAreDown() {
    script.run(
      """
      rac.command{name = "db", service = true, ready = {line = "up"},
        params = {{name = "n", type = "integer"}}, run = function(input, emit) end}
      """)
    let command = script.host.command(named: "db")!
    let supervisor = script.host.ownServices
    for number in 0..<100 {
      let input = try? command.input(with: [("n", .integer(Int64(number)))])
      var last = ServiceState.starting
      let use = supervisor.use(command, input ?? .nil, for: .own) { last = $0.state }
      use.dispose()
      while supervisor.isBusy { script.loop.runOnce() }
      #expect(last == .starting || last == .ending || last == .down)
    }
    #expect(supervisor.all.count == 1)
    script.finish()
  }

  @Test func aNameThatIsStillLookedUpKeepsNoLoopAlive() {
    let subscription = CompoundDisposable()
    ServerProbe(ServerPlace(host: "nosuch.invalid", port: 1))
      .ask(on: script.loop, in: subscription) { _ in Issue.record("it has answered") }
    #expect(script.loop.isAlive)
    subscription.dispose()
    // Its answer may have come already: that is one turn.
    if script.loop.isAlive { script.loop.poll() }
    #expect(!script.loop.isAlive)
    script.finish()
  }
}

/// A server at a path.
private func listen(at path: String) -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: &address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  #expect(result == 0 && Platform.listen(descriptor, 1) == 0)
  return descriptor
}
