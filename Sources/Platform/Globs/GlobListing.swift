/// The files that patterns have found, with what tells cheaply whether they would find the same ones
/// again: the states of the folders in which they were looked for.
public struct GlobListing: Sendable {
  /// The patterns as they were written.
  public let patterns: [String]
  /// The folder where relative patterns begin.
  public let folder: String
  /// The paths of the files, as `Glob.paths` returns them.
  public private(set) var paths: [String]
  private let glob: Glob
  private var folders: [(path: String, stamp: FileStamp?)]
  /// True if a folder had changed so shortly before that a later change may leave its stamp the same.
  private var isDoubtful: Bool

  /// File systems take the time of a change from a clock that advances in steps; some count whole seconds.
  private static let step = 2.0

  /// Searches for the files.
  ///
  /// - Throws: `GlobError`, as `Glob` and its `paths`.
  public init(_ patterns: [String], in folder: String) throws(GlobError) {
    (self.patterns, self.folder) = (patterns, folder)
    glob = try Glob(patterns)
    (paths, folders, isDoubtful) = ([], [], false)
    try search()
  }

  private mutating func search() throws(GlobError) {
    var visited: [(path: String, stamp: FileStamp?)] = []
    var isDoubtful = false
    let limit = WallClock.seconds - Self.step
    let walk = try glob.walk(folder) { path in
      let stamp = FileStamp(path)
      visited.append((path, stamp))
      if let stamp, stamp.changeTime > limit { isDoubtful = true }
    }
    (paths, folders, self.isDoubtful) = (walk.sorted, visited, isDoubtful)
  }

  /// Returns true if a search now finds other files, or cannot be made. Later calls compare with the same
  /// files.
  public mutating func hasChanged() -> Bool {
    guard isDoubtful || folders.contains(where: { FileStamp($0.path) != $0.stamp }) else {
      return false
    }
    let before = paths
    do throws(GlobError) { try search() } catch { return true }
    // Texts that Unicode calls equal are different paths.
    guard !paths.elementsEqual(before, by: { $0.utf8.elementsEqual($1.utf8) }) else { return false }
    // It stays different until somebody takes the new ones.
    (paths, isDoubtful) = (before, true)
    return true
  }

  /// Takes the present files.
  public mutating func refresh() { try? search() }
}
