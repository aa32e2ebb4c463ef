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
  /// When the youngest source was modified, in nanoseconds since 1970.
  let newestSource: Int

  /// Writes what differs, and removes what the last execution here has made and this result has not, with
  /// empty folders that it has not.
  ///
  /// - Returns: what is known of the files that are there now, in the order of their paths.
  /// - Throws: `CacheProblem`; then a part may have been restored.
  func run(isCancelled: @Sendable () -> Bool) throws(CacheProblem) -> [FileRecord] {
    let known = Dictionary(
      present.compactMap { record in CachePath(record.path, in: root).map { ($0, record) } },
      uniquingKeysWith: { first, _ in first })
    for case (let path, let blob) in result.contents
    where known[path]?.isContent(of: blob) != true && !cache.has(blob) { throw .incomplete }
    var isChanged = try removeSurplus()
    try makeFolders()
    let workplace = RestoringWorkplace(root: root)
    let parts = try concurrently(takingPartsOf: result.outputs, bytes: \.size) {
      (outputs: ArraySlice<CachedResult.Output>) throws(CacheProblem) in
      try restore(outputs, known, OutputPlacement(in: workplace, from: cache), isCancelled)
    }
    isChanged = isChanged || parts.contains(true)
    return try finish(known, isChanged: isChanged)
  }

  /// - Returns: true if something was not as the result has it.
  private func restore(
    _ outputs: ArraySlice<CachedResult.Output>, _ known: [CachePath: FileRecord],
    _ placement: consuming OutputPlacement, _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> Bool {
    let way = try FolderWay(root: root ?? ".")
    var placement = placement
    var isChanged = false
    for output in outputs {
      if isCancelled() { throw .cancelled }
      let folder = try way.folder(of: output.path, .made)
      switch output.kind {
      case .folder: break
      case .link(let target):
        if Self.hasLink(to: target, at: output.path, in: folder) { continue }
        try placement.place(link: target, at: output.path, in: folder)
        isChanged = true
      case .file(let mode, let blob):
        let present = Self.mode(of: blob, known[output.path], at: output.path, in: folder)
        if present == mode { continue }
        if present == nil {
          try placement.place(blob, mode, at: output.path, in: folder)
        } else {
          try Self.give(mode, to: output.path, in: folder)
        }
        isChanged = true
      }
    }
    return isChanged
  }

  /// The mode of a file that has a content; nil if there is none at the path, or if it has changed since
  /// it was looked at.
  private static func mode(
    of blob: CachedResult.Blob, _ known: FileRecord?, at path: CachePath, in folder: Int32
  ) -> UInt32? {
    guard let known, known.isContent(of: blob) else { return nil }
    var information = stat()
    let isThere = path.last.withPath {
      fstatat(folder, $0, &information, AT_SYMLINK_NOFOLLOW) == 0
    }
    return isThere && information.kind == .regular && known.describes(information)
      ? UInt32(information.st_mode) & 0o7777 : nil
  }

  private static func give(
    _ mode: UInt32, to path: CachePath, in folder: Int32
  ) throws(CacheProblem) {
    guard path.last.withPath({ fchmodat(folder, $0, mode, 0) }) == 0 else {
      throw .system(path.text, errno)
    }
  }

  private static func hasLink(to target: [UInt8], at path: CachePath, in folder: Int32) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { space in
      let count = path.last.withPath {
        readlinkat(folder, $0, space.baseAddress.unsafelyUnwrapped, space.count)
      }
      return count >= 0 && space[..<count].map { UInt8(bitPattern: $0) } == target
    }
  }

  /// - Returns: true if there was something to remove.
  private func removeSurplus() throws(CacheProblem) -> Bool {
    var isChanged = false
    let files = Set(result.files.map(\.path))
    let way = try FolderWay(root: root ?? ".")
    for record in own {
      guard let path = CachePath(record.path, in: root), !files.contains(path),
        let folder = try? way.folder(of: path, .refused),
        path.last.withPath({ unlinkat(folder, $0, 0) }) == 0
      else { continue }
      isChanged = true
    }
    // A folder that is not empty stays.
    let wanted = Set(result.outputs.map(\.path)).subtracting(files)
    for path in folders.reversed() where !wanted.contains(path) {
      guard let folder = try? way.folder(of: path, .refused) else { continue }
      if path.last.withPath({ unlinkat(folder, $0, AT_REMOVEDIR) }) == 0 { isChanged = true }
    }
    return isChanged
  }

  private func makeFolders() throws(CacheProblem) {
    let way = try FolderWay(root: root ?? ".")
    for output in result.outputs {
      _ = try way.folder(of: output.path, .made)
      if case .folder = output.kind { _ = try way.open(output.path, .made) }
    }
  }

  /// Gives all files one time, so that make and ninja find none older than another, or than the sources,
  /// unless they have times as the last execution here left them and are younger than the sources; and
  /// the folders their modes, which may forbid to write into them.
  private func finish(
    _ known: [CachePath: FileRecord], isChanged: Bool
  ) throws(CacheProblem) -> [FileRecord] {
    let way = try FolderWay(root: root ?? ".")
    let isDated =
      isChanged || !result.dependencies.isEmpty
      || present.contains { $0.modificationTime < newestSource }
    let now = WallClock.now
    let time = Int(WallClock.nanoseconds)
    var records: [FileRecord] = []
    for output in result.outputs.reversed() {
      switch output.kind {
      case .folder(let mode):
        guard fchmod(try way.open(output.path, .refused), mode) == 0 else {
          throw .system(output.path.text, errno)
        }
      case .file, .link:
        guard isDated else {
          if let record = known[output.path] { records.append(record) }
          continue
        }
        let folder = try way.folder(of: output.path, .refused)
        let information = try Self.date(output.path, [now, now], in: folder)
        if case .file(_, let blob) = output.kind, information.kind == .regular {
          records.append(
            FileRecord(output.path.text, information, at: time, contentDigest: blob.digest))
        }
      }
    }
    return records.reversed()
  }

  /// - Returns: what the system says of the file afterwards.
  private static func date(
    _ path: CachePath, _ times: [timespec], in folder: Int32
  ) throws(CacheProblem) -> stat {
    var information = stat()
    let isDone = path.last.withPath {
      utimensat(folder, $0, times, AT_SYMLINK_NOFOLLOW) == 0
        && fstatat(folder, $0, &information, AT_SYMLINK_NOFOLLOW) == 0
    }
    guard isDone else { throw .system(path.text, errno) }
    return information
  }
}

extension CachedResult {
  fileprivate var contents: [(CachePath, Blob)] {
    outputs.compactMap { if case .file(_, let blob) = $0.kind { ($0.path, blob) } else { nil } }
  }
}

extension CachedResult.Output {
  fileprivate var size: Int { if case .file(_, let blob) = kind { blob.size } else { 0 } }
}

extension FileRecord {
  fileprivate func isContent(of blob: CachedResult.Blob) -> Bool {
    kind == .file && contentDigest == blob.digest
  }
}
