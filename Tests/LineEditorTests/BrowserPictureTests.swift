import LineEditor
import Platform
import TerminalScreen
import Testing
import TextFiles

/// The guide's picture of the screen of services, with fixed times and numbers of processes.
@Suite("The picture of a browser") struct BrowserPictureTests {
  private static let path =
    TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/services.svg"

  /// With `RACLETTE_WRITE_DOCS=1` in the environment the picture is drawn instead of compared.
  @Test func isWhatATerminalShows() throws {
    var browser = Browser([
      .init(title: "db", detail: "ready       12 m    pid 41207  2 users", style: .string),
      .init(
        title: "queue",
        detail: "starting    2 s     pid 41544  1 user  nothing listens on port 6379",
        style: .number),
      .init(title: "web", detail: "ready       12 m    pid 41213  1 user", style: .string),
    ])
    _ = browser.handle(.key(Key(.end)))
    _ = browser.handle(.key(Key(.tab, .shift)))
    browser.setText("listening on 127.0.0.1:8080\n")
    for path in ["/", "/style.css", "/rooms/3", "/rooms/3/free?from=May", "/favicon.ico"] {
      browser.append("GET \(path) 200\n")
    }
    let screen = Screen(rows: 13, columns: 80)
    screen.write("\u{1B}[?25l".utf8)
    screen.write(browser.draw(columns: 80, rows: 13).utf8)
    let drawn = screen.picture(
      label: "A terminal: three services with their states, and what one of them has printed")
    let lines = drawn.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(lines, to: Self.path)
    }
    #expect(
      lines == (try TextFile(Self.path).lines),
      "RACLETTE_WRITE_DOCS=1 swift test draws the picture anew")
  }
}
