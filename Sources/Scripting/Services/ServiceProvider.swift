import LuaRuntime
import Reactive

/// Starts services, shares them among their users, and ends those that have none.
///
/// The process of a command file's hub provides its own; every other process of the program is a
/// client of that hub. A host without a provider, as in an embedding program, provides them itself.
package protocol ServiceProvider: AnyObject {
  /// Begins to use a service, which is started unless it is up. On the loop's thread.
  ///
  /// - Parameters:
  ///   - command: a command with `service = true`.
  ///   - input: its complete input.
  ///   - caller: the variables that it begins with if this use starts it. A client of a hub is the caller
  ///     itself.
  ///   - observer: receives the status once the use has begun, and each change, on the loop's thread,
  ///     also from inside this call. A status that is over (`ServiceState.isOver`) then is the end of
  ///     the run that it uses. It may still receive others: somebody may start the service again.
  /// - Returns: ends the use.
  func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable
  /// Reports the status of a service, now and at each change, without using it: it is not started.
  /// On the loop's thread.
  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable
  /// Starts a service again if it is up: its users see it restarting. On the loop's thread.
  ///
  /// - Parameters:
  ///   - caller: the variables that it begins with then.
  ///   - done: receives false if the service is not up, and why it cannot be started again.
  func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ done: @escaping (Result<Bool, any Error>) -> Void
  )
  /// Passes on what a service prints: the latest lines of its present run, then those to come. On
  /// the loop's thread.
  func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable
  /// True while services end that nobody uses any more. On the loop's thread.
  var isEnding: Bool { get }
  /// The names of the services that end because this process uses them no longer. On the loop's thread.
  var namesOfEnding: [String] { get }
  /// Kills services that end because this process uses them no longer, and those that these need, unless
  /// others use them. On the loop's thread.
  ///
  /// - Parameter done: called once nothing of them is left, or they cannot be killed.
  func kill(_ done: @escaping () -> Void)
}

/// A line that a service has printed.
package struct ServiceLine: Sendable, Equatable {
  /// Its bytes, without the end of the line.
  package let bytes: [UInt8]
  /// True if it came from the standard error of a process.
  package let isError: Bool

  /// Makes a line.
  package init(_ bytes: [UInt8], isError: Bool) {
    self.bytes = bytes
    self.isError = isError
  }
}

extension ServiceProvider {
  /// Starts a service again. Those that it needs go on meanwhile.
  ///
  /// - Parameter begin: begins the new start.
  package func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    keeping needed: [(command: ScriptCommand, input: LuaValue)], _ begin: () -> Void
  ) {
    let held = CompoundDisposable()
    for (command, input) in needed { held.add(use(command, input, for: caller) { _ in }) }
    begin()
    keep(needed, untilStarted: command, input, for: caller)
    held.dispose()
  }

  /// Uses services until another one, which is being started, runs or has failed.
  package func keep(
    _ needed: [(command: ScriptCommand, input: LuaValue)],
    untilStarted command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment
  ) {
    let held = CompoundDisposable()
    for (command, input) in needed { held.add(use(command, input, for: caller) { _ in }) }
    held.add(
      watch(command, input) { status in
        switch status.state {
        // Nothing can tell when it is ready.
        case .starting where command.service?.canBeReady == false && status.pid != nil:
          held.dispose()
        case .restarting, .starting, .ending: break
        case .ready, .unready, .failed, .down: held.dispose()
        }
      })
  }
}
