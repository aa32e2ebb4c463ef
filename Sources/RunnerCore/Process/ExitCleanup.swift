import EventLoop
import Synchronization

import Platform

/// Kills the children when the program ends without its normal clean-up: by `os.exit` in a script,
/// or by SIGQUIT, which a terminal sends for Ctrl-\ to the program alone.
package enum ExitCleanup {
  private static let isArmed = Atomic<Bool>(false)
  private static let registration: Int32 = atexit {
    if ExitCleanup.isArmed.load(ordering: .relaxed) { EventLoop.killChildGroups() }
  }

  static func arm() {
    _ = registration
    isArmed.store(true, ordering: .relaxed)
    guard !isIgnored(SIGQUIT) else { return }
    signal(SIGQUIT) { quit in
      EventLoop.killChildGroups()
      TerminalMode.discardTyped()
      TerminalMode.restore()
      signal(quit, SIG_DFL)
      raise(quit)
    }
  }

  static func disarm() {
    isArmed.store(false, ordering: .relaxed)
  }
}
