import Platform

/// The lock of a store, held until it is released: shared by those who store and restore, so that nothing
/// is removed under them. The system gives it back when the process ends.
final class CacheLock {
  private let descriptor: Int32

  /// Waits for the lock.
  ///
  /// - Returns: nil if there is no store, or it cannot be locked.
  static func shared(_ cache: ResultCache) -> CacheLock? { CacheLock(cache, LOCK_SH) }

  /// Waits until nobody stores or restores.
  static func alone(_ cache: ResultCache) -> CacheLock? { CacheLock(cache, LOCK_EX) }

  /// - Returns: nil if somebody stores or restores now.
  static func aloneNow(_ cache: ResultCache) -> CacheLock? {
    CacheLock(cache, LOCK_EX | LOCK_NB)
  }

  private init?(_ cache: ResultCache, _ kind: Int32) {
    let path = "\(cache.folder)/lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    while flock(descriptor, kind) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        return nil
      }
    }
  }

  deinit { close(descriptor) }
}
