/// The files that patterns have found, with what tells cheaply whether they would find the same ones
/// again: the states of the folders in which they were looked for.
public struct GlobListing: Sendable {
  /// The patterns as they were written.
  public let patterns: [String]
  /// The folder where relative patterns begin.
  public let folder: String
  /// The paths of the files, as `Glob.paths` returns them, or why the search failed.
  public private(set) var result: Result<[String], GlobError>
  private let glob: Glob
  private var folders: [(path: String, stamp: FileStamp?)]
  /// True if a folder had changed so shortly before that a later change may leave its stamp the same.
  private var isDoubtful: Bool

  /// File systems take the time of a change from a clock that advances in steps; some count whole seconds.
  private static let step = 2.0

  /// Searches for the files.
  ///
  /// - Throws: `GlobError` for a pattern that cannot be parsed.
  public init(_ patterns: [String], in folder: String) throws(GlobError) {
    (self.patterns, self.folder) = (patterns, folder)
    glob = try Glob(patterns)
    (result, folders, isDoubtful) = (.success([]), [], false)
    search()
  }

  private mutating func search() {
    var visited: [(path: String, stamp: FileStamp?)] = []
    var isDoubtful = false
    let limit = WallClock.seconds - Self.step
    let found = Result { () throws(GlobError) in
      try glob.walk(folder) { path in
        let stamp = FileStamp(path)
        visited.append((path, stamp))
        if let stamp, stamp.changeTime > limit { isDoubtful = true }
      }.sorted
    }
    (result, folders, self.isDoubtful) = (found, visited, isDoubtful)
  }

  /// Returns true if a search now finds other files, fails, or fails no longer. Later calls compare with
  /// the same result.
  public mutating func hasChanged() -> Bool {
    guard isDoubtful || folders.contains(where: { FileStamp($0.path) != $0.stamp }) else {
      return false
    }
    let before = result
    search()
    if Self.areSame(result, before) { return false }
    // It stays different until somebody takes the new one.
    (result, isDoubtful) = (before, true)
    return true
  }

  private static func areSame(
    _ one: Result<[String], GlobError>, _ other: Result<[String], GlobError>
  ) -> Bool {
    switch (one, other) {
    // Texts that Unicode calls equal are different paths.
    case (.success(let one), .success(let other)):
      one.elementsEqual(other) { $0.utf8.elementsEqual($1.utf8) }
    case (.failure(let one), .failure(let other)): one == other
    default: false
    }
  }

  /// Takes the present files.
  public mutating func refresh() { search() }
}
