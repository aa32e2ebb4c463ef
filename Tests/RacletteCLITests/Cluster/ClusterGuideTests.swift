import Testing
import TextFiles

/// The pages of the guide about journals on a server.
@Suite(
  "the guide beyond one machine", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct ClusterGuideTests {
  private static let catalog = "Sources/RacletteCLI/RacletteCLI.docc"

  @Test("does what it shows")
  func samples() async throws {
    let folder = Folder()
    let journal = TestServer.shared.database()
    for block in try GuidePage("\(Self.catalog)/BeyondOneMachine").blocks {
      if case .file(let path) = block.kind { folder.write(block.text, to: path) }
      guard case .console = block.kind else { continue }
      for start in block.lines.indices where block.lines[start].hasPrefix("$ ") {
        let answer = Array(block.lines[(start + 1)...].prefix { !$0.hasPrefix("$ ") })
        let run = await shell(
          "export RACLETTE_JOURNAL='\(journal)' XDG_CACHE_HOME=$PWD/cache\n"
            + "{ \(block.lines[start].dropFirst(2))\n} 2>&1", in: folder)
        #expect(
          run.lines.filter { !GuidePage.isProgress($0) }.map(timeless) == answer.map(timeless),
          "BeyondOneMachine.md:\(block.line + start + 1)")
      }
    }
  }

  /// A line without its times.
  private func timeless(_ line: String) -> String {
    line.replacingDurations(with: "…").replacing(#/ +/#, with: " ")
  }

  @Test("names options that there are", arguments: ["BeyondOneMachine", "PlacingWorkers"])
  func options(page: String) async throws {
    let text = try TextFile(GuidePage.path("\(Self.catalog)/\(page)")).lines.joined(separator: "\n")
    var checked = 0
    let calls = #/raclette(?:, | ):?(worker|batch|jobs|attach|prune|cancel)\b([^`\n]*)/#
    for match in text.matches(of: calls) {
      let help = await raclette("help", String(match.1))
      for option in match.2.matches(of: #/--[a-z-]+/#) {
        #expect(help.output.contains(option.0), "\(match.0)")
        checked += 1
      }
    }
    #expect(checked > 2)
  }

  @Test("names tests that there are", arguments: ["BeyondOneMachine", "PoolersAndFailover"])
  func promises(page: String) throws {
    let text = try TextFile(GuidePage.path("\(Self.catalog)/\(page)")).lines
      .joined(separator: "\n")
    let folder = "Tests/RacletteCLITests/Cluster"
    let names = text.matches(of: #/`(\w+Tests)(?:\.(\w+))?`/#)
    #expect(!names.isEmpty)
    for name in names {
      let file = try TextFile("\(TextFile.packageFolder)/\(folder)/\(name.1).swift").lines.joined(
        separator: "\n")
      if let function = name.2 { #expect(file.contains("func \(function)("), "\(name.0)") }
    }
  }
}
