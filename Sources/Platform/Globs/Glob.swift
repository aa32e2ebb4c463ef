/// A list of patterns that select files, as in `{"src/**/*.c", "!src/gen/**"}`.
///
/// - `*` matches any characters of a name, `?` one character, `[a-z]` one of some, `[!a-z]` one of
///   all others, `[[:alpha:]]` one of a class of ASCII; none of them matches a slash. A character is
///   one of UTF-8, or else a byte.
/// - `**` as a whole part matches any number of folders, also none; at the end it matches all files
///   below. It does not go through symbolic links to folders, so that loops do no harm.
/// - `{a,b}` stands for several patterns, of which an empty one stands for nothing: `{a,}` is a file
///   that may be missing. A backslash makes the next character an ordinary one.
/// - `!` at the beginning leaves out what the rest matches, and all that is in a folder that it
///   matches. The last pattern that matches a path decides, as in `.gitignore`.
/// - A pattern with brackets also matches the path that is written like it, as `[id].c` does the file
///   `[id].c` beside `i.c` and `d.c`: some tools give their files such names. Braces without a comma
///   are ordinary characters, as in shells.
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
    try self.init(parsed: parsed)
  }

  init(parsed: [GlobPattern]) throws(GlobError) {
    guard parsed.isEmpty || parsed.contains(where: { !$0.isExclude }) else { throw .onlyExcludes }
    patterns = parsed
    firstNames = Self.firstNames(of: parsed)
  }

  /// True for what a folder does not stand for: git, Raclette and Python write there at any time.
  static func isLeftOut(_ name: UnsafeRawBufferPointer) -> Bool {
    switch name.first {
    case UInt8(ascii: "."):
      name.elementsEqual(".git".utf8) || name.starts(with: ".raclette".utf8)
    case UInt8(ascii: "_"): name.elementsEqual("__pycache__".utf8)
    default: false
    }
  }

  /// The same patterns, of which those that take the contents of a folder whole, as `dist` and `dist/**`
  /// do, take files and folders with a leading dot, too, and leave out what tools write there at any time.
  public var withHiddenContents: Glob {
    var glob = self
    for index in glob.patterns.indices {
      if let contents = glob.patterns[index].contents { glob.patterns[index].hiddenFrom = contents }
    }
    return glob
  }

  /// The patterns that one with braces stands for: `{a,b}/c` for `a/c` and `b/c`. An empty alternative
  /// is among them.
  public static func alternatives(of pattern: String) throws(GlobError) -> [String] {
    var braces = GlobBraces(pattern)
    return try braces.expand(pattern.exactBytes[...]).map { String(exactly: $0) }
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
      let first = bytes.firstName
      return first.isEmpty || first.elementsEqual(".".utf8)
        || firstNames.contains { first.elementsEqual($0) }
    }
  }

  /// Returns true if a path matches; `a/../b` and `b` are different paths. The path need not exist:
  /// all but its last part count as folders, and its last part as a file.
  public func matches(_ path: String) -> Bool {
    guard canMatch(firstNameOf: path) else { return false }
    return walk(path) { states, last in !last.isEmpty && states.matches(last, .file) }
  }

  /// Returns true if a file somewhere in a folder could match, as far as the patterns tell. A watch
  /// may leave out all other folders.
  public func canMatch(inFolder path: String) -> Bool {
    walk(path) { states, last in
      !(last.isEmpty ? states : states.entering(last, .folder)).isDead
    }
  }

  /// The folders in which all matches are: those that the patterns name before their first
  /// wildcard; `.` for the folder where the patterns begin.
  public var folders: [String] {
    var folders: [String] = []
    for pattern in patterns where !pattern.isExclude && !pattern.isLiteral {
      let folder = pattern.fixedFolder
      if !folders.contains(where: { $0.utf8.elementsEqual(folder.utf8) }) { folders.append(folder) }
    }
    return folders
  }

  /// The paths that patterns without wildcards name.
  public var plainPaths: [String] {
    patterns.filter { !$0.isExclude && $0.isPlain && !$0.isLiteral }.map(\.plainPath)
  }

  /// The paths that are written like patterns with brackets.
  public var literalPaths: [String] {
    patterns.filter { !$0.isExclude && $0.isPlain && $0.isLiteral }.map(\.plainPath)
  }

  /// The paths that patterns name, with or without brackets.
  public var namedPaths: [String] { plainPaths + literalPaths }

  /// The paths that patterns without wildcards name, without those that may be missing: `{a,}`.
  public var requiredPaths: [String] {
    patterns.filter { !$0.isExclude && $0.isPlain && !$0.isLiteral && !$0.isOptional }
      .map(\.plainPath)
  }

  /// True if all of its patterns may match nothing: `{a,}`.
  public var isOptional: Bool { patterns.allSatisfy { $0.isExclude || $0.isOptional } }

  /// Returns true if a search for what matches reads the names in a folder, so that a new file there
  /// may match.
  public func lists(_ folder: String) -> Bool {
    walk(folder) { states, last in
      let inner = last.isEmpty ? states : states.entering(last, .folder)
      return !inner.isDead && inner.onlyNames == nil
    }
  }

  /// Passes the states before the last name of a path, and that name, which is empty if the path has
  /// none, to `body`; returns false if no pattern can match there.
  private func walk(_ path: String, _ body: (GlobStates, UnsafeRawBufferPointer) -> Bool) -> Bool {
    path.withExactBytes { bytes in
      var states = GlobStates(patterns, isAbsolute: bytes.first == UInt8(ascii: "/"))
      var last = UnsafeRawBufferPointer(start: nil, count: 0)
      var rest = bytes
      while true {
        let name = rest.firstName
        guard !name.isEmpty else { return body(states, last) }
        rest = UnsafeRawBufferPointer(rebasing: rest[rest.end(of: name)...])
        if name.elementsEqual(".".utf8) { continue }
        if !last.isEmpty {
          states = states.entering(last, .folder)
          if states.isDead { return false }
        }
        last = name
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The first name of a path; empty if there is none.
  fileprivate var firstName: UnsafeRawBufferPointer {
    guard let start = firstIndex(where: { $0 != UInt8(ascii: "/") }) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let rest = self[start...]
    return UnsafeRawBufferPointer(
      rebasing: self[start..<(rest.firstIndex(of: UInt8(ascii: "/")) ?? count)])
  }

  /// The index behind a part of this memory.
  fileprivate func end(of part: UnsafeRawBufferPointer) -> Int {
    part.baseAddress! - baseAddress! + part.count
  }
}
