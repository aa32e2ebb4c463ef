import Platform
import TextFiles

/// The executable under test.
enum Program {
  /// What the environment variable RACLETTE names, else the executable beside the test bundle.
  static let path: String = {
    if let path = getenv("RACLETTE") { return absolutePath(String(cString: path)) }
    return builtProgram("raclette")
  }()

  static let benchmarks = path.prefix(through: path.lastIndex(of: "/")!) + "Benchmarks"

  /// The folder of this package.
  static let package: String = {
    var folder = #filePath
    for _ in 0..<4 { folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]) }
    return folder
  }()
}
