import Digests
import Platform

extension FileRecord {
  /// The files whose content is read if their earlier records do not tell it.
  enum Reading: Sendable {
    case all
    /// Those whose earlier record has a content.
    case known
    case none
  }
}

extension [FileRecord] {
  /// The records of what is at some paths now, in the order of their bytes, without the journal and the
  /// state that this process has open: to read them would release their locks.
  ///
  /// - Parameters:
  ///   - paths: paths in the order of their bytes.
  ///   - known: earlier records in that order.
  ///   - current: records in that order of files whose content this execution has read or written.
  ///   - isCancelled: asked between files.
  init(
    of paths: [String], known: [FileRecord], current: [FileRecord] = [],
    reading: FileRecord.Reading = .all, isCancelled: @Sendable () -> Bool
  ) throws(FileDigestError) {
    let paths = DatabasesInUse.excluded(from: paths)
    let parts = concurrently(over: paths) { Self(of: $0, known, current, isCancelled) }
    self = parts.count == 1 ? parts[0] : Array(parts.joined())
    let records = self
    let unread = records.unread(reading, known)
    guard !unread.isEmpty else { return }
    let bytes = unread.reduce(0) { $0 &+ records[$1].unreadBytes }
    let read = try concurrently(taking: unread, ofBytes: bytes) {
      (index) throws(FileDigestError) in
      if isCancelled() { return records[index] }
      var record = records[index]
      try record.read()
      return record
    }
    for (index, record) in zip(unread, read) { self[index] = record }
  }

  /// The records of what is at some paths, of which this execution has just looked at some.
  ///
  /// - Parameters:
  ///   - paths: paths in the order of their bytes.
  ///   - seen: records in that order. Those of other paths are left out.
  init(
    of paths: [String], seen: [FileRecord], isCancelled: @Sendable () -> Bool
  ) throws(FileDigestError) {
    var rest = seen[...]
    var found: [FileRecord] = []
    var unseen: [String] = []
    for path in paths {
      if let record = rest.record(of: path) { found.append(record) } else { unseen.append(path) }
    }
    self = found
    guard !unseen.isEmpty else { return }
    self += try [FileRecord](of: unseen, known: [], isCancelled: isCancelled)
    sort { $0.path.isBefore($1.path) }
  }

  /// The records of some of the paths.
  private init(
    of paths: ArraySlice<String>, _ known: [FileRecord], _ current: [FileRecord],
    _ isCancelled: () -> Bool
  ) {
    self = []
    reserveCapacity(paths.count)
    guard let first = paths.first else { return }
    var known = known[known.firstIndex(notBefore: first)...]
    var current = current[current.firstIndex(notBefore: first)...]
    for path in paths {
      if isCancelled() { return }
      append(FileRecord(path, known: known.record(of: path), current: current.record(of: path)))
    }
  }

  /// The positions of the files that have still to be read; the others keep a content that is not known.
  private func unread(_ reading: FileRecord.Reading, _ known: [FileRecord]) -> [Int] {
    var rest = known[...]
    return indices.filter { index in
      guard !self[index].isRead else { return false }
      switch reading {
      case .all: return true
      case .known: return rest.record(of: self[index].path)?.isContentKnown == true
      case .none: return false
      }
    }
  }

  /// The first position of a record whose path is not before another; the records are in order.
  private func firstIndex(notBefore path: String) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].path.isBefore(path) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The records under paths that lead to the same files, as far as there are any.
  func named(as paths: [String], in root: String?) -> [FileRecord] {
    if count == paths.count, zip(self, paths).allSatisfy({ $0.path.hasBytes(of: $1) }) {
      return self
    }
    let known = Dictionary(
      compactMap { record in CachePath(record.path, in: root).map { ($0, record) } },
      uniquingKeysWith: { first, _ in first })
    return paths.compactMap { path in
      CachePath(path, in: root).flatMap { known[$0] }?.named(path)
    }
  }

  /// True if the system describes all files alike, and all can be trusted as much.
  func isSame(as other: [FileRecord]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
  }
}

extension ArraySlice<FileRecord> {
  /// The record of a path, after which no earlier path is asked for.
  fileprivate mutating func record(of path: String) -> FileRecord? {
    while let first, first.path.isBefore(path) { removeFirst() }
    guard let first, first.path.hasBytes(of: path) else { return nil }
    return first
  }
}
