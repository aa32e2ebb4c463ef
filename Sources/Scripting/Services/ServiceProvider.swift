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
  ///   - observer: receives the status now, and each change, on the loop's thread. After a status
  ///     that is over (`ServiceState.isOver`), it may still receive others: somebody may start the
  ///     service again.
  /// - Returns: ends the use.
  func use(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable
}
