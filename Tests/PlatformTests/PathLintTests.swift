import Platform
import Testing
import TextFiles

/// Swift passes text to C as UTF-8. Where the text is a path, a variable or an argument, the functions of
/// this module have to stand between, which pass the bytes that it stands for.
@Suite struct PathLintTests {
  @Test func pathsVariablesAndArgumentsPassThroughPlatform() throws {
    let package = try #require(#filePath.cut(atLast: "/")).before + "/../.."
    let files = swiftFiles(under: package + "/Sources").filter {
      !$0.contains("/Platform/") && !$0.contains("/Benchmarks/")
    }
    #expect(files.count > 100)
    // A declaration, a method, and a function of the same name that takes no path are none.
    let call = /(?:^|[^.\w`])(fopen|access|lstat|chdir|mkdir|unlink|rename)\(/
    let raw =
      /(Glibc|Darwin)\.(open|fopen|access|stat)\(|opendir\(|realpath\(|getcwd\(|CommandLine\.arguments|String\(cString: (getenv|value)\)/
    for file in files {
      let lines = try TextFile(file).lines
      let imports = lines.contains { $0.hasPrefix("import Platform") }
      for (number, line) in lines.enumerated() {
        let code =
          line.cut(atFirst: "/").map { $0.after.first == "/" ? $0.before : line[...] } ?? line[...]
        var place: String { "\(file):\(number + 1): \(line)" }
        if code.firstMatch(of: call) != nil { #expect(imports, "import Platform for \(place)") }
        if code.firstMatch(of: raw) != nil { Issue.record("\(place)") }
      }
    }
  }
}
