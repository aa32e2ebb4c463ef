import Platform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells which batches are at work: each holds a lock on one byte of a file beside the journal, which
/// the system takes back when the process ends, however it ends.
///
/// Locks of an open file description, so that closing another descriptor of the file does not give
/// them up.
final class Liveness {
  #if canImport(Glibc)
    private static let get: Int32 = 36
    private static let set: Int32 = 37
  #else
    private static let get: Int32 = 92
    private static let set: Int32 = 90
  #endif

  private let path: String
  private var descriptor: Int32 = -1
  private var own: Int64?

  init(besides journal: String) {
    path = journal + "-live"
  }

  deinit {
    release()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Holds the byte of a batch until `release()` or the end of the process.
  ///
  /// - Returns: 0 or an error number.
  func hold(_ batch: Int64) -> Int32 {
    while true {
      let code = open(O_RDWR | O_CREAT)
      guard code == 0 else { return code }
      var lock = Self.lock(batch, length: 1)
      if fcntl(descriptor, Self.set, &lock) == 0 {
        if isCurrent {
          own = batch
          return 0
        }
      } else if errno != EAGAIN, errno != EACCES {
        return errno
      } else {
        // Whoever was last holds all of the file for the moment in which it is removed.
        usleep(1_000)
      }
      forget()
    }
  }

  /// Whether the byte of a batch is held, here or by another process.
  func isAlive(_ batch: Int64) -> Bool {
    if batch == own { return true }
    // An own lock keeps the file; without one it may be another by now.
    if own == nil, descriptor >= 0, !isCurrent { forget() }
    // Such a descriptor may have to hold a lock later; where nothing may be written, none will.
    guard open(O_RDWR) == 0 || open(O_RDONLY) == 0 else { return false }
    var lock = Self.lock(batch, length: 1)
    // A lock on more than a byte is of somebody who finds that nobody is left.
    return fcntl(descriptor, Self.get, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
      && lock.l_len == 1
  }

  /// Gives the own byte back; the last one removes the file.
  func release() {
    guard own != nil else { return }
    own = nil
    var all = Self.lock(0, length: 0)
    if fcntl(descriptor, Self.set, &all) == 0 { unlink(path) }
    // Not by closing alone: a child that is just being started has the descriptor too for a moment.
    all.l_type = Int16(F_UNLCK)
    _ = fcntl(descriptor, Self.set, &all)
    forget()
  }

  /// The file of that name may be another one the next time.
  private func forget() {
    close(descriptor)
    descriptor = -1
  }

  private func open(_ flags: Int32) -> Int32 {
    guard descriptor < 0 else { return 0 }
    descriptor = Platform.open(path, flags | O_CLOEXEC, 0o666)
    return descriptor < 0 ? errno : 0
  }

  /// Whether the open file is still the one of that name.
  private var isCurrent: Bool {
    var here = stat()
    var there = stat()
    return fstat(descriptor, &here) == 0 && stat(path, &there) == 0
      && here.st_ino == there.st_ino && here.st_dev == there.st_dev
  }

  private static func lock(_ start: Int64, length: Int64) -> flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(length)
    return lock
  }
}
