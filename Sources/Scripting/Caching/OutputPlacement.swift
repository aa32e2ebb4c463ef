import Platform
import Synchronization

/// Puts files and links into folders, each complete from the moment that it has its name. It writes them
/// in a workplace beside the outputs, which goes also if the program is killed; where that is on another
/// file system, in the folder itself. Confined to one thread.
struct OutputPlacement {
  private let store: ResultCache
  private let workplace: RestoringWorkplace
  private let copy = ContentCopy()
  /// The folders, as device and inode, into which nothing can be renamed from the workplace.
  private var distant: Set<[UInt64]> = []

  init(in workplace: RestoringWorkplace, from store: ResultCache) {
    (self.workplace, self.store) = (workplace, store)
  }

  mutating func place(
    link target: [UInt8], at path: CachePath, in folder: Int32
  ) throws(CacheProblem) {
    try put(at: path, in: folder) { (place, name) throws(CacheProblem) in
      let isMade = target.withPath { target in name.withPath { symlinkat(target, place, $0) } == 0 }
      guard isMade else { throw .system(path.text, errno) }
    }
  }

  mutating func place(
    _ blob: CachedResult.Blob, _ mode: UInt32, at path: CachePath, in folder: Int32
  ) throws(CacheProblem) {
    let source = open(store.place(of: blob), O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .incomplete }
    defer { close(source) }
    let (copy, store) = (copy, store)
    try put(at: path, in: folder) { (place, name) throws(CacheProblem) in
      let target = name.withPath {
        openat(place, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
      guard target >= 0 else { throw .system(path.text, errno) }
      defer { close(target) }
      let copied: CachedResult.Blob
      do throws(ContentCopy.ErrorNumber) {
        copied = try copy.copy(from: source, to: target)
      } catch {
        throw error.isOfTarget ? .system(path.text, error.code) : .store(store.folder, error.code)
      }
      guard copied == blob else {
        store.drop(blob)
        throw .damaged
      }
      guard fchmod(target, mode) == 0 else { throw .system(path.text, errno) }
    }
  }

  /// Makes something in the workplace, or in the folder, and renames it.
  private mutating func put(
    at path: CachePath, in folder: Int32,
    _ make: (_ place: Int32, _ name: [UInt8]) throws(CacheProblem) -> Void
  ) throws(CacheProblem) {
    var information = stat()
    guard fstat(folder, &information) == 0 else { throw .system(path.text, errno) }
    let identity = [UInt64(information.st_dev), UInt64(information.st_ino)]
    if !distant.contains(identity) {
      let name = try workplace.freePath().exactBytes
      try make(AT_FDCWD, name)
      let code = Self.rename(AT_FDCWD, name, to: path, in: folder)
      if code == 0 { return }
      unlink(String(exactly: name))
      guard code == EXDEV else { throw Self.problem(code, path) }
      distant.insert(identity)
      Self.removeLeftovers(in: folder)
    }
    let name = Self.unfinishedName
    var code: Int32 = 0
    do throws(CacheProblem) {
      try make(folder, name)
      code = Self.rename(folder, name, to: path, in: folder)
    } catch {
      _ = name.withPath { unlinkat(folder, $0, 0) }
      throw error
    }
    guard code != 0 else { return }
    _ = name.withPath { unlinkat(folder, $0, 0) }
    throw Self.problem(code, path)
  }

  /// - Returns: 0, or the system's error number.
  private static func rename(
    _ place: Int32, _ name: [UInt8], to path: CachePath, in folder: Int32
  ) -> Int32 {
    name.withPath { name in
      path.last.withPath { target in
        if renameat(place, name, folder, target) == 0 { return 0 }
        guard errno == EISDIR else { return errno }
        // An empty folder of an earlier state gives way; another one holds what is not its own.
        guard unlinkat(folder, target, AT_REMOVEDIR) == 0 else { return errno }
        return renameat(place, name, folder, target) == 0 ? 0 : errno
      }
    }
  }

  private static func problem(_ code: Int32, _ path: CachePath) -> CacheProblem {
    code == ENOTEMPTY || code == EISDIR ? .obstructed(path.text) : .system(path.text, code)
  }

  private static var unfinishedName: [UInt8] {
    let number = UInt64.random(in: .min ... .max)
    return Array("\(OutputCapture.unfinished)\(getpid())-\(String(number, radix: 16))".utf8)
  }

  /// Removes what programs that have ended have left in a folder.
  private static func removeLeftovers(in folder: Int32) {
    for name in names(inFolder: "/proc/self/fd/\(folder)") ?? []
    where name.hasPrefix(OutputCapture.unfinished) {
      let number = name.dropFirst(OutputCapture.unfinished.count).prefix { $0 != "-" }
      guard let process = pid_t(number), kill(process, 0) != 0, errno == ESRCH else { continue }
      _ = name.exactBytes.withPath { unlinkat(folder, $0, 0) }
    }
  }
}

/// Where a program writes what it restores below a folder, on any thread.
final class RestoringWorkplace: Sendable {
  private let place: String
  private let made = Mutex<CacheWorkplace?>(nil)

  /// Removes what programs that have ended have left.
  init(root: String?) {
    place = "\(root ?? ".")/.raclette/restoring"
    CacheWorkplace.removeLeftovers(in: place)
  }

  /// A path that nothing has, in a folder that is made for the first one.
  func freePath() throws(CacheProblem) -> String {
    let work = try made.withLock { work throws(CacheProblem) in
      if let work { return work }
      let new = try CacheWorkplace(in: place) { .system(place, $0) }
      work = new
      return new
    }
    return work.freePath
  }
}
