import Testing
import TextFiles

@Suite("the guide", .timeLimit(.minutes(5)))
struct GuideTests {
  static let pages = [
    "FirstCommand", "SignalsInOnePage", "Processes", "ConditionsAndConcurrency", "Errors",
    "WaitingAndCoroutines", "Plugins", "TestingInVirtualTime",
    "ExploringInTheREPL",
  ]

  @Test("does what it shows", arguments: pages)
  func page(_ name: String) async throws {
    let folder = Folder()
    for block in try GuidePage(name).blocks {
      switch block.kind {
      case .file(let path): folder.write(block.text, to: path)
      case .script: await run(block, of: name, in: folder)
      case .console: await type(block, of: name, in: folder)
      case .session: await give(block, of: name, in: folder)
      case .screen: break
      case .other: break
      }
    }
  }

  @Test("has all its pages in the catalog's list")
  func list() throws {
    let listed = try TextFile(GuidePage.path("Scripting")).lines.compactMap { line in
      line.hasPrefix("- <doc:") ? String(line.dropFirst(7).dropLast()) : nil
    }
    let files = try TextFile.names(inFolder: GuidePage.catalog).map { String($0.dropLast(3)) }
    #expect(Set(listed) == Set(files).subtracting(["Scripting"]))
    #expect(listed.starts(with: Self.pages))
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
  private func type(_ block: GuidePage.Block, of page: String, in folder: Folder) async {
    for part in block.lines.indices.filter({ block.lines[$0].hasPrefix("$ ") }) {
      let answer = block.lines[(part + 1)...].prefix { !$0.hasPrefix("$ ") }
      let run = await shell("{ \(block.lines[part].dropFirst(2))\n} 2>&1", in: folder)
      #expect(run.lines == Array(answer), "\(page).md:\(block.line + part + 1)")
    }
  }
}

/// A page of the guide: its blocks of code.
struct GuidePage {
  struct Block {
    enum Kind: Equatable {
      /// A file of the project that the page is about.
      case file(String)
      /// A script of its own.
      case script
      case console, other
      /// Lines for a session; those that begin with `-->` tell what it prints.
      case session
      /// What a terminal shows in the course of a session, which a command line starts; without one
      /// the session goes on.
      case screen(String)
    }

    let kind: Kind
    /// The line of the page on which it begins.
    let line: Int
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }
  }

  static let catalog = TextFile.packageFolder + "/Sources/Scripting/Scripting.docc"

  static func path(_ name: String) -> String { "\(catalog)/\(name).md" }

  let blocks: [Block]

  init(_ name: String) throws {
    let lines = try TextFile(Self.path(name)).lines
    let fences = lines.indices.filter { lines[$0].hasPrefix("```") }
    blocks = stride(from: 0, to: fences.count - 1, by: 2).map { index in
      let words = lines[fences[index]].dropFirst(3).split(separator: " ")
      let kind: Block.Kind =
        switch (words.first, words.dropFirst().first) {
        case ("lua", .some(let path)): .file(String(path))
        case ("lua", nil): .script
        case ("console", _): .console
        case ("repl", _): .session
        case ("screen", _): .screen(words.dropFirst().joined(separator: " "))
        default: .other
        }
      return Block(
        kind: kind, line: fences[index] + 1,
        lines: Array(lines[(fences[index] + 1)..<fences[index + 1]]))
    }
  }
}
