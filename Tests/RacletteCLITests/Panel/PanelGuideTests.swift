import Platform
import Testing

/// The page of the guide about the panel.
@Suite("the panel's page of the guide", .timeLimit(.minutes(5)))
struct PanelGuideTests {
  private static let page = "Sources/RacletteCLI/RacletteCLI.docc/ThePanel"

  private static var hasClient: Bool {
    spawnAndWait(["/bin/sh", "-c", "command -v curl >/dev/null"]) == 0
  }

  @Test("does what it shows", .enabled(if: Self.hasClient))
  func samples() async throws {
    let blocks = try GuidePage(Self.page).blocks
    let folder = Folder()
    for block in blocks {
      if case .file(let path) = block.kind { folder.write(block.text, to: path) }
    }
    let panel = await onThread {
      PanelProgram(
        folder, ["--token-file", folder["token"]], path: folder["panel.socket"])
    }
    for block in blocks {
      guard case .console = block.kind else { continue }
      let starts = block.lines.indices.filter { block.lines[$0].hasPrefix("$ ") }
      // The first line names what the others call.
      let alias = block.lines[starts[0]].dropFirst(2)
      for start in starts.dropFirst() {
        let answer = Array(block.lines[(start + 1)...].prefix { !$0.hasPrefix("$ ") })
        let run = await shell(
          "shopt -s expand_aliases\n\(alias)\n\(block.lines[start].dropFirst(2))", in: folder)
        #expect(run.lines == answer, "ThePanel.md:\(block.line + start + 1)")
      }
    }
    let outcome = await onThread { panel.end() }
    #expect(outcome.status == 130)
  }
}
