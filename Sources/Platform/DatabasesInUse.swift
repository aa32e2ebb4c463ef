import Synchronization

/// The databases that this process has open, by their paths without symbolic links.
///
/// When a process closes any descriptor of a file, the system releases all of its locks on that file,
/// those of SQLite too: another program may then take the latest commits away. So nothing else in the
/// process may open such a file, or one of those that SQLite keeps beside it.
public enum DatabasesInUse {
  private static let users = Mutex<[String: Int]>([:])

  /// Notes that a connection has opened a database.
  public static func add(_ path: String) { users.withLock { $0[path, default: 0] += 1 } }

  /// Notes that a connection has closed a database.
  public static func remove(_ path: String) {
    users.withLock { users in
      let left = (users[path] ?? 1) - 1
      users[path] = left > 0 ? left : nil
    }
  }

  /// Returns paths without those of databases in use and of the files beside them.
  public static func excluded(from paths: [String]) -> [String] {
    let databases = users.withLock { Array($0.keys) }
    let files = databases.flatMap { path in suffixes.map { path + $0 } }
    let names = files.map {
      Array($0.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed())
    }
    guard !names.isEmpty else { return paths }
    return paths.filter { path in
      guard names.contains(where: { path.endsInName($0) }) else { return true }
      // The files beside a database come and go.
      let (folder, name) = path.folderAndName
      guard let folder = resolvedPath(folder) else { return true }
      return !files.contains(folder == "/" ? "/\(name)" : "\(folder)/\(name)")
        && resolvedPath(path).map { !files.contains($0) } != false
    }
  }

  private static let suffixes = ["", "-wal", "-shm", "-journal"]
}

extension StringProtocol {
  /// True if the last component of a path is a name.
  fileprivate func endsInName(_ name: [UInt8]) -> Bool {
    let own = utf8
    guard own.count >= name.count, own.suffix(name.count).elementsEqual(name) else { return false }
    return own.count == name.count || own.dropLast(name.count).last == UInt8(ascii: "/")
  }
}

extension String {
  fileprivate var folderAndName: (folder: String, name: String) {
    guard let slash = lastIndex(of: "/") else { return (".", self) }
    return (
      slash == startIndex ? "/" : String(self[..<slash]), String(self[index(after: slash)...])
    )
  }
}
