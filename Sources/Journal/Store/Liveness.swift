import Platform

/// Determines which batches are running. Each holds a lock on one byte of the journal's file, far
/// past its end, which the system releases whenever and however the process ends. A lock belongs to
/// the file and not to its name, so every path to the journal sees the same batches.
///
/// The locks are open file description locks. They do not conflict with SQLite's own, which are
/// elsewhere in the file, and closing another descriptor does not release them.
final class Liveness {
  #if canImport(Glibc)
    private static let get: Int32 = 36
    private static let set: Int32 = 37
  #else
    private static let get: Int32 = 92
    private static let set: Int32 = 90
  #endif

  /// The offset of the batches' bytes; no file is that long, and SQLite's locks are far before it.
  private static let start: Int64 = 1 << 62
  /// The number of batches that can have a byte.
  static let capacity: Int64 = 1 << 61

  private let file: JournalFile
  /// The batch whose byte is held here: a lock does not conflict with its own holder.
  private var own: Int64?

  init(_ file: JournalFile) {
    self.file = file
  }

  deinit {
    // Closing is not enough: a child that is being started briefly has the descriptor too.
    release()
  }

  /// Locks the byte of a batch until `release()` or the end of the process.
  ///
  /// - Returns: 0 or an error number.
  func hold(_ batch: Int64) -> Int32 {
    var lock = Self.lock(batch)
    guard fcntl(file.descriptor, Self.set, &lock) == 0 else { return errno }
    own = batch
    return 0
  }

  /// Returns true if the byte of a batch is locked, here or by another process.
  func isAlive(_ batch: Int64) -> Bool {
    if batch == own { return true }
    guard (0..<Self.capacity).contains(batch) else { return false }
    return Self.isLocked(file.descriptor, Self.lock(batch))
  }

  /// Releases our own byte.
  func release() {
    own = nil
    var lock = flock()
    lock.l_type = Int16(F_UNLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(Self.start)
    _ = fcntl(file.descriptor, Self.set, &lock)
  }

  private static func isLocked(_ descriptor: Int32, _ lock: flock) -> Bool {
    var lock = lock
    return fcntl(descriptor, get, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  private static func lock(_ batch: Int64) -> flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start + batch)
    lock.l_len = 1
    return lock
  }
}
