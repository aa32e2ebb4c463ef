import Commands
import LuaRuntime
import Platform
import Reactive

/// Receives what a host reports. Every observer of a host receives everything, on the loop's thread,
/// in the order in which they were added.
///
/// Some reports are for one receiver: the errors that processes print, output that nothing takes,
/// unhandled failures, and the printed output of scripts. For these, the host asks the observer that was
/// added last first, until one takes it. What a process prints and an unhandled failure go to standard
/// error if none does.
///
/// The host keeps its observers until it is closed and its processes have ended.
public protocol HostObserver: AnyObject {
  /// A process has written to an uncaptured standard error.
  ///
  /// - Parameter execution: the id of the outermost execution that the process belongs to, if any.
  /// - Returns: true if the observer shows it.
  func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool
  /// A process has written to a captured standard error.
  func hostCapturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?)
  /// Something inside an execution sends output that the execution's work does not take: a command
  /// that it needs or executes, or a process that it waits for.
  ///
  /// - Parameter execution: the id of the outermost execution that it belongs to.
  /// - Returns: a receiver that shows it; nil if this observer does not.
  func hostShowsOutput(of execution: Int) -> Observer<LuaValue>?
  /// A process has begun a process group.
  ///
  /// - Parameter execution: the id of the outermost execution that the process belongs to, if any.
  func hostBeganGroup(_ leader: Int32, of execution: Int?)
  /// No process of a group is left.
  func hostEndedGroup(_ leader: Int32)
  /// All values of a chunk of a process's output have been delivered; see
  /// `ScriptHost.isDeliveringOutput`.
  func hostDeliveredOutput()
  /// A script has logged a line.
  func hostLogged(_ level: LogLevel, _ text: String)
  /// A command that names secrets was defined: what scripts print has to be masked from now on.
  ///
  /// - Returns: true if the observer shows what the host's scripts print.
  func hostHasSecrets(_ host: ScriptHost) -> Bool
  /// A failure is handled by nobody. Each failure comes once.
  ///
  /// - Returns: true if the observer shows it.
  func hostLeftUnhandled(_ failure: Failure) -> Bool
  /// A wait has taken a second.
  ///
  /// - Parameter description: what the host waits for.
  func hostWaits(_ description: String)
  /// An execution, or a request for one, waits for what others have.
  func hostWaits(_ contention: Contention)
  /// The work of an execution begins: it is known not to be up to date.
  ///
  /// - Parameters:
  ///   - origin: the id of the outermost execution that it belongs to.
  ///   - changes: why it is not up to date; none if it never is, or is executed all the same.
  func hostBeginsWork(
    of command: ScriptCommand, within origin: Int, because changes: [UpToDateChange])
  /// A step of an execution begins, of a command whose definition gives `steps`. The one before it
  /// has completed.
  func hostBegan(_ step: WorkStep, of execution: Int)
  /// An execution is left out because its command is up to date, or because its result was restored
  /// from the cache.
  ///
  /// - Parameters:
  ///   - origin: the id of the outermost execution that it belongs to.
  ///   - saved: how long the execution took whose result was restored; nil if nothing had to be.
  func hostSkipped(_ execution: Int, within origin: Int, saving saved: Duration?)
  /// An execution is about to make files.
  ///
  /// - Parameter key: identifies the execution.
  func hostWillMake(_ outputs: Glob, for key: [UInt8])
  /// A script requires a module for the first time; its file is not read yet.
  func hostFoundModule(_ path: String)
  /// A service that an execution of the host uses has come into another state.
  func hostServiceChanged(_ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus)
}

/// An observer ignores what it does not implement.
extension HostObserver {
  /// Ignores it.
  public func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool { false }
  /// Ignores it.
  public func hostCapturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {}
  /// Shows none.
  public func hostShowsOutput(of execution: Int) -> Observer<LuaValue>? { nil }
  /// Ignores it.
  public func hostBeganGroup(_ leader: Int32, of execution: Int?) {}
  /// Ignores it.
  public func hostEndedGroup(_ leader: Int32) {}
  /// Ignores it.
  public func hostDeliveredOutput() {}
  /// Ignores it.
  public func hostLogged(_ level: LogLevel, _ text: String) {}
  /// Ignores it.
  public func hostHasSecrets(_ host: ScriptHost) -> Bool { false }
  /// Ignores it.
  public func hostLeftUnhandled(_ failure: Failure) -> Bool { false }
  /// Ignores it.
  public func hostWaits(_ description: String) {}
  /// Ignores it.
  public func hostWaits(_ contention: Contention) {}
  /// Ignores it.
  public func hostBeginsWork(
    of command: ScriptCommand, within origin: Int, because changes: [UpToDateChange]
  ) {}
  /// Ignores it.
  public func hostBegan(_ step: WorkStep, of execution: Int) {}
  /// Ignores it.
  public func hostSkipped(_ execution: Int, within origin: Int, saving saved: Duration?) {}
  /// Ignores it.
  public func hostWillMake(_ outputs: Glob, for key: [UInt8]) {}
  /// Ignores it.
  public func hostFoundModule(_ path: String) {}
  /// Ignores it.
  public func hostServiceChanged(
    _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
  ) {}
}

/// Receives the executions of a host. Apart from other observers, because most hosts have no such
/// observer, and executions are many.
public protocol ExecutionObserver: AnyObject {
  /// An execution of a command has begun or was rejected.
  ///
  /// - Parameter origin: the id of the outermost execution that it belongs to.
  /// - Returns: true if the observer handles its failure.
  func hostExecutes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool
}

/// Receives the processes and steps of a host. Apart from other observers, because their texts are
/// made only for it.
public protocol StartObserver: AnyObject {
  /// A process or a step of a command starts.
  ///
  /// - Parameters:
  ///   - text: the process or step as it could be typed.
  ///   - command: the name of the command that it works for.
  func hostStarts(_ text: String, for command: String?)
  /// A process leads a group of its own from now on.
  ///
  /// - Parameters:
  ///   - text: the process as it could be typed.
  ///   - execution: the id of the outermost execution that it works for.
  ///   - start: when it was about to start, by `BootClock`. It may have come far since.
  func hostBegan(_ text: String, _ leader: Int32, of execution: Int?, since start: Duration)
}

extension StartObserver {
  /// Does nothing.
  public func hostBegan(
    _ text: String, _ leader: Int32, of execution: Int?, since start: Duration
  ) {}
}

/// The severity of a log line.
public enum LogLevel: String, Sendable, CaseIterable {
  case debug, info, warn, error
}
