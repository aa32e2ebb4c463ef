import Platform
import Testing
import TextFiles

/// `@unchecked Sendable` and `nonisolated(unsafe)` switch off the compiler's proof that nothing is
/// shared between threads. What belongs to a loop's thread is in a `LoopBound`, which checks it;
/// everything else is immutable, atomic or behind a `Mutex`. Where none of these will do, a comment
/// proves it from the fields.
@Suite struct SendableLintTests {
  /// How often a module does without the proof, at most. A module that is not here needs the proof
  /// everywhere. Lower a number when there are fewer.
  private static let most = [
    "Benchmarks": 3, "Commands": 5, "EventLoop": 1, "LuaRuntime": 3, "Platform": 4,
    "RacletteCLI": 1, "Reactive": 27, "ReactiveTesting": 2, "RunnerCore": 8,
    "RunnerREPL": 11, "Scripting": 7,
  ]

  private static let marks = ["@unchecked Sendable", "nonisolated(unsafe)"]

  @Test func noModuleHasMoreThanIsKnown() throws {
    let sources = TextFile.packageFolder + "/Sources"
    var counts: [String: Int] = [:]
    for module in names(inFolder: sources) ?? [] {
      for file in swiftFiles(under: "\(sources)/\(module)") {
        for line in try TextFile(file).lines where Self.marks.contains(where: line.contains) {
          counts[module, default: 0] += 1
        }
      }
    }
    #expect(counts.values.reduce(0, +) > 10)
    for (module, count) in counts.sorted(by: { $0.key < $1.key }) {
      let most = Self.most[module] ?? 0
      #expect(count <= most, "\(module) has \(count) of \(Self.marks), and \(most) are known")
    }
  }

  @Test func eachIsProvedByAComment() throws {
    for file in swiftFiles(under: TextFile.packageFolder + "/Sources") {
      let lines = try TextFile(file).lines
      for (index, line) in lines.enumerated() where line.contains(Self.marks[0]) {
        #expect(
          lines[index...].prefix(4).contains { $0.contains("// Unchecked") },
          "\(file):\(index + 1) says no reason")
      }
    }
  }
}
