import Platform

/// The executable under test.
enum Program {
  /// What the environment variable RACLETTE names, else the executable beside the test bundle.
  static let path: String = {
    if let path = getenv("RACLETTE") { return absolute(String(cString: path)) }
    return besideTheBundle("raclette")
  }()

  static let benchmarks = besideTheBundle("Benchmarks")

  /// An executable of the build that the tests are of.
  private static func besideTheBundle(_ name: String) -> String {
    // On macOS the bundle is a folder; the executable lies beside it.
    var folder = absolute(CommandLine.arguments[0])
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      let candidate = "\(folder)/\(name)"
      if access(candidate, X_OK) == 0 { return candidate }
    }
    preconditionFailure("\(name) is not beside the test bundle")
  }

  /// The folder of this package.
  static let package: String = {
    var folder = #filePath
    for _ in 0..<4 { folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]) }
    return folder
  }()

  private static func absolute(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
