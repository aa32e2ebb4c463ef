/// A list of patterns that select files, as in `{"src/**/*.c", "!src/gen/**"}`.
///
/// - `*` matches any characters of a name, `?` one character, `[a-z]` one of some, `[!a-z]` one of
///   all others, `[[:alpha:]]` one of a class of ASCII; none of them matches a slash. A character is
///   one of UTF-8, or else a byte.
/// - `**` as a whole part matches any number of folders, also none; at the end it matches all files
///   below. It does not go through symbolic links to folders, so that loops do no harm.
/// - `{a,b}` stands for several patterns, of which an empty one stands for nothing. A backslash makes the next character an ordinary one.
/// - `!` at the beginning leaves out what the rest matches, and all that is in a folder that it
///   matches. The last pattern that matches a path decides, as in `.gitignore`.
/// - A pattern without wildcards, or with a slash at its end, that names a folder stands for all
///   files in it.
/// - A name with a leading dot is matched only by a part that begins with a dot, as in shells;
///   patterns with `!` match it always.
///
/// Files are selected, never folders. A symbolic link is a file here, unless a pattern leads through
/// it by name. Paths are compared byte by byte. From any thread.
public struct Glob: Sendable {
  private(set) var patterns: [GlobPattern]
  /// The first names of all paths that match; nil if a pattern has a wildcard there.
  private let firstNames: [[UInt8]]?

  /// Parses the patterns.
  ///
  /// - Throws: `GlobError` for the first that cannot be parsed.
  public init(_ patterns: [String]) throws(GlobError) {
    var parsed: [GlobPattern] = []
    for pattern in patterns { parsed += try GlobPattern.parse(pattern) }
    guard parsed.isEmpty || parsed.contains(where: { !$0.isExclude }) else { throw .onlyExcludes }
    self.patterns = parsed
    firstNames = Self.firstNames(of: parsed)
  }

  /// True for what a folder does not stand for: git and Raclette write there at any time.
  static func isLeftOut(_ name: UnsafeRawBufferPointer) -> Bool {
    name.elementsEqual(".git".utf8) || name.starts(with: ".raclette".utf8)
  }

  /// The same patterns, of which those that take the contents of a folder whole, as `dist` and `dist/**`
  /// do, take files and folders with a leading dot, too.
  public var withHiddenContents: Glob {
    var glob = self
    for index in glob.patterns.indices {
      if let contents = glob.patterns[index].contents { glob.patterns[index].hiddenFrom = contents }
    }
    return glob
  }

  private static func firstNames(of patterns: [GlobPattern]) -> [[UInt8]]? {
    var names: [[UInt8]] = []
    for pattern in patterns where !pattern.isExclude {
      guard case .name(let name)? = pattern.segments.first else { return nil }
      names.append(name)
    }
    return names
  }

  /// Returns false if no path that begins with the same name matches: most are told apart by it.
  private func canMatch(firstNameOf path: String) -> Bool {
    guard let firstNames else { return true }
    return path.withExactBytes { bytes in
      let parts = bytes.split(separator: UInt8(ascii: "/"), maxSplits: 1)
      guard let first = parts.first, !first.elementsEqual(".".utf8) else { return true }
      return firstNames.contains { $0.elementsEqual(first) }
    }
  }

  /// Returns true if a path matches; `a/../b` and `b` are different paths. The path need not exist:
  /// all but its last part count as folders, and its last part as a file.
  public func matches(_ path: String) -> Bool {
    guard canMatch(firstNameOf: path) else { return false }
    return walk(path) { states, names in
      guard let last = names.last else { return false }
      return last.withUnsafeBytes { states.matches($0, .file) }
    }
  }

  /// Returns true if a file somewhere in a folder could match, as far as the patterns tell. A watch
  /// may leave out all other folders.
  public func canMatch(inFolder path: String) -> Bool {
    walk(path) { states, names in
      guard let last = names.last else { return !states.isDead }
      return last.withUnsafeBytes { !states.entering($0, .folder).isDead }
    }
  }

  /// The folders in which all matches are: those that the patterns name before their first
  /// wildcard; `.` for the folder where the patterns begin.
  public var folders: [String] {
    var folders: [String] = []
    for pattern in patterns where !pattern.isExclude {
      let folder = pattern.fixedFolder
      if !folders.contains(where: { $0.utf8.elementsEqual(folder.utf8) }) { folders.append(folder) }
    }
    return folders
  }

  /// The paths that patterns without wildcards name.
  public var plainPaths: [String] {
    patterns.filter { !$0.isExclude && $0.isPlain }.map(\.plainPath)
  }

  /// Passes the states before the last name of a path to `body`; returns false if no pattern can
  /// match there.
  private func walk(_ path: String, _ body: (GlobStates, [[UInt8]]) -> Bool) -> Bool {
    let bytes = path.exactBytes
    let names = bytes.split(separator: UInt8(ascii: "/"))
      .filter { !$0.elementsEqual(".".utf8) }.map(Array.init)
    var states = GlobStates(patterns, isAbsolute: bytes.first == UInt8(ascii: "/"))
    for name in names.dropLast() {
      states = name.withUnsafeBytes { states.entering($0, .folder) }
      if states.isDead { return false }
    }
    return body(states, names)
  }
}
