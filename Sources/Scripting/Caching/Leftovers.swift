import Digests
import Platform

/// The outputs that are there before an execution of a cached command, and that no execution of it is
/// known to have made: files of other commands, or of earlier states. If the execution leaves one as it
/// is, another checkout would not have it, so its result is not stored.
struct Leftovers: Sendable {
  private struct File: Sendable {
    var path: CachePath
    var stamp: FileStamp
  }

  private var files: [File] = []
  private let root: String?

  /// Looks at what is there.
  ///
  /// - Parameter made: the outputs that executions of the command have made, as they left them.
  init(_ terms: UpToDateTerms, _ call: CachedCall, besides made: [FileRecord]) {
    root = call.root
    let known = Set(made.compactMap { CachePath($0.path, in: call.root) })
    // What cannot be read or stored is reported when it is gathered.
    for path in (try? terms.outputs?.glob.paths()) ?? [] {
      guard let place = CachePath(path, in: root), !known.contains(place),
        let found = stamp(of: place)
      else { continue }
      files.append(File(path: place, stamp: found))
    }
  }

  private func stamp(of path: CachePath) -> FileStamp? {
    var information = stat()
    guard lstat(place(of: path), &information) == 0 else { return nil }
    return FileStamp(of: information)
  }

  private func place(of path: CachePath) -> String {
    root.map { "\($0)/\(path.text)" } ?? path.text
  }

  /// The first of them, as far as the latest result of the call does not have it.
  func first(besides cache: ResultCache, _ call: CachedCall) -> CachePath? {
    unknown(files, cache, call).first
  }

  /// Those that are there as they were, and that the latest result of the call does not have.
  func untouched(besides cache: ResultCache, _ call: CachedCall) -> Set<CachePath> {
    Set(unknown(files.filter { stamp(of: $0.path) == $0.stamp }, cache, call))
  }

  private func unknown(
    _ files: [File], _ cache: ResultCache, _ call: CachedCall
  ) -> [CachePath] {
    guard !files.isEmpty else { return [] }
    let latest = cache.last(of: call).flatMap { try? cache.result($0) }
    let made = Dictionary(
      (latest?.outputs ?? []).map { ($0.path, $0.kind) }, uniquingKeysWith: { first, _ in first })
    return files.map(\.path).filter { path in !isAs(made[path], path) }
  }

  /// True if a file or link is what a result has.
  private func isAs(_ kind: CachedResult.Kind?, _ path: CachePath) -> Bool {
    switch kind {
    case .file(_, let blob)?: (try? SHA256.digest(ofFile: place(of: path))) == blob.digest
    case .link(let target)?: linkTarget(of: place(of: path))?.exactBytes == target
    case .folder?, nil: false
    }
  }
}
