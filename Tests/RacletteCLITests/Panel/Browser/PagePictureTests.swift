import Platform
import Scripting
import Testing
import TextFiles

extension PageContentTests {
  /// The guide's pictures of the page.
  @Suite("its pictures")
  struct PictureTests {
    private static let folder = TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc"

    private static let commands = #"""
      rac.command{
        name = "build", group = "develop", summary = "Compile everything",
        params = {{name = "target", choices = {"debug", "release"}, default = "debug"},
          {name = "jobs", type = "integer", default = 4, help = "how many at a time"}},
        run = function(input, emit)
          for n, file in ipairs{"page", "ring", "reader", "record", "route", "token"} do
            rac.sleep(0.05)
            emit(("\27[2m[%d/6]\27[0m compile \27[36m%s.c\27[0m"):format(n, file))
            if file == "record" then
              emit("record.c:41:9: \27[1;33mwarning:\27[0m unused variable ‘\27[1mrest\27[0m’")
            end
          end
          emit("\27[32mlinked build/site\27[0m, " .. input.target)
        end,
      }
      rac.command{
        name = "test", group = "develop", summary = "Run the tests", panel = {pin = true},
        run = [[
          for n in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '\033[32mok\033[0m %d - page %d\n' $n $n; done
          while [ ! -e go ]; do sleep 0.02; done
        ]],
      }
      rac.command{
        name = "lint", group = "develop", summary = "Look for what is not as it should be",
        run = "echo 'site.css:12: no such property' >&2; exit 1",
      }
      rac.command{
        name = "release", group = "publish", summary = "Check, compile and sign the site",
        steps = {
          "echo 212 links, all of them lead somewhere; sleep 0.4",
          {command = "build", target = "release"},
          function(_, emit) emit("signed by the key of 2026") end,
          [[printf 'page.html\nring.html\nroute.html\n'; echo 'upload: error: the server is full' >&2; exit 3]],
          "echo 'tell the others'",
        },
      }
      rac.command{
        name = "deploy", group = "publish", summary = "Copy the site to the server",
        confirm = "Really deploy?",
        enabled = rac.file_exists("approved"):map(function(is)
          return rac.tuple(is, "nobody has approved it")
        end),
        run = "true",
      }
      rac.command{
        name = "status", group = "publish", summary = "Ask the server how it is",
        panel = {pin = true, refresh = true}, run = "echo up 41 days",
      }
      rac.command{
        name = "serve", group = "publish", summary = "Serve the site at port 8000",
        concurrency = "unlimited", run = "while [ ! -e go ]; do sleep 0.02; done",
      }
      """#

    /// With `RACLETTE_WRITE_DOCS=1` in the environment the pictures are written.
    @Test("show it wide, on a phone and in the dark, without an error in the console")
    func pictures() async throws {
      let folder = Folder(["site/commands.lua": Self.commands])
      let panel = await RunningPanel(
        ["-f", "site/commands.lua", "--listen", "127.0.0.1:0"], in: folder)
      let page = try await BrowserPage(in: Chromium())
      try await page.prefer(Self.light)
      try await page.resize(width: 1_280, height: 760)
      try await page.open(panel.address)
      try await page.waitForConnection()
      for (index, (command, state)) in [
        ("build", "completed"), ("status", "completed"), ("build", "completed"),
        ("build", "completed"), ("serve", "running"), ("lint", "failed"),
      ].enumerated() {
        try await page.waitForPress(of: command)
        try await page.press(command: command)
        try await page.wait(
          "document.getElementById('output-title').textContent === '\(command) #\(index + 1)'")
        try await page.waitForExecution(state)
      }
      try await page.evaluate("document.activeElement.blur()")
      try await page.wait("document.querySelector('[data-title=\"Needs attention\"] li')")
      try await page.press(command: "test")
      try await page.waitForLine("ok 12 - page 12")
      try await page.go(to: "#/")
      try await write(page, as: "panel-wide")

      try await page.go(to: "#/command/build")
      try await page.wait("document.querySelectorAll('.earlier li').length === 3")
      try await write(page, as: "panel-command")

      try await page.prefer(Self.dark)
      try await page.go(to: "#/run/4")
      try await page.waitForLine("linked build/site, debug")
      try await page.press("/")
      try await page.type("warning")
      try await page.wait("document.querySelector('.row mark')")
      try await write(page, as: "panel-dark")

      try await page.prefer(Self.light)
      try await page.resize(width: 390, height: 700, isPhone: true)
      try await page.go(to: "#/")
      try await page.wait("document.getElementById('commands').checkVisibility()")
      try await write(page, as: "panel-phone")

      try await page.resize(width: 1_280, height: 560)
      try await page.press(command: "release")
      try await page.wait(
        "document.getElementById('output-title').textContent.startsWith('release')")
      try await page.waitForExecution("failed")
      try await page.reload()
      try await page.waitForConnection()
      try await page.waitForLine("upload: error: the server is full")
      try await page.wait("document.querySelectorAll('.fold').length === 4")
      try await write(page, as: "panel-run")
      folder.write("", to: "site/go")
      #expect(page.problems().isEmpty)
    }

    private static let light: [(name: String, value: String)] = [
      ("prefers-color-scheme", "light"), ("prefers-reduced-motion", "reduce"),
    ]
    private static let dark: [(name: String, value: String)] = [
      ("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce"),
    ]

    private func write(_ page: BrowserPage, as name: String) async throws {
      try await page.frame()
      let picture = try await page.picture()
      #expect(picture.utf8.count > 10_000)
      guard getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" else { return }
      guard let file = fopen("\(Self.folder)/\(name).png", "we") else {
        throw TextFile.Failure.unwritable(name)
      }
      defer { fclose(file) }
      let bytes = decoded(picture)
      #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    /// The bytes that a text in base 64 stands for.
    private func decoded(_ text: String) -> [UInt8] {
      let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
      let values = Dictionary(uniqueKeysWithValues: zip(digits.utf8, 0...))
      var bytes: [UInt8] = []
      var (bits, count) = (0, 0)
      for value in text.utf8.compactMap({ values[$0] }) {
        (bits, count) = (bits << 6 & 0xFFFF | value, count + 6)
        if count >= 8 {
          count -= 8
          bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
      }
      return bytes
    }
  }
}
