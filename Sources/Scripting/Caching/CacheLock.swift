import Platform

/// The lock of a store, held until it is released: shared by those who store and restore, so that nothing
/// is removed under them. The system gives it back when the process ends.
final class CacheLock: Sendable {
  private let descriptor: Int32

  /// Waits for the lock of those who store and restore.
  ///
  /// - Throws: `CacheProblem.store` if there is no store, or it cannot be locked.
  static func shared(_ cache: ResultCache) throws(CacheProblem) -> CacheLock {
    try CacheLock(cache, LOCK_SH)
  }

  /// Waits until nobody stores or restores.
  static func alone(_ cache: ResultCache) throws(CacheProblem) -> CacheLock {
    try CacheLock(cache, LOCK_EX)
  }

  /// - Throws: `CacheProblem.store` with `EWOULDBLOCK` if somebody stores or restores now.
  static func aloneNow(_ cache: ResultCache) throws(CacheProblem) -> CacheLock {
    try CacheLock(cache, LOCK_EX | LOCK_NB)
  }

  private init(_ cache: ResultCache, _ kind: Int32) throws(CacheProblem) {
    descriptor = try Self.open(cache)
    while flock(descriptor, kind) != 0 {
      guard errno == EINTR else { throw .store(cache.folder, errno) }
    }
  }

  private static func open(_ cache: ResultCache) throws(CacheProblem) -> Int32 {
    let path = "\(cache.folder)/lock"
    let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { return descriptor }
    let code = errno
    // A store that this user may only read can be locked as well.
    let reader = Platform.open(path, O_RDONLY | O_CLOEXEC)
    guard reader >= 0 else { throw .store(cache.folder, code) }
    return reader
  }

  /// Gives it back before its end.
  func release() { flock(descriptor, LOCK_UN) }

  deinit { unlockAndClose(descriptor) }
}
