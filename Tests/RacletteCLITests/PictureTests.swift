import Platform
import Testing
import TextFiles

/// The README's picture of a terminal, which is a session with its command file.
@Suite("the picture of a terminal", .timeLimit(.minutes(1)))
struct PictureTests {
  private static let path =
    TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/terminal.svg"

  private static let typed = [
    "raclette list", "raclette -o prefix deploy", "raclette explain build",
    "echo 'Opens in May.' >src/news.md; raclette explain build", "raclette repl",
  ]

  /// With `RACLETTE_WRITE_DOCS=1` in the environment the picture is drawn instead of compared.
  @Test("is what a terminal shows")
  func picture() async throws {
    let readme = try GuidePage("./README")
    let file = try readme.block("local rac = ").text
    let folder = Folder(["commands.lua": file, "src/index.md": "A house to live in.\n"])
    for (name, answer) in [("pytest", "41 passed in 0.83s"), ("rsync", "sent index.html")] {
      folder.write("#!/bin/sh\necho \(answer)\n", to: ".bin/\(name)")
      chmod(folder[".bin/\(name)"], 0o755)
    }
    symlink(Program.path, folder[".bin/raclette"])
    let drawn = await onThread {
      let session = TerminalSession(
        ["--norc", "--noprofile"], of: "/bin/bash", in: folder, rows: 30, columns: 84,
        environment: ["PATH": StandIns.path(in: folder), "PS1": "$ ", "TERM": "xterm-256color"])
      session.wait { $0.lines.last == "$" }
      for line in Self.typed.dropLast() {
        session.enter(line)
        session.wait { $0.lines.last == "$" }
      }
      session.enter(Self.typed.last ?? "")
      session.waitForPrompt()
      session.enter("rac.range(1, 3):map(function(n) return n * n end)")
      session.wait {
        $0.lines.last == "rac>" && $0.lines.dropLast().last == "completed (3 values)"
      }
      let picture = session.screen.picture(
        label: "A terminal: commands are listed, executed with what they need, and explained; a "
          + "session prints the values of a signal")
      session.type("\u{04}")
      session.wait { $0.lines.last == "$" }
      session.type("exit\r")
      _ = session.finish()
      return picture
    }
    let lines = drawn.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(lines, to: Self.path)
    }
    let committed = try TextFile(Self.path).lines
    #expect(lines == committed, "RACLETTE_WRITE_DOCS=1 swift test draws the picture anew")
  }
}
