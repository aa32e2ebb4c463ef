import Platform

/// A file that one open description can lock at a time. The system frees the lock with its process.
///
/// The file is removed when its lock is given back, so that none stays behind but those of killed
/// processes. Confined to one thread.
package final class LockFile {
  package let path: String
  /// True while this object holds the lock.
  private(set) var isHeld = false
  private var descriptor: Int32 = -1

  package init(_ path: String) { self.path = path }

  /// The file at a path, for `wasLeft`; nil if there is none.
  ///
  /// - Throws: the error number if it cannot be opened: somebody may have its lock.
  static func existing(_ path: String) throws(LockFileError) -> LockFile? {
    let file = LockFile(path)
    // Only read, it is closed without an event for those who wait.
    file.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file.descriptor >= 0 { return file }
    guard errno == ENOENT else { throw LockFileError(code: errno) }
    return nil
  }

  deinit { close() }

  /// True while nobody has removed the file.
  var isThere: Bool { descriptor >= 0 && isOpen(descriptor, at: path) }

  /// Takes the lock if nobody has it. A file that was removed under this holder is made again.
  ///
  /// - Returns: true if it is taken.
  /// - Throws: the error number if the file cannot be opened or locked.
  package func lock() throws(LockFileError) -> Bool {
    guard isHeld else { return try acquire() }
    if isThere { return true }
    // Those who wait may have the removed file open: it stays locked until there is another one.
    let successor = LockFile(path)
    guard try successor.acquire() else { return false }
    swap(&descriptor, &successor.descriptor)
    return true
  }

  private func acquire() throws(LockFileError) -> Bool {
    while true {
      if descriptor < 0 {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LockFileError(code: errno) }
      }
      let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      if !isLocked, errno != EWOULDBLOCK, errno != EINTR { throw LockFileError(code: errno) }
      // Its last holder may have removed the file meanwhile. One that is still locked was removed by
      // somebody else, and its holder makes it again.
      if isThere || !isLocked {
        isHeld = isLocked
        return isLocked
      }
      close()
    }
  }

  /// True if nobody has the lock of the file that was opened, because its holder has given it back or
  /// was killed, and none of the process groups runs that it records; it is removed then.
  func wasLeft() -> Bool {
    // All may find it at once, and remove it: its name is never used again.
    guard descriptor >= 0, flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return descriptor < 0 }
    guard GroupIdentity.alive(among: GroupIdentity.recorded(in: text)).isEmpty else {
      flock(descriptor, LOCK_UN)
      return false
    }
    if isThere { unlink(path) }
    close()
    return true
  }

  /// Takes the lock of the file that was opened, if its holder was killed.
  func takeOver() -> Bool {
    isHeld = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    return isHeld
  }

  /// Removes the file, whose lock is held, and gives the lock back.
  package func remove() {
    guard isHeld else { return }
    // Otherwise the file of that name is another holder's.
    if isThere { unlink(path) }
    close()
  }

  /// Removes those of a folder's files that nobody has locked any more: killed processes have left them.
  ///
  /// - Parameter isMeant: returns true for the name of a file that is to be looked at.
  package static func sweep(_ folder: UserFolder, where isMeant: (String) -> Bool) {
    for name in Platform.names(inFolder: folder.path) ?? [] where isMeant(name) {
      guard let file = try? existing("\(folder.path)/\(name)") else { continue }
      // Names of files may be used again: only one process at a time removes such a file.
      file.isHeld = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
      file.remove()
    }
  }

  /// The content of the file.
  var text: String {
    var information = stat()
    guard descriptor >= 0, fstat(descriptor, &information) == 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return String(exactly: bytes.prefix(max(0, count)))
  }

  /// Replaces the content of the file.
  ///
  /// - Throws: the error number if it cannot be written, as on a full disk.
  func write(_ text: String) throws(LockFileError) {
    let bytes = text.exactBytes
    let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count else { throw LockFileError(code: count < 0 ? errno : ENOSPC) }
    // What is there is lost only once there is something in its place.
    ftruncate(descriptor, off_t(count))
  }

  /// Adds to the content of the file, which another process may have locked.
  ///
  /// - Returns: false if it cannot be written.
  @discardableResult
  func append(_ text: String) -> Bool {
    guard descriptor >= 0 else { return false }
    let bytes = text.exactBytes
    let end = lseek(descriptor, 0, SEEK_END)
    return bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
      == bytes.count
  }

  private func close() {
    if descriptor >= 0 { unlockAndClose(descriptor) }
    (descriptor, isHeld) = (-1, false)
  }
}

/// A lock that cannot be asked for.
package struct LockFileError: Error {
  let code: Int32

  /// True if the system has too little at the moment, such as descriptors.
  var isPassing: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

  package var reason: String { systemErrorText(code) }
}

/// The names of the files in a folder that begin with a prefix; none if there is no folder.
///
/// - Throws: the error number if they are not known.
func names(inFolder path: String, withPrefix prefix: String) throws(LockFileError) -> [String] {
  guard let names = names(inFolder: path) else {
    guard errno == ENOENT else { throw LockFileError(code: errno) }
    return []
  }
  return names.filter { $0.hasPrefix(prefix) }
}
