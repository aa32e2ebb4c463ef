import Testing
import TextFiles

/// A page of the documentation: its blocks of code. The words behind the fence say what becomes of one,
/// and are not shown to readers.
struct GuidePage {
  struct Block {
    enum Kind {
      /// A file of the project that the page is about: `lua PATH`, `json PATH`, `env PATH` or `make PATH`.
      case file(String)
      /// A script of its own: `lua`.
      case script
      /// Command lines, which begin with `$`, and what each answers: `console`. In a `console timed`
      /// the times that it shows count for nothing.
      case console(isTimed: Bool)
      /// A command line and the screen that it leads to: `terminal`, with `unordered` if the rows may
      /// come in another order. In `terminal TEXT: LINE`, the shell executes a line as soon as the
      /// screen shows a text.
      case terminal(isOrdered: Bool, event: (text: String, line: String)?)
      /// Lines for a shell: `sh`.
      case shell
      /// A signature or a diagram: `text`.
      case text
      case other(String)
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

  /// The page's file: one of the guide's, or one of the package by its path.
  static func path(_ name: String) -> String {
    name.contains("/") ? "\(TextFile.packageFolder)/\(name).md" : "\(catalog)/\(name).md"
  }

  /// True for what a batch that takes five seconds prints of its progress: `raclette: 1/2 …`.
  static func isProgress(_ line: String) -> Bool { line.contains(#/^raclette: ~?\d+/\d+ /#) }

  let blocks: [Block]

  /// The first block that begins so.
  func block(_ start: String) throws -> Block {
    try #require(blocks.first { $0.text.hasPrefix(start) })
  }

  init(_ name: String) throws {
    let lines = try TextFile(Self.path(name)).lines
    let fences = lines.indices.filter { lines[$0].hasPrefix("```") }
    blocks = stride(from: 0, to: fences.count - 1, by: 2).map { index in
      let words = lines[fences[index]].dropFirst(3).split(separator: " ")
      let kind: Block.Kind =
        switch (words.first, words.dropFirst().first) {
        case ("lua", .some(let path)), ("json", .some(let path)), ("env", .some(let path)),
          ("make", .some(let path)):
          .file(String(path))
        case ("lua", nil): .script
        case ("console", let mark): .console(isTimed: mark == "timed")
        case ("terminal", let mark):
          .terminal(
            isOrdered: mark != "unordered",
            event: Self.event(words.dropFirst().joined(separator: " ")))
        case ("repl", _): .session
        case ("screen", _): .screen(words.dropFirst().joined(separator: " "))
        case ("sh", _): .shell
        case ("text", _): .text
        case (let language, _): .other(language.map(String.init) ?? "")
        }
      return Block(
        kind: kind, line: fences[index] + 1,
        lines: Array(lines[(fences[index] + 1)..<fences[index + 1]]))
    }
  }
  private static func event(_ words: String) -> (text: String, line: String)? {
    guard let colon = words.firstRange(of: ": ") else { return nil }
    return (String(words[..<colon.lowerBound]), String(words[colon.upperBound...]))
  }
}
