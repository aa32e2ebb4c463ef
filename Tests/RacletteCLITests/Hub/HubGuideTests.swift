import Testing

/// The page of the guide about the hub.
@Suite("the hub's page of the guide", .timeLimit(.minutes(5)))
struct HubGuideTests {
  private static let page = "Sources/RacletteCLI/RacletteCLI.docc/TheHub"

  @Test("does what it shows")
  func samples() async throws {
    let folder = HubFolder(commands: "")
    for block in try GuidePage(Self.page).blocks {
      switch block.kind {
      case .file(let path): folder.folder.write(block.text, to: path)
      case .console:
        let starts = block.lines.indices.filter { block.lines[$0].hasPrefix("$ ") }
        for start in starts {
          let answer = Array(block.lines[(start + 1)...].prefix { !$0.hasPrefix("$ ") })
          let run = await shell("\(block.lines[start].dropFirst(2)) 2>&1", in: folder.folder)
          #expect(run.lines == answer, "TheHub.md:\(block.line + start + 1)")
        }
      default: break
      }
    }
  }
}
