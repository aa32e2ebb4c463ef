import Platform
import Reactive

/// The files in a folder that a watch reports: those that patterns match and git does not ignore.
/// Confined to one thread.
final class WatchRules {
  private let root: String
  private let globs: [Glob]
  private let ignore: GitIgnore
  /// The files that count by their names, even if no pattern matches them or git ignores them.
  private let named: Set<String>

  /// - Parameters:
  ///   - root: the folder. It counts itself even if git ignores it, because a pattern names it.
  ///   - globs: the patterns; a file that one of them matches is reported.
  init(in root: String, _ globs: [Glob], named: Set<String>) {
    self.root = root
    self.globs = globs
    self.named = named
    ignore = GitIgnore(root)
  }

  /// The files of rules above the folder.
  var filesAbove: [String] { ignore.filesAbove }

  /// Returns true if a path is that of a file of rules.
  static func areIn(_ path: String) -> Bool {
    path == ".gitignore" || path.utf8.suffix(11).elementsEqual("/.gitignore".utf8)
  }

  /// Returns true if a file is reported, or if a folder may have such files.
  func admits(_ path: String, isFolder: Bool) -> Bool {
    if path == root { return true }
    guard isFolder else {
      if named.contains(path) { return true }
      return globs.contains { $0.matches(path) } && !isIgnored(path, isFolder: false)
    }
    return globs.contains { $0.canMatch(inFolder: path) } && !isIgnored(path, isFolder: true)
  }

  private func isIgnored(_ path: String, isFolder: Bool) -> Bool {
    let start = root == "." ? "" : root.hasSuffix("/") ? root : root + "/"
    guard path.hasPrefix(start) else { return false }
    return ignore.ignores(String(path.dropFirst(start.count)), isFolder: isFolder)
  }

  /// Forgets the rules of git that were read, because a file of rules has changed.
  func forget() { ignore.forget() }
}

extension ScriptHost {
  /// Returns the changes to files that patterns select, and to some files besides. Files that git
  /// ignores do not count, unless a pattern names them or their folder.
  ///
  /// - Parameters:
  ///   - patterns: lists of patterns, relative to the program's folder. Excludes hold in their own
  ///     list.
  ///   - debounce: the quiet time before changes are reported.
  /// - Throws: `GlobError` for a pattern that cannot be parsed.
  public func changes(
    matching patterns: [[String]], besides files: [String], debounce: Duration
  ) throws(GlobError) -> Signal<FileChange> {
    var globs: [Glob] = []
    var roots: [String] = []
    var named: [String] = []
    for list in patterns {
      globs.append(try Glob(list))
      for pattern in list where !pattern.hasPrefix("!") {
        let glob = try Glob([pattern])
        // Braces may make several patterns of one.
        let plain = glob.plainPaths
        let paths = plain + glob.literalPaths.filter(\.exists)
        roots += paths.filter(FilePath.isFolder)
        named += paths.filter { !FilePath.isFolder($0) }
        if plain.isEmpty { roots += glob.folders }
      }
    }
    let (all, folders, names) = (globs, roots, Set(named))
    // These may be in folders in which only what matches would count.
    let counted = names.union(files.map(FilePath.fromHere))
    return changes(debounce: debounce) { watching in
      for folder in folders {
        try watching.follow(folder, WatchRules(in: folder, all, named: counted))
      }
      for file in names.sorted() + files { try watching.follow(file) }
    }
  }
}
