import CSignals
import Platform
import Synchronization

/// Kills the children when the program ends without its normal clean-up: by `os.exit` in a script,
/// or by SIGQUIT, which a terminal sends for Ctrl-\ to the program alone.
package enum ExitCleanup {
  private static let isArmed = Atomic<Bool>(false)
  private static let registration: Int32 = atexit {
    if ExitCleanup.isArmed.load(ordering: .relaxed) { csignals_kill_child_groups() }
  }

  static func arm() {
    _ = registration
    isArmed.store(true, ordering: .relaxed)
    if !isIgnored(SIGQUIT) { csignals_watch_quit() }
  }

  static func disarm() {
    isArmed.store(false, ordering: .relaxed)
  }
}
