import Testing
import TextFiles

@Suite("the guide", .timeLimit(.minutes(5)))
struct GuideTests {
  static let pages = [
    "FirstCommand", "FormsOfACommand", "SignalsInOnePage", "Processes", "ConditionsAndConcurrency",
    "Services",
    "Errors", "WaitingAndCoroutines", "UpToDate", "Caching", "Plugins", "TestingInVirtualTime",
    "ExploringInTheREPL",
  ]
  /// Pages of other modules that are executed in the same way.
  static let others = [
    "Sources/RacletteCLI/RacletteCLI.docc/Runner",
    "Sources/RacletteCLI/RacletteCLI.docc/ComingFromJust",
    "Sources/RacletteCLI/RacletteCLI.docc/WhatBites",
    "Sources/RacletteCLI/RacletteCLI.docc/Batch", "Sources/RacletteCLI/RacletteCLI.docc/Editors",
    "Sources/RacletteCLI/RacletteCLI.docc/Traces",
    "Sources/RacletteCLI/RacletteCLI.docc/WhatIsThereAlready",
  ]

  @Test("does what it shows", arguments: pages + others)
  func page(_ name: String) async throws {
    let folder = Folder()
    if Self.others.contains(name) {
      StandIns.write(["sleep", "rsync"], to: folder)
      folder.write("one\n", to: "src/main.c")
    }
    for block in try GuidePage(name).blocks {
      switch block.kind {
      case .file(let path): folder.write(block.text, to: path)
      case .script: await run(block, of: name, in: folder)
      case .console(let isTimed): await type(block, isTimed, of: name, in: folder)
      case .terminal(let isOrdered, let event):
        await show(block, isOrdered, event, of: name, in: folder)
      case .session: await give(block, of: name, in: folder)
      case .shell: await source(block, of: name, in: folder)
      // ReplGuideTests shows them.
      case .screen: break
      case .text: break
      case .other(let language):
        #expect(language == "fish", "\(name).md:\(block.line): nothing executes this")
      }
    }
  }

