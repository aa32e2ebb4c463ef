#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file that defines the commands.
enum CommandFile {
  static let name = "commands.lua"

  /// The nearest command file from the current folder upwards.
  static func nearest() -> String? {
    guard var directory = currentDirectory() else { return nil }
    while true {
      let path = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
      if access(path, F_OK) == 0 { return path }
      guard directory != "/", let slash = directory.lastIndex(of: "/") else { return nil }
      directory = slash == directory.startIndex ? "/" : String(directory[..<slash])
    }
  }

  /// The folder of a path, and its last part.
  static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return (directory, String(path[path.index(after: slash)...]))
  }

  static func currentDirectory() -> String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  static func enter(_ directory: String) throws(UsageError) {
    guard chdir(directory) == 0 else {
      throw .directory(directory, reason: String(cString: strerror(errno)))
    }
  }
}
