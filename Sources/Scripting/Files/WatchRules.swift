import Platform
import Reactive

/// The files in a folder that a watch reports: those that the patterns which lead there match, and git
/// does not ignore. Confined to one thread.
final class WatchRules {
  let root: String
  private let globs: [Glob]
  private let ignore: GitIgnore
  /// The files that count by their names, even if no pattern matches them or git ignores them.
  private let named: Set<String>

  /// - Parameters:
  ///   - root: the folder. It counts itself even if git ignores it, because a pattern names it.
  ///   - globs: the patterns that lead there; a file that one of them matches is reported.
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

/// The rules of the folders to which patterns lead, of which one may be in another.
struct RootRules {
  private var byRoot: [String: WatchRules] = [:]

  mutating func add(_ rules: WatchRules) { byRoot[rules.root] = rules }

  /// The rules for a path: those of all roots that it is in. Without any, everything counts.
  subscript(path: String) -> [WatchRules] {
    if byRoot.isEmpty { return [] }
    var found: [WatchRules] = []
    var path = path
    while true {
      if let rules = byRoot[path] { found.append(rules) }
      let parent = FilePath.parent(of: path)
      if parent == path { return found }
      path = parent
    }
  }

  /// Forgets the rules of git that were read, because a file of rules has changed.
  func forget() { for rules in byRoot.values { rules.forget() } }
}

extension [WatchRules] {
  /// Returns true if one of them admits a path.
  func admit(_ path: String, isFolder: Bool) -> Bool {
    contains { $0.admits(path, isFolder: isFolder) }
  }
}

extension ScriptHost {
  /// Returns the changes to files that patterns select, and to some files besides. Files that git
  /// ignores do not count, unless the pattern that selects them names them or a folder above them.
  ///
  /// - Parameters:
  ///   - patterns: lists of patterns, relative to the program's folder. Excludes hold in their own
  ///     list.
  ///   - debounce: the quiet time before changes are reported.
  /// - Throws: `GlobError` for a pattern that cannot be parsed.
  public func changes(
    matching patterns: [[String]], besides files: [String], debounce: Duration
  ) throws(GlobError) -> Signal<FileChange> {
    var places: [WatchedPlaces] = []
    // Many lists leave out the same outputs.
    var parser = GlobParser()
    for list in patterns { places.append(try WatchedPlaces(list, &parser)) }
    let names = Set(places.flatMap(\.files))
    // These may be in folders in which only what matches would count.
    let counted = names.union(files.map(FilePath.fromHere))
    let globs = Dictionary(grouping: places.flatMap(\.folders)) { $0.root }
      .mapValues { $0.map { $0.glob } }
    return changes(debounce: debounce) { watching in
      try watching.follow(
        globs.sorted { $0.key < $1.key }.map { WatchRules(in: $0, $1, named: counted) })
      for file in names.sorted() + files { try watching.follow(file) }
    }
  }
}

/// Where a list of patterns leads.
private struct WatchedPlaces {
  /// The folders, each with the patterns that lead there: a file that another pattern matches counts
  /// only where that one leads, as git may ignore it there.
  private(set) var folders: [(root: String, glob: Glob)] = []
  /// The names without wildcards of what is no folder.
  private(set) var files: [String] = []

  init(_ list: [String], _ parser: inout GlobParser) throws(GlobError) {
    _ = try parser.glob(list)
    var roots: [[String]] = []
    for pattern in list { roots.append(try follow(pattern, &parser)) }
    for root in Set(roots.joined()) {
      let own = list.indices.filter { roots[$0].contains(root) || list[$0].hasPrefix("!") }
      folders.append((FilePath.trimmed(root), try parser.glob(own.map { list[$0] })))
    }
  }

  /// Returns the folders to which a pattern leads, and adds the files that it names.
  private mutating func follow(
    _ pattern: String, _ parser: inout GlobParser
  ) throws(GlobError) -> [String] {
    if pattern.hasPrefix("!") { return [] }
    var roots: [String] = []
    for alternative in try Glob.alternatives(of: pattern) where !alternative.isEmpty {
      let glob = try parser.glob([alternative])
      let plain = glob.plainPaths
      let paths = plain + glob.literalPaths.filter(\.exists)
      roots += paths.filter(FilePath.isFolder)
      files += paths.filter { !FilePath.isFolder($0) }
      if plain.isEmpty { roots += glob.folders }
    }
    return roots
  }
}
