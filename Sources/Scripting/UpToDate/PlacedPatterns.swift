import Platform

/// Patterns of a definition, relative to the program's folder.
struct PlacedPatterns: Sendable {
  let patterns: [String]
  let glob: Glob

  init(_ patterns: [String]) throws(GlobError) {
    self.patterns = patterns
    glob = try Glob(patterns).withHiddenContents
  }

  /// The paths without wildcards that lead to nothing, except for those that may be missing.
  var missingPaths: [String] { glob.requiredPaths.filter { !$0.exists } }

  /// Returns each name of a source that leads to nothing, and each pattern that matches none of the
  /// files, as the end of a sentence about the command.
  ///
  /// - Parameters:
  ///   - files: the sources that there are.
  ///   - outputs: the outputs of the same command, which are no sources.
  func problems(with files: some Sequence<String>, besides outputs: PlacedPatterns?) -> [String] {
    patterns.filter { !$0.hasPrefix("!") }.compactMap { pattern in
      guard let glob = try? Glob([pattern]).withHiddenContents, !glob.isOptional else { return nil }
      if let path = glob.plainPaths.first(where: { !$0.exists }) {
        return "names the source '\(path)', which does not exist"
      }
      if files.contains(where: glob.matches) || glob.literalPaths.contains(where: \.exists) {
        return nil
      }
      if let outputs, let paths = try? glob.paths(), paths.contains(where: outputs.glob.matches) {
        return
          "names the sources '\(pattern)', which are its outputs, too: an output is not a source"
      }
      return "names the sources '\(pattern)', which match no file"
    }
  }
}

extension PlacedPatterns {
  /// Returns what an execution has not made, as a sentence about the command; nil if each name of an
  /// output leads to something and each pattern matches a file.
  ///
  /// - Parameter files: the files that match.
  func lack(in files: [String]) -> String? {
    if let path = missingPaths.first { return "it has not made its output '\(path)'" }
    for pattern in patterns where !pattern.hasPrefix("!") {
      guard let glob = try? Glob([pattern]).withHiddenContents, glob.plainPaths.isEmpty,
        !glob.isOptional, !files.contains(where: glob.matches),
        !glob.literalPaths.contains(where: \.exists)
      else { continue }
      return "it has not made its outputs '\(pattern)', which match no file (a pattern matches "
        + "files only: '\(pattern)/**' those of folders)"
    }
    return nil
  }
}

/// The patterns of several definitions. What one of them leaves out, another may name.
extension [PlacedPatterns] {
  /// True if a pattern of one of them matches the path.
  func matches(_ path: String) -> Bool { contains { $0.glob.matches(path) } }

  /// The paths of the files that match, each once, in the order of their bytes.
  func paths() throws(GlobError) -> [String] {
    if count == 1 { return try self[0].glob.paths() }
    var paths: [String] = []
    for patterns in self { paths += try patterns.glob.paths() }
    paths.sort { $0.isBefore($1) }
    return paths.indices.filter { $0 == 0 || !paths[$0].hasBytes(of: paths[$0 - 1]) }
      .map { paths[$0] }
  }
}

extension String {
  /// True if there is something at the path, be it a link that leads to nothing.
  package var exists: Bool {
    var information = stat()
    return lstat(self, &information) == 0
  }
}
