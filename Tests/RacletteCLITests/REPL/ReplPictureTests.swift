import Platform
import Testing
import TextFiles

/// The pictures of the guide's page on the REPL, which are screens of sessions.
@Suite("the pictures of sessions", .timeLimit(.minutes(3)))
struct ReplPictureTests {
  /// With `RACLETTE_WRITE_DOCS=1` in the environment the pictures are drawn instead of compared.
  @Test("are what terminals show", arguments: Picture.all)
  func picture(_ picture: Picture) async throws {
    let drawn = await atPrompt(
      rows: picture.rows, columns: 78, environment: ["TERM": "xterm-256color"]
    ) {
      session in
      picture.play(session)
      return session.screen.picture(label: picture.label)
    }
    let lines = drawn.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let path = TextFile.packageFolder + "/Sources/Scripting/Scripting.docc/\(picture.name).svg"
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(lines, to: path)
    }
    let committed = try TextFile(path).lines
    #expect(
      picture.isTimeless ? lines == committed : Self.words(lines) == Self.words(committed),
      "RACLETTE_WRITE_DOCS=1 swift test draws the picture anew")
  }

  /// The texts of a picture without numbers and axes, which depend on time.
  private static func words(_ lines: [String]) -> Set<String> {
    Set(
      lines.flatMap { line in
        line.matches(of: /<text[^>]*>([^<]*)<\/text>/).flatMap { match in
          match.output.1.split { !$0.isLetter }.map(String.init)
        }
      }.filter { $0.count > 2 })
  }
}

/// A picture: its file, its description, and the keys that lead to it.
struct Picture: CustomTestStringConvertible, Sendable {
  let name: String
  let label: String
  var rows = 12
  /// False if it shows times.
  var isTimeless = true
  let play: @Sendable (TerminalSession) -> Void

  var testDescription: String { name }

  static let all = [
    Picture(
      name: "repl-entry",
      label: "An entry of three lines in colours, with the signature of the method being called"
    ) { session in
      session.type(
        "rac.from{\"pear\", \"fig\"}\u{1B}\r:map(function(word) return #word end)\u{1B}\r")
      session.type(":scan(0, ")
      session.wait(for: "signal:scan(")
    },
    Picture(
      name: "repl-menu", label: "A menu of completions with their kinds and descriptions"
    ) { session in
      session.type("rac.co\t\t\t")
      session.wait { $0.isSelected(" command ") }
    },
    Picture(
      name: "repl-marbles", label: "Two signals as marble diagrams on one time axis",
      isTimeless: false
    ) { session in
      session.enter(
        ":marbles rac.interval(0.2):take(4), rac.timer(0.5):map_replace(\"late\")")
      session.wait { $0.text.contains("4|") && $0.lines.last == "rac>" }
    },
    Picture(
      name: "repl-live", label: "The values of a signal, and a line with their rate and curve",
      isTimeless: false
    ) { session in
      session.enter("rac.interval(0.25):map(function(n) return n * n % 11 end)")
      session.wait { ($0.lines.last ?? "").contains(#/^[78] values, .*▁/#) }
    },
  ]
}
