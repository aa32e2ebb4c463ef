import Platform
import RunnerCore

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

  /// The path from the root, valid in every folder.
  var fullPath: String {
    if let real = resolvedPath(path) { return real }
    return path.hasPrefix("/") ? path : "\(currentFolder() ?? ".")/\(path)"
  }
  /// The full path as a word of a shell's line.
  var word: String { fullPath.quotedForShell }

  /// The folder that the path is in.
  var folder: FileState { FileState(CommandFile.split(path).directory) }

  /// What is there on the way to a missing path: the folder in which the next one has to be made, or
  /// what is in its place.
  var nearest: FileState {
    var state = folder
    while state.isMissing, state.path != "/", state.path != "." { state = state.folder }
    return state
  }

  /// Why a missing file, with the folders that lead to it, cannot be made; nil if it can.
  var obstacle: String? {
    let nearest = nearest
    guard nearest.exists else { return "\(nearest.path) cannot be examined: \(nearest.reason)" }
    guard nearest.isFolder else { return "\(nearest.path) is not a folder" }
    guard !nearest.isOfKernel else { return "\(nearest.path) does not accept files" }
    return nearest.isWritable ? nil : "\(nearest.path) cannot be written to"
  }

  /// True on a file system in which only the kernel makes files; the permissions of a folder there
  /// may say otherwise to the superuser.
  private var isOfKernel: Bool {
    // What the kernel has there shows that its file systems are mounted.
    ["/proc/self", "/sys/kernel", "/sys/fs/cgroup"].map(FileState.init).contains {
      $0.exists && $0.information.st_dev == information.st_dev
    }
  }
}
