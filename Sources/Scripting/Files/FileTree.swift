import Platform

/// The known state of a file, compared to detect changes.
struct FileState: Equatable {
  let isFolder: Bool
  private let node: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// True if it is reached through a symbolic link at its path.
  let isLinked: Bool

  /// Reads the current state of the file at a path; nil if there is none. A link to a file has the
  /// state of that file; a link to a folder, or to nothing, its own: folders may form a cycle.
  init?(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    isLinked = information.st_mode & S_IFMT == S_IFLNK
    if isLinked {
      var target = stat()
      if stat(path, &target) == 0, target.st_mode & S_IFMT != S_IFDIR { information = target }
    }
    isFolder = information.st_mode & S_IFMT == S_IFDIR
    node = UInt64(information.st_ino)
    // A folder changes with its entries, which are reported by themselves. The time of the last change
    // does not count: a command that sets modes would wake itself.
    size = isFolder ? 0 : Int64(information.st_size)
    let time = information.modificationTime
    (seconds, nanoseconds) = isFolder ? (0, 0) : (time.tv_sec, time.tv_nsec)
  }
}

/// Operations on file system paths.
enum FilePath {
  /// Returns the folder that contains a path.
  static func parent(of path: String) -> String {
    guard let (folder, _) = path.cut(atLast: "/") else { return "." }
    return folder.isEmpty ? "/" : String(folder)
  }

  static func join(_ folder: String, _ name: String) -> String {
    if folder == "." { return name }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Returns the path without trailing slashes.
  static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "." : path
  }

  /// Returns a path without `.` and without names that a following `..` leaves, so that each file has
  /// one. The name of a symbolic link stays if `..` leads from its target to another folder.
  static func direct(_ path: String) -> String { direct(path) { $0 } }

  /// Returns a text for a path or for several in the same way.
  ///
  /// - Parameter named: returns the path that the beginning of the text names; nil if that is not one
  ///   path. Names behind it stay.
  static func direct(_ text: String, named: (String) -> String?) -> String {
    let names = text.split(separator: "/")
    guard names.contains("..") || names.contains(".") else { return text }
    let start = text.hasPrefix("/") ? "/" : ""
    var kept: [Substring] = []
    for name in names where name != "." {
      if name == "..", let last = kept.last, last != "..",
        let path = named(start + kept.joined(separator: "/")), isLeft(path)
      {
        kept.removeLast()
      } else {
        kept.append(name)
      }
    }
    // Only a folder has an entry "." behind its name.
    let end = text.hasSuffix("/") || text.hasSuffix("/.") ? "/" : ""
    if kept.isEmpty { return start.isEmpty ? "." + end : start }
    return start + kept.joined(separator: "/") + end
  }

  /// True if `..` leads from a path to the folder that its spelling says.
  private static func isLeft(_ path: String) -> Bool {
    linkTarget(of: path) == nil || FileIdentity(path + "/..") == FileIdentity(parent(of: path))
  }

  /// Returns the path from the program's folder, if it is in that.
  static func fromHere(_ path: String) -> String {
    let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    guard path.hasPrefix("/"), let here = currentFolder() else { return path }
    let start = here == "/" ? here : here + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the sorted names in a folder; none if it cannot be read.
  static func names(in folder: String) -> [String] {
    (Platform.names(inFolder: folder) ?? []).sorted()
  }
}
