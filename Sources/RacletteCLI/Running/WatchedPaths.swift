import Platform

/// The paths of `--watch`, relative to the user's folder: resolved before the runner changes to the
/// folder of the command file.
struct WatchedPaths {
  private let absolute: [String]

  init(_ line: CommandLine) throws(UsageError) {
    let base = line[.directory].map { "\($0)/" } ?? ""
    var absolute: [String] = []
    for path in line.paths(.watch) {
      guard let real = resolvedPath(path.hasPrefix("/") ? path : base + path) else {
        throw .unwatchable(path)
      }
      absolute.append(real)
    }
    self.absolute = absolute
  }

  var isEmpty: Bool { absolute.isEmpty }

  /// The paths relative to the current folder.
  var fromHere: [String] {
    guard let here = resolvedPath(".") else { return absolute }
    return absolute.map { path in
      if path == here { return "." }
      return path.hasPrefix(here + "/") ? String(path.dropFirst(here.count + 1)) : path
    }
  }
}
