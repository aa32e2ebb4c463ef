import Platform

/// What an execution has made, as it is in the folder of the command file.
struct OutputCapture {
  /// One thing that it has made, before its content is stored.
  struct Found: Sendable {
    var path: CachePath
    /// The path as the patterns give it.
    var name: String
    var kind: FileKind
    var mode: UInt32
    var size: Int
  }

  /// The first bytes of the name of a file that is being restored in a folder on another file system.
  static let unfinished = ".raclette-restoring-"

  /// What matches the patterns, in the order of the paths' bytes.
  ///
  /// - Throws: `CacheProblem` for the first that cannot be stored.
  static func outputs(
    _ terms: UpToDateTerms, _ call: CachedCall
  ) throws(CacheProblem) -> [Found] {
    var paths: [String] = []
    for glob in [terms.outputs?.glob, terms.depfiles].compactMap({ $0 }) {
      do { paths += DatabasesInUse.excluded(from: try glob.paths()) } catch {
        throw .unkeepable("\(error)")
      }
    }
    let way = try FolderWay(root: call.root ?? ".")
    var found: [[UInt8]: Found] = [:]
    for path in paths {
      guard let place = CachePath(path, in: call.root) else { throw .outside(path) }
      guard !place.last.starts(with: unfinished.utf8) else { continue }
      found[place.bytes] = try look(at: place, path, way)
    }
    for path in try folders(of: terms, call) where found[path.bytes] == nil {
      found[path.bytes] = try look(at: path, path.text, way)
    }
    return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  private static func look(
    at path: CachePath, _ name: String, _ way: FolderWay
  ) throws(CacheProblem) -> Found {
    let folder = try way.folder(of: path, .refused)
    var information = stat()
    guard path.last.withPath({ fstatat(folder, $0, &information, AT_SYMLINK_NOFOLLOW) }) == 0
    else { throw .system(path.text, errno) }
    if information.kind == .other { throw .special(path.text) }
    return Found(
      path: path, name: name, kind: information.kind,
      mode: UInt32(information.st_mode) & 0o7777, size: Int(information.st_size))
  }

  /// The folders that patterns for whole folders stand for, be they empty.
  static func folders(
    of terms: UpToDateTerms, _ call: CachedCall
  ) throws(CacheProblem) -> [CachePath] {
    guard let outputs = terms.outputs else { return [] }
    var folders: [CachePath] = []
    for pattern in outputs.patterns where !pattern.hasPrefix("!") {
      let start = pattern.hasSuffix("/**") ? String(pattern.dropLast(3)) : pattern
      guard let glob = try? Glob([start]) else { continue }
      for base in glob.namedPaths where isFolder(base) {
        guard let path = CachePath(base, in: call.root) else {
          if base == "." { continue }
          throw .outside(base)
        }
        folders.append(path)
        collect(base, call, outputs.glob, into: &folders)
      }
    }
    return folders
  }

  private static func collect(
    _ folder: String, _ call: CachedCall, _ glob: Glob, into folders: inout [CachePath]
  ) {
    for name in folderNames(inFolder: folder) {
      let path = "\(folder)/\(name)"
      guard glob.canMatch(inFolder: path),
        let place = CachePath(path, in: call.root)
      else { continue }
      folders.append(place)
      collect(path, call, glob, into: &folders)
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0 && information.kind == .folder
  }
}
