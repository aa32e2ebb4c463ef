import Testing
import TextFiles

/// The README's samples, with programs that stand in for those it names.
@Suite("the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  private let readme: GuidePage

  init() throws { readme = try GuidePage("./README") }

  @Test("shows its command file at work, line by line")
  func commandFile() async throws {
    let file = try readme.block("local rac = require")
    #expect(file.lines.count { !$0.isEmpty } == 10)
    let folder = Folder(["commands.lua": file.text, "src/index.md": "A house\n"])
    StandIns.write(["pytest", "rsync"], to: folder)
    let lines = try readme.block("$ raclette test").lines
    let typed = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    #expect(typed.count == 4)
    let test = await shell(typed[0], in: folder)
    // The stand-in says what it is given in place of a result.
    #expect(test.lines == [lines[1], "pytest -k login"])
    let deploy = await shell(typed[1], in: folder)
    #expect(
      deploy.lines == ["index.html", "pytest -k .", "rsync -a site/ web:/srv/www/"],
      "\(deploy)")
    #expect(deploy.status == 0)
    let status = await shell(typed[2], in: folder)
    #expect(status.lines.last == "nothing to do", "\(status)")
    let watch = await shell("timeout -s INT 20 \(typed[3]) | head -n 1", in: folder)
    #expect(watch.lines.first == "index.html", "\(watch)")
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
