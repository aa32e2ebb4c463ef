import Digests
import Platform
import Testing

@testable import Scripting

/// A folder with a source and the outputs that a stand-in for a command makes of it. It asks, restores,
/// executes and stores as `UpToDateWork` does, without a host.
final class Checkout {
  let folder: String
  let cache: ResultCache
  /// What is kept of the last execution here, as in the store of states.
  private var stored: StoredExecution?

  init(_ folder: String, _ cache: ResultCache) {
    (self.folder, self.cache) = (folder, cache)
    mkdir(folder, 0o755)
  }

  enum Answer: Equatable {
    case upToDate, restored, executed
  }

  var source = "" {
    didSet { Self.write(Array(source.utf8), to: "\(folder)/source") }
  }

  var call: CachedCall { CachedCall(identity: [UInt8](repeating: 7, count: 32), root: folder) }

  func terms() throws -> UpToDateTerms {
    UpToDateTerms(
      key: [], call: call, definition: [], sources: [try PlacedPatterns(["\(folder)/source"])],
      outputs: try PlacedPatterns(["\(folder)/out"]),
      folder: folder)
  }

  /// Does what an execution does: nothing, a restoration, or the work.
  func build(_ tree: [String: Tree]) throws -> Answer {
    let terms = try terms()
    let inspection = Inspection(
      terms, KeptAndFound(terms, stored), nil, isCancelled: { false })
    if inspection.changes.isEmpty { return .upToDate }
    stored = nil
    if case .found(let key, let result) = cache.answer(
      terms, call, inspection, isCancelled: { false })
    {
      do {
        let restored = try restore(result, terms, inspection)
        let files = Set(result.files.map(\.path))
        stored = try inspection.conclusion(
          afterRestoring: [], restored, terms, call, isCancelled: { false }
        ).withMade(in: folder) { files.contains($0) }
        cache.touch(key)
        return .restored
      } catch let problem as CacheProblem {
        if problem.isOfEntry { cache.drop(key) }
      }
    }
    removeFolder("\(folder)/out")
    Tree.write(tree, in: folder)
    let gathered = try cache.gather(
      terms, call, known: inspection.outputs, isCancelled: { false })
    let execution = try inspection.conclusion(
      terms, gathering: { gathered.records }, isCancelled: { false })
    try cache.store(
      ResultDraft(
        key: CacheKey(terms, call, execution.sources), call: call, terms: terms,
        execution: execution, said: RecordedValues(), seconds: 1), gathered, isCancelled: { false })
    stored = execution.withMade(in: folder) { _ in true }
    return .executed
  }

  private func restore(
    _ result: CachedResult, _ terms: UpToDateTerms, _ inspection: Inspection
  ) throws -> [FileRecord] {
    try withExtendedLifetime(CacheLock.shared(cache)) {
      let paths = result.files.map { "\(folder)/\($0.path.text)" }
      return try ResultRestoring(
        cache: cache, result: result, root: folder,
        present: [FileRecord](of: paths, known: inspection.outputs, isCancelled: { false }),
        own: inspection.made, folders: OutputCapture.folders(of: terms, call),
        newestSource: inspection.newestSource
      ).run(isCancelled: { false })
    }
  }

  static func write(_ bytes: [UInt8], to path: String) {
    unlink(path)
    guard let file = fopen(path, "we") else { preconditionFailure("cannot write \(path)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

/// What is at a path, apart from times.
enum Tree: Equatable {
  case file([UInt8], mode: UInt32)
  case link(String)
  case folder(mode: UInt32)

  /// Compares the bytes at once: element by element, a debug build spends most of its time on that.
  static func == (one: Tree, other: Tree) -> Bool {
    switch (one, other) {
    case (.file(let bytes, let mode), .file(let others, let otherMode)):
      mode == otherMode && bytes.count == others.count && memcmp(bytes, others, bytes.count) == 0
    case (.link(let target), .link(let other)): target.hasBytes(of: other)
    case (.folder(let mode), .folder(let other)): mode == other
    default: false
    }
  }

  /// What is below a folder, by the paths there.
  static func all(in folder: String, _ prefix: String = "") -> [String: Tree] {
    var found: [String: Tree] = [:]
    for name in names(inFolder: folder) ?? [] {
      let path = "\(folder)/\(name)"
      var information = stat()
      guard lstat(path, &information) == 0 else { continue }
      let mode = UInt32(information.st_mode) & 0o7777
      switch information.kind {
      case .regular: found[prefix + name] = .file(fileContent(path) ?? [], mode: mode)
      case .link: found[prefix + name] = .link(linkTarget(of: path) ?? "")
      case .folder:
        found[prefix + name] = .folder(mode: mode)
        found.merge(all(in: path, "\(prefix)\(name)/")) { first, _ in first }
      case .other: break
      }
    }
    return found
  }

  static func write(_ tree: [String: Tree], in folder: String) {
    for (path, item) in tree.sorted(by: { $0.key.isBefore($1.key) }) {
      let place = "\(folder)/\(path)"
      switch item {
      case .folder(let mode):
        mkdir(place, 0o755)
        _ = place.withCBytes { chmod($0, mode) }
      case .file(let bytes, let mode):
        Checkout.write(bytes, to: place)
        _ = place.withCBytes { chmod($0, mode) }
      case .link(let target):
        unlink(place)
        _ = target.withCBytes { target in place.withCBytes { symlink(target, $0) } }
      }
    }
  }
}
