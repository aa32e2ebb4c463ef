/// The metadata of a file that differs once the file has been replaced or written, for detecting changes
/// without reading it. It includes the time of the last change, because size and modification time stay
/// the same after a copy that keeps its time. That also changes with the mode and the number of links.
public struct FileStamp: Sendable, Equatable {
  private let device, inode, size: Int64
  private let modified, changed: Instant

  private struct Instant: Sendable, Equatable {
    let seconds, nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec)) }
  }

  /// - Parameter information: that of the file.
  public init(of information: stat) {
    device = Int64(truncatingIfNeeded: information.st_dev)
    inode = Int64(truncatingIfNeeded: information.st_ino)
    size = Int64(information.st_size)
    modified = Instant(information.modificationTime)
    changed = Instant(information.changeTime)
  }

  /// The time of the last change, in seconds since 1970.
  var changeTime: Double { Double(changed.seconds) + Double(changed.nanoseconds) / 1e9 }

  /// - Returns: nil, with `errno`, if there is no such file; a link stands for what it leads to.
  public init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    self.init(of: information)
  }
}
