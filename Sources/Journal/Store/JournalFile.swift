import CSQLite
import Platform
import Synchronization

/// The file at a journal's path, identified by its device and inode, and opened for the locks of
/// one store.
///
/// SQLite keeps the latest commits in a file beside the journal and derives that file's name from
/// the path. So all symbolic links are resolved first. A file that has several names or is mounted
/// on its own is refused, because its commits would be spread over several such files.
///
/// When a process closes *any* descriptor of a file, the system releases SQLite's locks on it. So
/// no descriptor is closed while any connection of the process has the file open.
final class JournalFile {
  /// The path without symbolic links.
  let path: String
  let descriptor: Int32
  private let identity: Identity

  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ information: stat) {
      device = UInt64(information.st_dev)
      inode = UInt64(information.st_ino)
    }
  }

  /// The journals that the process has open, and the descriptors to be closed with the last of
  /// their users.
  private static let open = Mutex<[Identity: (users: Int, idle: [Int32])]>([:])

  /// Opens a file; if it has to be created, only its owner gets access.
  init(_ name: String, isCreated: Bool) throws(JournalError) {
    let opened = Self.open.withLock { open in
      let descriptor = Self.descriptor(of: name, isCreated: isCreated)
      var information = stat()
      guard descriptor >= 0, fstat(descriptor, &information) == 0 else {
        return (descriptor: descriptor, information: information, code: errno)
      }
      open[Identity(information), default: (0, [])].users += 1
      return (descriptor, information, 0)
    }
    guard opened.code == 0 else { throw Self.error(name, opened.code, isCreated: isCreated) }
    descriptor = opened.descriptor
    identity = Identity(opened.information)
    path = Self.resolved(name)
    DatabasesInUse.add(path)
    // From here on `deinit` returns the descriptor.
    if opened.information.st_mode & S_IFMT != S_IFREG { throw .noFile(name) }
    if opened.information.st_nlink > 1 {
      throw .severalNames(name, count: Int(opened.information.st_nlink))
    }
    if csqlite_is_mount_root(descriptor) != 0 { throw .mountedAlone(name) }
    if refusesLocks { throw .noLocks(name) }
  }

  /// True if the file system offers no locks, which SQLite takes for another program's lock.
  private var refusesLocks: Bool {
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    // Far from all other locks, so that none is released with it.
    lock.l_start = .max - 1
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) == 0 else { return errno == ENOLCK }
    lock.l_type = Int16(F_UNLCK)
    _ = fcntl(descriptor, F_SETLK, &lock)
    return false
  }

  deinit {
    DatabasesInUse.remove(path)
    Self.open.withLock { open in
      let entry = open[identity] ?? (1, [])
      if entry.users > 1 {
        open[identity] = (entry.users - 1, entry.idle + [descriptor])
      } else {
        for idle in entry.idle + [descriptor] { close(idle) }
        open[identity] = nil
      }
    }
  }

  /// True if the path still leads to this file: it was not removed, moved or replaced.
  var isInPlace: Bool {
    var information = stat()
    return path.withCBytes { stat($0, &information) } == 0 && Identity(information) == identity
  }

  /// True if the file system is mounted read-only.
  var isOnReadOnlyFileSystem: Bool {
    var information = statvfs()
    return fstatvfs(descriptor, &information) == 0
      && UInt(information.f_flag) & UInt(ST_RDONLY) != 0
  }

  /// The bytes that are free in its file system; nil if that is not known.
  var freeBytes: Int? {
    var information = statvfs()
    guard fstatvfs(descriptor, &information) == 0 else { return nil }
    return Int(clamping: UInt64(information.f_bavail)).multipliedReportingOverflow(
      by: Int(information.f_frsize)
    ).partialValue
  }

  private static func descriptor(of name: String, isCreated: Bool) -> Int32 {
    // Opening something that is not a regular file, such as a FIFO, must not block.
    let flags = O_CLOEXEC | O_NONBLOCK
    let descriptor = systemOpen(name, O_RDWR | flags | (isCreated ? O_CREAT : 0))
    guard descriptor < 0, [EACCES, EPERM, EROFS].contains(errno) else { return descriptor }
    let code = errno
    let readable = systemOpen(name, O_RDONLY | flags)
    // The reason it cannot be created is more useful than that it is missing.
    if readable < 0, errno == ENOENT { errno = code }
    return readable
  }

  private static func systemOpen(_ name: String, _ flags: Int32) -> Int32 {
    Platform.open(name, flags, 0o600)
  }

  private static func resolved(_ name: String) -> String { resolvedPath(name) ?? name }

  private static func error(_ name: String, _ code: Int32, isCreated: Bool) -> JournalError {
    switch code {
    case ENOENT where !isCreated: .missing(name)
    case EROFS: .readOnlyFileSystem(name)
    default: .unavailable(name, reason: systemErrorText(code))
    }
  }
}
