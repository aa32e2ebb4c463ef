import Digests
import Platform

/// What a store holds, as it was found.
package struct CacheMeasure: Sendable, Equatable {
  /// The number of results.
  package var results = 0
  /// What they take on the disk.
  package var bytes = 0
  /// The entries that are not what was written, which are found when they are looked for.
  package var damaged = 0
  /// The folders of programs that were killed while they stored.
  package var leftovers = 0

  /// Makes an empty one.
  package init() {}
}

extension ResultCache {
  /// What the store holds.
  package func measure() -> CacheMeasure {
    var measure = CacheMeasure()
    let entries = entries()
    measure.results = entries.count { $0.isResult }
    measure.damaged = entries.count { $0.isDamaged }
    measure.leftovers = CacheWorkplace.leftovers(in: "\(folder)/tmp").count
    measure.bytes = ["ac", "cas"].flatMap(files(in:)).reduce(0) { $0 + size(of: $1.path) }
    return measure
  }

  /// Removes what was not used for longest until the rest takes at most some bytes, with all that no
  /// entry names.
  ///
  /// - Parameters:
  ///   - age: the time without use after which a result is removed in any case; nil for none.
  ///   - lock: takes the lock of the store.
  /// - Returns: what was removed and what is left.
  /// - Throws: `CacheProblem.store` without the lock, or if something cannot be removed.
  @discardableResult
  package func remove(
    downTo bytes: Int, unusedFor age: Duration? = nil
  ) throws(CacheProblem) -> (removed: CacheMeasure, left: CacheMeasure) {
    if access(folder, F_OK) != 0, errno == ENOENT { return (CacheMeasure(), CacheMeasure()) }
    return try remove(downTo: bytes, age, once: CacheLock.alone(self))
  }

  /// Keeps to the bound after something was stored.
  func keepToBound() {
    // A program that stores or restores now will do it later.
    guard usage.bytes > bound, let lock = try? CacheLock.aloneNow(self) else { return }
    // A little more, so that not each result that is stored afterwards looks for what to remove.
    _ = try? remove(downTo: bound - bound / 16, nil, once: lock)
  }

  private func remove(
    downTo bytes: Int, _ age: Duration?, once lock: CacheLock
  ) throws(CacheProblem) -> (removed: CacheMeasure, left: CacheMeasure) {
    defer { withExtendedLifetime(lock) {} }
    return try removeAlone(downTo: bytes, age)
  }

  private func removeAlone(
    downTo bound: Int, _ age: Duration?
  ) throws(CacheProblem) -> (removed: CacheMeasure, left: CacheMeasure) {
    let start = age.map { WallClock.seconds - $0.inSeconds }
    CacheWorkplace.removeLeftovers(in: "\(folder)/tmp")
    var removed = CacheMeasure()
    var left = CacheMeasure()
    var isFull = false
    var kept = Set<[UInt8]>()
    for entry in entries().sorted(by: { $0.isUsedLater(than: $1) }) {
      let news = Set(entry.blobs).filter { !kept.contains($0.digest) }
      let bytes = news.reduce(entry.size) { $0 + size(of: place(of: $1)) }
      isFull = isFull || left.bytes > bound - bytes
      let isOld = start.map { Double(entry.used.tv_sec) < $0 } ?? false
      if isFull || isOld || entry.isDamaged {
        try remove(entry.path)
        removed.bytes += entry.size
        if entry.isResult { removed.results += 1 }
      } else {
        kept.formUnion(news.map(\.digest))
        left.bytes += bytes
        if entry.isResult { left.results += 1 }
      }
    }
    for (path, name) in files(in: "cas") {
      if let digest = [UInt8](hexadecimal: Array(name.utf8)), kept.contains(digest) { continue }
      let bytes = size(of: path)
      try remove(path)
      removed.bytes += bytes
    }
    for name in names(inFolder: "\(folder)/last") ?? [] {
      let path = "\(folder)/last/\(name)"
      let key = fileContent(path).map { CacheKey($0) }
      if key.map({ access(place(of: $0), F_OK) != 0 }) ?? true { try remove(path) }
    }
    note { $0.bytes = left.bytes }
    return (removed, left)
  }

  private func remove(_ path: String) throws(CacheProblem) {
    if unlink(path) != 0, errno != ENOENT { throw .store(folder, errno) }
  }

  private struct Entry {
    var path: String
    var blobs: [CachedResult.Blob]
    var isResult: Bool
    var isDamaged: Bool
    var size: Int
    var used: timespec

    func isUsedLater(than other: Entry) -> Bool {
      (used.tv_sec, used.tv_nsec, path) > (other.used.tv_sec, other.used.tv_nsec, other.path)
    }
  }

  private func entries() -> [Entry] {
    files(in: "ac").compactMap { path, _ in
      var information = stat()
      guard lstat(path, &information) == 0, let content = fileContent(path) else { return nil }
      let result = try? CachedResult(content)
      return Entry(
        path: path, blobs: result?.blobs ?? [], isResult: result != nil,
        isDamaged: result == nil && (try? DependencyLists(content)) == nil,
        size: information.sizeOnDisk, used: information.modificationTime)
    }
  }

  private func files(in kind: String) -> [(path: String, name: String)] {
    let above = "\(folder)/\(kind)"
    return (names(inFolder: above) ?? []).flatMap { part in
      (names(inFolder: "\(above)/\(part)") ?? []).map { ("\(above)/\(part)/\($0)", $0) }
    }
  }

  private func size(of path: String) -> Int {
    var information = stat()
    return lstat(path, &information) == 0 ? information.sizeOnDisk : 0
  }
}

extension stat {
  /// What the file takes, where it has holes less than its length.
  var sizeOnDisk: Int { min(Int(st_blocks) * 512, max(Int(st_size), 1)) }
}
