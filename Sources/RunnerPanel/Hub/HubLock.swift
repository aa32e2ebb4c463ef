import Platform
import RunnerCore

/// The lock that one hub of a command file holds while it starts and while it ends. The system frees it
/// with its process.
final class HubLock {
  private let descriptor: Int32

  /// Takes the lock, after the one who holds it.
  ///
  /// - Throws: `HubError.folder` if the file cannot be made or locked.
  init(_ place: HubPlace) throws(HubError) {
    descriptor = open(place.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0, acquire() else {
      throw place.unusable(place.lock, because: systemErrorText(errno))
    }
  }

  deinit { unlockAndClose(descriptor) }

  /// Takes the lock, after the one who holds it.
  ///
  /// - Returns: false if the file system has no locks.
  @discardableResult
  func acquire() -> Bool {
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Takes the lock if nobody holds it.
  ///
  /// - Returns: false if somebody does.
  func acquireIfFree() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  func release() { flock(descriptor, LOCK_UN) }

  /// Writes the process that holds it, for people.
  func note(_ process: pid_t) {
    ftruncate(descriptor, 0)
    Array("\(process)\n".utf8).withUnsafeBytes {
      _ = pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
  }
}
