import EventLoop
import Platform
import RunnerCore

/// A lock that one hub of a command file holds: one while it starts and while it ends, another one as long
/// as it lives. The system frees them with its process.
final class HubLock {
  private let path: String
  private let descriptor: Int32

  private init(at path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  /// Takes the lock of those who start and end, after the one who holds it.
  ///
  /// - Throws: `HubError.folder` if the file cannot be made or locked.
  convenience init(_ place: HubPlace) throws(HubError) {
    self.init(at: place.lock)
    guard descriptor >= 0, acquire() else {
      throw place.unusable(place.lock, because: systemErrorText(errno))
    }
  }

  /// The lock that a hub holds as long as it lives, not taken yet; nil if the user has no folder for it.
  convenience init?(ofLifeAt place: HubPlace) {
    guard UserFolder.shared.prepare() == nil else { return nil }
    self.init(at: place.lifeLock)
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

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

  /// True unless its last holder has removed the file.
  var isThere: Bool { isOpen(descriptor, at: path) }

  /// Removes the file, whose lock is held.
  func remove() {
    unlink(path)
    release()
  }

  /// Writes the process that holds it, for people.
  func note(_ process: pid_t) {
    ftruncate(descriptor, 0)
    Array("\(process)\n".utf8).withUnsafeBytes {
      _ = pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
  }
}
