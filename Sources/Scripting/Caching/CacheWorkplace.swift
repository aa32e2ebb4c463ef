import Platform

/// A folder in which a program writes what it is about to store or to restore; it goes with all that
/// has got no name. The lock on it tells others that its program lives: what killed programs have left
/// goes when the next one begins.
final class CacheWorkplace: Sendable {
  let folder: String
  private let lock: Int32

  /// - Parameters:
  ///   - place: the folder of all workplaces, which is made if it is missing.
  ///   - problem: the error that a number of the system is.
  init(in place: String, _ problem: (Int32) -> CacheProblem) throws(CacheProblem) {
    Self.removeLeftovers(in: place)
    // Another program may take a folder without a lock for a leftover.
    for _ in 0..<3 {
      let number = UInt64.random(in: .min ... .max)
      let folder = "\(place)/\(getpid())-\(String(number, radix: 16))"
      if mkdir(folder, 0o700) != 0 {
        guard errno == ENOENT, makeFolders(above: folder), mkdir(folder, 0o700) == 0 else {
          throw problem(errno)
        }
      }
      if let lock = Self.lock(folder) {
        (self.folder, self.lock) = (folder, lock)
        return
      }
    }
    throw problem(EAGAIN)
  }

  deinit {
    removeFolder(folder)
    unlockAndClose(lock)
  }

  /// Removes the workplaces of programs that have ended.
  static func removeLeftovers(in place: String) {
    for folder in leftovers(in: place) { removeFolder(folder) }
  }

  /// The workplaces of programs that have ended.
  static func leftovers(in place: String) -> [String] {
    (names(inFolder: place) ?? []).map { "\(place)/\($0)" }.filter { folder in
      guard let lock = lock(folder) else { return false }
      unlockAndClose(lock)
      return true
    }
  }

  /// Locks a folder that nobody else has locked.
  private static func lock(_ folder: String) -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var information = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &information) == 0,
      information.st_nlink > 0
    else {
      unlockAndClose(descriptor)
      return nil
    }
    return descriptor
  }

  /// A path in it that nothing has.
  var freePath: String { "\(folder)/\(String(UInt64.random(in: .min ... .max), radix: 16))" }
}

extension ResultCache {
  /// A folder for what is about to be stored.
  func workplace() throws(CacheProblem) -> CacheWorkplace {
    try CacheWorkplace(in: "\(folder)/tmp") { .store(folder, $0) }
  }
}

/// A file that is being written in the workplace of a store.
struct UnnamedFile: ~Copyable {
  private let store: String
  private let path: String
  let descriptor: Int32

  init(in work: CacheWorkplace, of cache: ResultCache) throws(CacheProblem) {
    store = cache.folder
    path = work.freePath
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o400)
    guard descriptor >= 0 else { throw .store(store, errno) }
  }

  deinit { Platform.close(descriptor) }

  borrowing func write(_ bytes: [UInt8]) throws(CacheProblem) {
    let code = writeAll(bytes, to: descriptor)
    guard code == 0 else { throw .store(store, code) }
  }

  consuming func close() -> WrittenFile { WrittenFile(path: path, store: store) }
}

/// A file that is written, and has no name in the store yet.
struct WrittenFile: Sendable {
  fileprivate let path: String
  fileprivate let store: String

  /// Gives it its name; others may have given the name to the same bytes.
  func name(_ target: String) throws(CacheProblem) {
    if rename(path, target) == 0 { return }
    guard errno == ENOENT, makeFolders(above: target), rename(path, target) == 0 else {
      throw .store(store, errno)
    }
  }
}
