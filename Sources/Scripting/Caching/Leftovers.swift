import Digests
import Platform

/// The outputs that are there before an execution of a cached command and that another checkout would not
/// have, so that its result is not stored if the execution leaves one as it is: files that no execution of
/// it is known to have made, and those of earlier executions if what they were made of is gone.
struct Leftovers: Sendable {
  private struct File: Sendable {
    var path: CachePath
    var stamp: FileStamp
    var origin: Origin
  }

  private enum Origin {
    /// An earlier execution of the command.
    case own
    /// Something else.
    case foreign
    /// Nothing is recorded of it; the latest result in the cache may have it.
    case unknown
  }

  private var files: [File] = []
  private let root: String?
  private let terms: UpToDateTerms
  private let inspection: Inspection
  /// Why outputs of earlier executions may no longer be those of this one.
  private let change: UpToDateChange?

  /// Looks at what is there, besides what this execution may leave as it is.
  init(_ terms: UpToDateTerms, _ call: CachedCall, _ inspection: Inspection) {
    root = call.root
    (self.terms, self.inspection) = (terms, inspection)
    change = inspection.changes.first(where: \.makesOutputsStale)
    let own = Set(inspection.made.compactMap { CachePath($0.path, in: call.root) })
    let foreign = Set(inspection.foreign.compactMap { CachePath($0.path, in: call.root) })
    // What cannot be read or stored is reported when it is gathered.
    for path in (try? terms.outputs?.glob.paths()) ?? [] {
      guard let place = CachePath(path, in: root) else { continue }
      let origin: Origin =
        own.contains(place) ? .own : foreign.contains(place) ? .foreign : .unknown
      if origin == .own, change == nil { continue }
      guard let found = stamp(of: place) else { continue }
      files.append(File(path: place, stamp: found, origin: origin))
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

  /// The first that no execution is known to have made.
  func first(besides cache: ResultCache, _ call: CachedCall) -> CachePath? {
    unmade(files.filter { $0.origin != .own }, cache, call).first?.path
  }

  /// Those that are there as they were.
  func untouched(besides cache: ResultCache, _ call: CachedCall) -> Untouched {
    let left = unmade(files.filter { stamp(of: $0.path) == $0.stamp }, cache, call)
    let first = left.min { $0.path.text.isBefore($1.path.text) }
    return Untouched(
      paths: Set(left.map(\.path)),
      problem: first.map { file in
        if file.origin == .own, let change { return .stale(file.path.text, "\(change)") }
        return .leftover(file.path.text)
      })
  }

  /// Leftovers that an execution has not touched.
  struct Untouched: Sendable {
    var paths: Set<CachePath> = []
    /// Why the result is not stored; nil if it may be.
    var problem: CacheProblem?
  }

  /// Those that the latest result of the call has not made, unless its outputs may be stale.
  private func unmade(_ files: [File], _ cache: ResultCache, _ call: CachedCall) -> [File] {
    guard files.contains(where: { $0.origin == .unknown }),
      let latest = cache.last(of: call).flatMap({ try? cache.result($0) }),
      let about = try? StoredExecution(cache.content(of: latest.about)),
      !inspection.differences(terms, about).contains(where: \.makesOutputsStale)
    else { return files }
    let made = Dictionary(
      latest.outputs.map { ($0.path, $0.kind) }, uniquingKeysWith: { first, _ in first })
    return files.filter { $0.origin != .unknown || !isAs(made[$0.path], $0.path) }
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
