import EventLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes the children along when a script ends the program by `os.exit`, past everything that would
/// end them in peace.
enum ExitCleanup {
  private static let isArmed = Atomic<Bool>(false)
  private static let registration: Int32 = atexit {
    if ExitCleanup.isArmed.load(ordering: .relaxed) { EventLoop.killChildGroups() }
  }

  static func arm() {
    _ = registration
    isArmed.store(true, ordering: .relaxed)
  }

  static func disarm() {
    isArmed.store(false, ordering: .relaxed)
  }
}