  @Test("has its variables, folder and terminal in the sample of an interactive command")
  func interactive() async throws {
    let sample = try #require(
      GuidePage(Self.others[0]).blocks.first {
        if case .file("db.lua") = $0.kind { true } else { false }
      })
    let folder = Folder(["db.lua": sample.text, ".env": "PGPASSWORD=hunter2\n"])
    folder.makeFolder("db")
    StandIns.write(["psql"], to: folder)
    let run = await shell("raclette run -f db.lua psql", in: folder)
    #expect(run.output == "psql as raclette in db, with a password of 7 letters\n", "\(run)")
  }

  /// A new page gets a test of its own, or joins a list of those that there are.
  @Test("and all other documentation is executed by tests")
  func all() throws {
    let tests = try TextFile.paths(inFolder: TextFile.packageFolder + "/Tests")
      .filter { $0.hasSuffix(".swift") }.map { try TextFile($0).lines.joined(separator: "\n") }
    let pages = try TextFile.paths(inFolder: TextFile.packageFolder + "/Sources")
      .filter { $0.hasSuffix(".md") }
    #expect(pages.count > 15)
    for page in pages + [TextFile.packageFolder + "/README.md"]
    where try TextFile(page).lines.contains(where: { $0.hasPrefix("```") }) {
      let name = page.split(separator: "/").last?.dropLast(3) ?? ""
      let isNamed = tests.contains {
        $0.contains("\"\(name)\"") || $0.contains("/\(name)\"") || $0.contains("\(name).md\"")
      }
      #expect(isNamed, "no test names \(page)")
    }
  }

  @Test("has all its pages in the catalog's list")
  func list() throws {
    let listed = try TextFile(GuidePage.path("Scripting")).lines.compactMap { line in
      line.hasPrefix("- <doc:") ? String(line.dropFirst(7).dropLast()) : nil
    }
    let files = try TextFile.names(inFolder: GuidePage.catalog).filter { $0.hasSuffix(".md") }.map {
      String($0.dropLast(3))
    }
    #expect(Set(listed) == Set(files).subtracting(["Scripting"]))
    #expect(listed.starts(with: Self.pages))
  }

  /// Only DocC follows `<doc:Page>`, and needs it in its lists of topics.
  @Test("has links that readers of plain Markdown can follow")
  func links() throws {
    let pages = try TextFile.paths(inFolder: TextFile.packageFolder + "/Sources")
      .filter { $0.hasSuffix(".md") }
    #expect(pages.count > 15)
    for page in pages {
      let prose = try TextFile(page).lines.prefix { $0 != "## Topics" }
      let unreachable = prose.filter { $0.contains("<doc:") }
      #expect(unreachable == [], "\(page)")
    }
    for catalog in ["Scripting", "Reactive"] {
      let path = GuidePage.catalog.replacing("Scripting", with: catalog) + "/\(catalog).md"
      let lines = try TextFile(path).lines
      let prose = lines.prefix { $0 != "## Topics" }.joined(separator: "\n")
      for line in lines where line.hasPrefix("- <doc:") {
        let link = "](\(line.dropFirst(7).dropLast()).md)"
        #expect(prose.contains(link), "\(path) has no \(link)")
      }
    }
  }

  /// Runs a script; lines that begin with `-->` tell what it prints.
  private func run(_ block: GuidePage.Block, of page: String, in folder: Folder) async {
    let run = await raclette("exec", "-", in: folder, input: block.text)
    let expected = block.lines.filter { $0.hasPrefix("--> ") }.map { $0.dropFirst(4) }
    let place = "\(page).md:\(block.line)"
    #expect(run.lines.joined(separator: ", ") == expected.joined(separator: ", "), "\(place)")
    #expect(run.errors == "", "\(place)")
    #expect(run.status == 0, "\(place)")
  }

  /// Gives lines to a session; those that begin with `-->` tell what it prints.
  private func give(_ block: GuidePage.Block, of page: String, in folder: Folder) async {
    let run = await raclette("repl", in: folder, input: block.text)
    let expected = block.lines.filter { $0.hasPrefix("--> ") }.map { String($0.dropFirst(4)) }
    #expect(run.lines == expected, "\(page).md:\(block.line)")
    #expect(run.errors == "", "\(page).md:\(block.line)")
  }

  /// Types the lines that begin with `$` into a shell; what follows each is what it answers.
  private func type(
    _ block: GuidePage.Block, _ isTimed: Bool, of page: String, in folder: Folder
  ) async {
    folder.write("", to: "go")
    for part in block.lines.indices.filter({ block.lines[$0].hasPrefix("$ ") }) {
      let answer = Array(block.lines[(part + 1)...].prefix { !$0.hasPrefix("$ ") })
      let run = await shell("{ \(block.lines[part].dropFirst(2))\n} 2>&1", in: folder)
      let shown = run.output.withoutSlowRemarks.split(
        separator: "\n", omittingEmptySubsequences: false
      ).dropLast()
        .map(String.init).filter { !GuidePage.isProgress($0) }
      let place = "\(page).md:\(block.line + part + 1)"
      if isTimed {
        #expect(shown.map(timeless) == answer.map(timeless), "\(place)")
      } else {
        #expect(shown == answer, "\(place)")
      }
    }
    folder.remove("go")
  }

  /// Starts the first line at a terminal, whose screen has to become what the others show.
  private func show(
    _ block: GuidePage.Block, _ isOrdered: Bool, _ event: (text: String, line: String)?,
    of page: String, in folder: Folder
  ) async {
    let words = block.lines[0].split(separator: " ").dropFirst(2).map(String.init)
    @Sendable func order(_ lines: [String]) -> [String] {
      let lines = lines.map(timeless)
      return isOrdered ? lines : lines.sorted()
    }
    let wanted = order(Array(block.lines.dropFirst()))
    let path = StandIns.path(in: folder)
    let shown = await onThread {
      let session = TerminalSession(words, in: folder, environment: ["PATH": path])
      if let event {
        session.wait(for: event.text)
        spawnAndWait(["/usr/bin/env", "-C", folder.path, "sh", "-c", event.line])
      }
      session.wait { order($0.lines) == wanted }
      let shown = order(session.screen.lines)
      session.type("\u{03}")
      _ = session.finish()
      return shown
    }
    #expect(shown == wanted, "\(page).md:\(block.line)")
  }

  /// Gives a block to a shell, which must take all of it.
  private func source(_ block: GuidePage.Block, of page: String, in folder: Folder) async {
    let line = "set -e; export HOME=$PWD; mkdir -p .local/share/man/man1\n\(block.text)"
    let run = await shell(line, in: folder)
    #expect(run.errors == "" && run.status == 0, "\(page).md:\(block.line): \(run)")
  }

  /// A line without its times.
  private func timeless(_ line: String) -> String {
    line.replacingDurations(with: "…")
      .replacing(#/"(ts|duration)":\d+\.\d+/#) { "\"\($0.1)\":…" }.replacing(#/ +/#, with: " ")
  }
}
