import Commands
import LuaRuntime
import Platform
import Reactive

/// The observers of a host.
struct HostObservers {
  var all: [any HostObserver]
  var ofExecutions: [any ExecutionObserver] = []
  var ofStarts: [any StartObserver] = []

  func wroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {
    guard !all.reversed().contains(where: { $0.hostWroteErrors(bytes, of: execution) }) else {
      return
    }
    _ = writeBytes(bytes, to: STDERR_FILENO)
  }

  /// Returns the receiver of output that nothing inside an execution takes; nil if it is not shown.
  func showsOutput(of execution: Int) -> Observer<LuaValue>? {
    for observer in all.reversed() {
      if let receiver = observer.hostShowsOutput(of: execution) { return receiver }
    }
    return nil
  }

  func capturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {
    for observer in all { observer.hostCapturedErrors(bytes, of: execution) }
  }

  func beganGroup(_ leader: Int32, of execution: Int?) {
    for observer in all { observer.hostBeganGroup(leader, of: execution) }
  }

  func endedGroup(_ leader: Int32) {
    for observer in all { observer.hostEndedGroup(leader) }
  }

  func deliveredOutput() {
    for observer in all { observer.hostDeliveredOutput() }
  }

  func logged(_ level: LogLevel, _ text: String) {
    for observer in all { observer.hostLogged(level, text) }
  }

  func hasSecrets(_ host: ScriptHost) {
    _ = all.reversed().contains { $0.hostHasSecrets(host) }
  }

  func leftUnhandled(_ failure: Failure) {
    guard !all.reversed().contains(where: { $0.hostLeftUnhandled(failure) }) else { return }
    Secrets.masked("\(failure.message)\n").withExactBytes { _ = writeBytes($0, to: STDERR_FILENO) }
  }

  func waits(_ description: String) {
    for observer in all { observer.hostWaits(description) }
  }

  func waits(_ contention: Contention) {
    for observer in all { observer.hostWaits(contention) }
  }

  func beginsWork(
    of command: ScriptCommand, within origin: Int, because changes: [UpToDateChange]
  ) {
    for observer in all {
      observer.hostBeginsWork(of: command, within: origin, because: changes)
    }
  }

  func began(_ step: WorkStep, of execution: Int) {
    for observer in all { observer.hostBegan(step, of: execution) }
  }

  func skipped(_ execution: Int, within origin: Int, saving saved: Duration?) {
    for observer in all { observer.hostSkipped(execution, within: origin, saving: saved) }
  }

  func willMake(_ outputs: Glob, for key: [UInt8]) {
    for observer in all { observer.hostWillMake(outputs, for: key) }
  }

  func foundModule(_ path: String) {
    for observer in all { observer.hostFoundModule(path) }
  }

  func serviceChanged(_ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus) {
    for observer in all { observer.hostServiceChanged(command, input, status) }
  }

  /// Returns true if an observer handles the execution's failure.
  func executes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool {
    var isHandled = false
    for observer in ofExecutions
    where observer.hostExecutes(execution, of: command, within: origin) { isHandled = true }
    return isHandled
  }

  func starts(_ text: String, for command: String?) {
    for observer in ofStarts { observer.hostStarts(text, for: command) }
  }

  func began(_ text: String, _ leader: Int32, of execution: Int?, since start: Duration) {
    for observer in ofStarts { observer.hostBegan(text, leader, of: execution, since: start) }
  }
}

extension ScriptHost {
  /// Adds an observer, which is asked before the earlier ones.
  public func add(_ observer: any HostObserver) { observers.all.append(observer) }

  /// Adds an observer of executions.
  public func add(ofExecutions observer: any ExecutionObserver) {
    observers.ofExecutions.append(observer)
  }

  /// Adds an observer of processes and steps.
  public func add(ofStarts observer: any StartObserver) { observers.ofStarts.append(observer) }

  /// Removes an observer that needs nothing any more.
  public func remove(_ observer: any HostObserver) { observers.all.removeAll { $0 === observer } }

  /// Writes a line to the log.
  func log(_ level: LogLevel, _ text: String) { observers.logged(level, text) }

  /// Called when a process of the host has ended: a closed host lives, and keeps its observers, until
  /// the last one has and the resulting work is done.
  func liveUntilIdle() { loop.enqueue { [self] in releaseObservers() } }

  /// Releases the observers of a closed host that reports nothing any more.
  func releaseObservers() {
    guard !interpreter.isOpen, liveProcesses == 0 else { return }
    observers = HostObservers(all: [])
  }
}
