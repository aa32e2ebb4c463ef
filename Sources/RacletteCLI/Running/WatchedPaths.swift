import Platform

/// The paths of `--watch`, which are the user's: taken before the runner goes to the folder of the
/// command file.
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

  /// The paths as they are reached from the current folder.
  var fromHere: [String] {
    guard let here = resolvedPath(".") else { return absolute }
    return absolute.map { path in
      if path == here { return "." }
      return path.hasPrefix(here + "/") ? String(path.dropFirst(here.count + 1)) : path
    }
  }
}
