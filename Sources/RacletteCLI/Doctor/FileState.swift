import RunnerCore
import Platform

/// The system's answers about one path.
struct FileState {
  let path: String
  /// The error number if there is nothing that can be looked at; 0 otherwise.
  let error: Int32
  private let information: stat

  init(_ path: String) {
    var information = stat()
    error = stat(path, &information) == 0 ? 0 : errno
    self.path = path
    self.information = information
  }

  var exists: Bool { error == 0 }
  var isMissing: Bool { error == ENOENT || error == ENOTDIR }
  var isFile: Bool { information.st_mode & S_IFMT == S_IFREG }
  var isFolder: Bool { information.st_mode & S_IFMT == S_IFDIR }
  var isEmpty: Bool { information.st_size == 0 }
  var reason: String { systemErrorText(error) }

  /// True if users other than the owner and the group may change it; in a folder with the sticky
  /// bit they may only add to it.
  var isWritableForAll: Bool { information.st_mode & S_IWOTH != 0 }
  /// True if users other than the owner may read it.
  var isReadableForOthers: Bool { information.st_mode & (S_IRGRP | S_IROTH) != 0 }

  var isReadable: Bool { access(path, R_OK) == 0 }
  var isWritable: Bool { access(path, W_OK) == 0 }

  /// The nearest folder above a missing path that is there.
  var nearestFolder: String {
    var path = self.path
    while let (above, _) = path.cut(atLast: "/") {
      path = above.isEmpty ? "/" : String(above)
      if FileState(path).isFolder || path == "/" { return path }
    }
    return "."
  }
}
