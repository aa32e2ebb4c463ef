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
    "Benchmarks": 5, "Commands": 3, "EventLoop": 2, "LuaRuntime": 3, "Platform": 4,
    "RacletteCLI": 2, "Reactive": 10, "RunnerCore": 15, "RunnerPanel": 22, "RunnerREPL": 11,
    "Scripting": 5,
  ]

  /// A class that may be subclassed has to be unchecked, and so have its subclasses, whatever they
  /// store.
  private static let openClass = "// Unchecked only because"

  private struct Mark {
    let module: String
    let place: String
    let isOfOpenClass: Bool
    /// The lines from the mark on.
    let lines: ArraySlice<String>
  }

  private func marks(_ text: String) throws -> [Mark] {
    let sources = TextFile.packageFolder + "/Sources"
    return try (names(inFolder: sources) ?? []).flatMap { module in
      try swiftFiles(under: "\(sources)/\(module)").flatMap { file -> [Mark] in
        guard try TextFile.has(text, inFile: file) else { return [] }
        let lines = try TextFile(file).lines
        return lines.indices.filter { lines[$0].contains(text) }.map { index in
          Mark(
            module: module, place: "\(file):\(index + 1)",
            isOfOpenClass: lines[index...].prefix(4).contains { $0.contains(Self.openClass) },
            lines: lines[index...])
        }
      }
    }
  }

  @Test func noModuleHasMoreThanIsKnown() throws {
    let marks = try marks("@unchecked Sendable") + marks("nonisolated(unsafe)")
    let counted = Dictionary(grouping: marks.filter { !$0.isOfOpenClass }, by: \.module)
    #expect(marks.count > counted.count)
    for (module, marks) in counted {
      #expect(marks.count <= Self.most[module] ?? 0, "\(module): \(marks.map(\.place))")
    }
  }

  @Test func eachIsProvedByAComment() throws {
    for mark in try marks("@unchecked Sendable") {
      #expect(
        mark.lines.prefix(4).contains { $0.contains("// Unchecked") }, "\(mark.place): no reason")
    }
  }

  @Test func openClassesStoreNothingThatChanges() throws {
    for mark in try marks("@unchecked Sendable") where mark.isOfOpenClass {
      let first = mark.lines.first ?? ""
      let indent = String(first.prefix { $0 == " " })
      let body = mark.lines.dropFirst().prefix { !$0.hasPrefix("\(indent)}") }
      for line in body where line.hasPrefix("\(indent)  ") && !line.hasPrefix("\(indent)   ") {
        let isStored = line.contains(/\bvar \w/) && !line.contains("{")
        #expect(!isStored, "\(mark.place): \(line)")
      }
    }
  }
}
