import Platform

/// The folder in which a program writes what it is about to store; it goes with all that has got no
/// name.
final class CacheWorkplace: Sendable {
  let folder: String
  /// The folder of the store, which messages name.
  let store: String

  init(_ cache: ResultCache) throws(CacheProblem) {
    store = cache.folder
    let number = UInt64.random(in: .min ... .max)
    folder = "\(cache.folder)/tmp/\(getpid())-\(String(number, radix: 16))"
    if mkdir(folder, 0o700) == 0 { return }
    guard errno == ENOENT, makeFolders(above: folder), mkdir(folder, 0o700) == 0 else {
      throw .store(store, errno)
    }
  }

  deinit { removeFolder(folder) }
}

/// A file that is being written in a workplace.
struct UnnamedFile: ~Copyable {
  private let store: String
  private let path: String
  let descriptor: Int32

  init(in work: CacheWorkplace) throws(CacheProblem) {
    store = work.store
    path = "\(work.folder)/\(String(UInt64.random(in: .min ... .max), radix: 16))"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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

  /// Waits until it is on the disk. Of many files, all are synced before the first gets its name, so that
  /// the file system has little to do for most.
  func sync() throws(CacheProblem) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .store(store, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0, fchmod(descriptor, 0o400) == 0 else {
      throw .store(store, errno)
    }
  }

  /// Gives it its name, once it is on the disk; others may have given the name to the same bytes.
  func name(_ target: String) throws(CacheProblem) {
    if rename(path, target) == 0 { return }
    guard errno == ENOENT, makeFolders(above: target), rename(path, target) == 0 else {
      throw .store(store, errno)
    }
  }
}
