import CSignals
import EventLoop
import LuaRuntime
import Scripting

/// Opens the interpreters of a session: its own, those that replace it, and those of the scripts of
/// a batch. All have the policy and the observer of the session.
struct HostOpening {
  let loop: EventLoop
  let report: Report
  let policy: HostPolicy
  let observer: SessionObserver
  /// The OS signals that end the run.
  let signals: [Int32]

  /// Opens an interpreter.
  ///
  /// - Parameter observers: receive what it reports, before the session does.
  func open(
    script: String, arguments: [String], _ policy: HostPolicy, observers: [any HostObserver]
  ) throws -> ScriptHost {
    let host = try ScriptHost(
      loop: loop, script: script, arguments: arguments, policy: policy,
      observers: [observer] + observers)
    host.interpreter.boundProcess()
    LuaInterpreter.onStuck(csignals_give_up)
    if report.isVerbose { host.add(ofStarts: observer) }
    stopBySignals(host)
    return host
  }

  /// Makes a signal that ends the run also stop the scripts of a host, including work that they
  /// start before the loop handles the signal.
  private func stopBySignals(_ host: ScriptHost) {
    for signal in signals { host.ends(by: signal) }
    // An earlier signal could not reach this host.
    guard Interruption.hasCome else { return }
    host.allowCleanUp()
    host.interpreter.interrupt(pending: true)
  }
}

extension HostPolicy.Limits {
  /// The limits that options set.
  init(_ line: CommandLine) {
    self.init(
      memory: line.bytes(.memoryLimit), time: line.duration(.timeLimit),
      sandbox: line.has(.sandbox) ? Sandbox() : nil)
  }
}
