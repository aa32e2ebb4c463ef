import Platform

/// The state of a file of commands, for the detection of changes.
public struct CommandFileState: Sendable, Equatable {
  /// The file itself, which different paths to it share.
  let identity: FileIdentity
  private let stamp: FileStamp

  /// - Returns: nil, with `errno`, if there is no such file.
  public init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    identity = FileIdentity(of: information)
    stamp = FileStamp(of: information)
  }
}

/// The device and inode of a file.
struct FileIdentity: Sendable, Equatable {
  private let device: UInt64
  private let inode: UInt64

  init(of information: stat) {
    device = UInt64(information.st_dev)
    inode = UInt64(information.st_ino)
  }

  /// - Returns: nil if there is no such file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    self.init(of: information)
  }
}
