import Testing
import TextFiles

/// The README's samples, which need nothing but a shell.
@Suite("the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  private let readme: GuidePage

  init() throws { readme = try GuidePage("./README") }

  @Test("shows its command file at work in an empty folder, line by line")
  func commandFile() async throws {
    let file = try readme.block("local rac = require")
    let folder = Folder(["commands.lua": file.text])
    let lines = try readme.block("$ mkdir pages").lines
    let typed = lines.indices.filter { lines[$0].hasPrefix("$ ") }
    for index in typed.dropLast() {
      let answer = Array(lines[(index + 1)...].prefix { !$0.hasPrefix("$ ") })
      let run = await shell("{ \(lines[index].dropFirst(2))\n} 2>&1", in: folder)
      #expect(run.lines == answer, "\(lines[index])")
    }
    let watch = try #require(typed.last.map { lines[$0] })
    #expect(watch == "$ raclette --watch=pages publish")
    let run = await shell("timeout -s INT 20 \(watch.dropFirst(2)) | head -n 1", in: folder)
    #expect(run.lines.first == "2 lines", "\(run)")
  }

  @Test("names no other block than those, and how to install it")
  func all() throws {
    #expect(readme.blocks.count == 3)
    let install = try readme.block("scripts/package")
    // Which scripts/test-package does in an empty root.
    #expect(
      install.lines == ["scripts/package", "sudo apt install ./.build/packages/raclette_*.deb"])
  }
}
