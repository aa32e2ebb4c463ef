#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The paths of `--watch`, which are the user's: taken before the runner goes to the folder of the
/// command file.
struct WatchedPaths {
  private let absolute: [String]

  init(_ line: CommandLine) throws(UsageError) {
    let base = line[.directory].map { "\($0)/" } ?? ""
    var absolute: [String] = []
    for path in line.paths(.watch) {
      guard let real = realpath(path.hasPrefix("/") ? path : base + path, nil) else {
        throw .unwatchable(path)
      }
      absolute.append(String(cString: real))
      free(real)
    }
    self.absolute = absolute
  }

  var isEmpty: Bool { absolute.isEmpty }

  /// The paths as they are reached from the current folder.
  var fromHere: [String] {
    guard let real = realpath(".", nil) else { return absolute }
    defer { free(real) }
    let here = String(cString: real)
    return absolute.map { path in
      if path == here { return "." }
      return path.hasPrefix(here + "/") ? String(path.dropFirst(here.count + 1)) : path
    }
  }
}
