import Platform

/// What is known of a file, to tell whether it has changed.
struct FileState: Equatable {
  let isFolder: Bool
  private let node: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// The state of what is at a path now; nil if there is nothing.
  init?(_ path: String) {
    var information = stat()
    // A link is what it is: what it leads to may lead back.
    guard lstat(path, &information) == 0 else { return nil }
    isFolder = information.st_mode & S_IFMT == S_IFDIR
    node = UInt64(information.st_ino)
    // A folder changes with its entries, which are told by themselves.
    size = isFolder ? 0 : Int64(information.st_size)
    let time = information.modificationTime
    (seconds, nanoseconds) = isFolder ? (0, 0) : (time.tv_sec, time.tv_nsec)
  }
}

/// The paths of the system.
enum FilePath {
  /// The folder that something at a path lies in.
  static func parent(of path: String) -> String {
    guard let (folder, _) = path.cut(atLast: "/") else { return "." }
    return folder.isEmpty ? "/" : String(folder)
  }

  static func join(_ folder: String, _ name: String) -> String {
    if folder == "." { return name }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The path without slashes at its end.
  static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "." : path
  }

  static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a folder, in order; none if it cannot be read.
  static func names(in folder: String) -> [String] {
    (Platform.names(inFolder: folder) ?? []).sorted()
  }
}
