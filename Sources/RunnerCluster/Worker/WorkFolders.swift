import Platform

/// The folders in which the executors of a worker work: each has a copy of its batch's bundle of its
/// own, which it may change.
struct WorkFolders {
  private let folder: String
  /// Tells other workers that the folder is in use, for as long as this process lives.
  private let lock: Int32

  /// Makes the folder of a worker, and removes those of workers that were killed.
  ///
  /// - Parameter home: the user's cache of this program.
  init(in home: String) {
    let all = "\(home)/work"
    var (folder, lock) = ("", Int32(-1))
    for _ in 0..<10 {
      folder = "\(all)/\(UniqueID.text())"
      guard makeFolders(above: folder + "/") else { break }
      lock = Self.lock(folder)
      // Another worker that looks for folders without an owner may have been faster.
      if lock >= 0, access(folder, F_OK) == 0 { break }
    }
    (self.folder, self.lock) = (folder, lock)
    for name in names(inFolder: all) ?? [] where folder != "\(all)/\(name)" {
      let other = Self.lock("\(all)/\(name)")
      guard other >= 0 else { continue }
      removeFolder("\(all)/\(name)")
      unlockAndClose(other)
    }
  }

  /// Copies a bundle for an executor.
  func copy(of bundle: String) throws(BundleCacheError) -> String {
    let target = "\(folder)/\(UniqueID.text())"
    let (code, path) = copyFolder(bundle, to: target)
    guard code == 0 else {
      removeFolder(target)
      throw .system(path, code: code)
    }
    return target
  }

  /// Removes all of them.
  func remove() { removeFolder(folder) }

  /// Locks a worker's folder. Returns a descriptor, or -1 if it belongs to one that lives, or has just
  /// been made.
  private static func lock(_ folder: String) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return -1
  }
}
