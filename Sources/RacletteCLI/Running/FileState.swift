import Platform

/// The state of a file, for the detection of changes.
struct FileState: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// - Returns: nil if there is no such file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    device = UInt64(information.st_dev)
    inode = UInt64(information.st_ino)
    size = Int64(information.st_size)
    let modified = information.modificationTime
    (seconds, nanoseconds) = (modified.tv_sec, modified.tv_nsec)
  }
}
