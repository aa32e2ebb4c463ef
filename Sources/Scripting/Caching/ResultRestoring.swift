import Digests
import Platform

/// Puts what an execution had made into a folder, in place of executing it.
struct ResultRestoring: Sendable {
  let cache: ResultCache
  let result: CachedResult
  /// The folder of the command file; nil for the program's.
  let root: String?
  /// What is known of the files that are at its paths.
  let present: [FileRecord]
  /// What the last execution here has made, and is as it left it.
  let own: [FileRecord]
  /// The folders that are there and belong to its outputs.
  let folders: [CachePath]

  /// Writes what differs, and removes what the last execution here has made and this result has not, with
  /// empty folders that it has not.
  ///
  /// - Throws: `CacheProblem`; then a part may have been restored.
  func run(isCancelled: @Sendable () -> Bool) throws(CacheProblem) {
    for blob in result.blobs where !cache.has(blob) { throw .incomplete }
    try removeSurplus()
    try makeFolders()
    let known = Dictionary(
      present.map { ($0.path.inCheckout(root), $0) }, uniquingKeysWith: { first, _ in first })
    _ = try concurrently(over: result.outputs) {
      (outputs: ArraySlice<CachedResult.Output>) throws(CacheProblem) in
      try restore(outputs, known, isCancelled)
    }
    try finish()
  }

  private func restore(
    _ outputs: ArraySlice<CachedResult.Output>, _ known: [String: FileRecord],
    _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) {
    let way = try FolderWay(root: root ?? ".")
    for output in outputs {
      if isCancelled() { throw .cancelled }
      switch output.kind {
      case .folder: break
      case .link(let target): try restore(link: target, at: output.path, way)
      case .file(let mode, let blob):
        try restore(blob, mode, at: output.path, known[output.path.text], way)
      }
    }
  }

  private func removeSurplus() throws(CacheProblem) {
    let files = Set(result.files.map(\.path))
    let way = try FolderWay(root: root ?? ".")
    for record in own {
      guard let path = CachePath(record.path, in: root), !files.contains(path),
        let folder = try? way.folder(of: path, .refused),
        path.last.withPath({ unlinkat(folder, $0, 0) }) == 0
      else { continue }
    }
    // A folder that is not empty stays.
    let wanted = Set(result.outputs.map(\.path)).subtracting(files)
    for path in folders.reversed() where !wanted.contains(path) {
      guard let folder = try? way.folder(of: path, .refused) else { continue }
      _ = path.last.withPath { unlinkat(folder, $0, AT_REMOVEDIR) }
    }
  }

  private func makeFolders() throws(CacheProblem) {
    let way = try FolderWay(root: root ?? ".")
    for output in result.outputs {
      _ = try way.folder(of: output.path, .made)
      if case .folder = output.kind { _ = try way.open(output.path, .made) }
    }
  }

  private func restore(
    link target: [UInt8], at path: CachePath, _ way: FolderWay
  ) throws(CacheProblem) {
    let folder = try way.folder(of: path, .made)
    let isThere = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { space in
      let count = path.last.withPath {
        readlinkat(folder, $0, space.baseAddress.unsafelyUnwrapped, space.count)
      }
      return count >= 0 && space[..<count].map { UInt8(bitPattern: $0) } == target
    }
    if isThere { return }
    let name = Self.unfinishedName
    let isMade = target.withPath { target in name.withPath { symlinkat(target, folder, $0) } == 0 }
    guard isMade else { throw .system(path.text, errno) }
    try rename(name, to: path, in: folder)
  }

  private func restore(
    _ blob: CachedResult.Blob, _ mode: UInt32, at path: CachePath, _ known: FileRecord?,
    _ way: FolderWay
  ) throws(CacheProblem) {
    let folder = try way.folder(of: path, .made)
    var information = stat()
    if let known, known.kind == .file, known.contentDigest == blob.digest,
      path.last.withPath({ fstatat(folder, $0, &information, AT_SYMLINK_NOFOLLOW) }) == 0,
      information.kind == .regular
    {
      let isRight = UInt32(information.st_mode) & 0o7777 == mode
      if isRight || path.last.withPath({ fchmodat(folder, $0, mode, 0) }) == 0 { return }
    }
    let source = open(cache.place(of: blob), O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .incomplete }
    defer { close(source) }
    let name = Self.unfinishedName
    let target = name.withPath {
      openat(folder, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard target >= 0 else { throw .system(path.text, errno) }
    defer { close(target) }
    do throws(CacheProblem) {
      switch ContentCopy.copy(from: source, to: target) {
      case .failure(let error):
        throw error.isOfTarget ? .system(path.text, error.code) : .store(cache.folder, error.code)
      case .success(let copied) where copied != blob:
        cache.drop(blob)
        throw .damaged
      case .success: break
      }
      guard fchmod(target, mode) == 0 else { throw .system(path.text, errno) }
    } catch {
      _ = name.withPath { unlinkat(folder, $0, 0) }
      throw error
    }
    try rename(name, to: path, in: folder)
  }

  private func rename(
    _ name: [UInt8], to path: CachePath, in folder: Int32
  ) throws(CacheProblem) {
    let isDone = name.withPath { name in
      path.last.withPath { target in
        if renameat(folder, name, folder, target) == 0 { return true }
        // An empty folder of an earlier state gives way; another one holds what is not its own.
        return errno == EISDIR && unlinkat(folder, target, AT_REMOVEDIR) == 0
          && renameat(folder, name, folder, target) == 0
      }
    }
    guard !isDone else { return }
    let code = errno
    _ = name.withPath { unlinkat(folder, $0, 0) }
    throw code == ENOTEMPTY || code == EISDIR ? .obstructed(path.text) : .system(path.text, code)
  }

  /// Gives all files one time, so that make and ninja find none older than another, or than the
  /// sources; and the folders their modes, which may forbid to write into them.
  private func finish() throws(CacheProblem) {
    let way = try FolderWay(root: root ?? ".")
    let now = WallClock.now
    let times = [now, now]
    for output in result.outputs.reversed() {
      switch output.kind {
      case .folder(let mode):
        guard fchmod(try way.open(output.path, .refused), mode) == 0 else {
          throw .system(output.path.text, errno)
        }
      case .file, .link:
        let folder = try way.folder(of: output.path, .refused)
        guard
          output.path.last.withPath({ utimensat(folder, $0, times, AT_SYMLINK_NOFOLLOW) }) == 0
        else { throw .system(output.path.text, errno) }
      }
    }
  }

  private static var unfinishedName: [UInt8] {
    let number = UInt64.random(in: .min ... .max)
    return Array("\(OutputCapture.unfinished)\(getpid())-\(String(number, radix: 16))".utf8)
  }
}
