import Scripting
import Testing

extension PanelPageTests {
  /// What the board shows of commands, and how it is arranged.
  @Suite("board")
  struct BoardTests {
    private static let commands = """
      rac.command{name = "build", group = "Make", summary = "Compile", run = "echo built"}
      rac.command{name = "lint", group = "Make", run = "test -e clean || exit 3"}
      rac.command{name = "test", group = "Check", needs = {"build"}, run = "echo tested"}
      rac.command{name = "login", group = "Check", secrets = {"pass"}, run = "true",
        params = {{name = "user"}, {name = "pass", required = true}}}
      """

    /// The commands in a section, for JavaScript.
    private static func section(_ title: String) -> String {
      "[...document.querySelectorAll(\"[data-title='\(title)'] li.command\")]"
        + ".map((row) => row.dataset.command).join(' ')"
    }

    @Test("where all is well nothing is said; what has failed comes first, until it succeeds")
    func attention() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      #expect(try await page.evaluate(Self.section("Make")).string == "build lint")
      let row = "document.querySelector(\"\(BrowserPage.row("build"))\")"
      #expect(try await page.evaluate("\(row).hasAttribute('data-news')").bool == false)
      #expect(try await page.evaluate("\(row).querySelector('.state').offsetWidth").int ?? 99 <= 1)
      try await page.press(command: "build")
      try await page.waitForLine("built")
      try await page.press(command: "lint")
      try await page.waitForExecution("failed")
      // The row stays under the reader's hands.
      #expect(try await page.evaluate(Self.section("Make")).string == "build lint")
      try await page.evaluate("document.activeElement.blur()")
      try await page.wait("\(Self.section("Needs attention")) === 'lint'")
      #expect(
        try await page.evaluate(
          "document.querySelector(\"\(BrowserPage.row("lint")) .spark [data-state=failed]\") !== null"
        ).bool == true)
      visit.folder.write("", to: "clean")
      try await page.press(command: "lint")
      try await page.waitForExecution("completed")
      try await page.evaluate("document.activeElement.blur()")
      try await page.wait("\(Self.section("Make")) === 'build lint'")
    }

    @Test(
      "favourites, folded groups, the filter and what was typed survive a reload; secrets do not")
    func reload() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.click("\(BrowserPage.row("test")) .star")
      try await page.wait("\(Self.section("Favourites")) === 'test'")
      try await page.click("[data-title=Make] h2 button")
      try await page.wait("document.querySelector('[data-title=Make] ul').hidden")
      try await page.click("\(BrowserPage.row("login")) .inputs")
      for (name, text) in [("user", "ann"), ("pass", "open sesame")] {
        try await page.click("[name=\(name)]")
        try await page.type(text)
      }
      let kept = try await page.evaluate(
        "JSON.stringify(Object.entries(sessionStorage)) + JSON.stringify(Object.entries(localStorage))"
      )
      #expect(!(kept.string ?? "open sesame").contains("open sesame"))
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("\(Self.section("Favourites")) === 'test'")
      try await page.wait("document.querySelector('[data-title=Make] ul').hidden")
      #expect(
        try await page.evaluate("document.querySelector('[name=user]').value").string == "ann")
      #expect(try await page.evaluate("document.querySelector('[name=pass]').value").string == "")
      try await page.click("#filter")
      try await page.type("log")
      try await page.reload()
      try await page.waitForConnection()
      #expect(try await page.evaluate("document.getElementById('filter').value").string == "log")
      #expect(
        try await page.evaluate(
          "[...document.querySelectorAll('li.command')].filter((row) => row.checkVisibility()).length"
        ).int == 1)
    }

    @Test("a first visit has one sentence and one button")
    func firstVisit() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.wait("document.getElementById('first').checkVisibility()")
      #expect(try await page.text(of: "#first-press") == "Run build")
      try await page.click("#first-press")
      try await page.waitForLine("built")
      #expect(
        try await page.evaluate("document.getElementById('first').checkVisibility()").bool == false)
    }

    @Test("the palette runs a command, or opens its page")
    func palette() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press("k", control: true)
      try await page.wait("document.getElementById('palette').open")
      try await page.type("bui")
      try await page.press("Enter")
      try await page.waitForLine("built")
      try await page.press("k", control: true)
      try await page.type("test")
      try await page.press("Enter", control: true)
      try await page.wait("location.hash === '#/command/test'")
      try await page.wait("document.getElementById('command-title').textContent === 'test'")
    }

    @Test("a command's page has its runs, what they have in common, and what it needs")
    func commandPage() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      // What it needs has the number between.
      for number in [1, 3] {
        try await page.waitForPress(of: "test")
        try await page.press(command: "test")
        try await page.wait(
          "document.getElementById('output-title').textContent === 'test #\(number)'")
        try await page.waitForLine("tested")
        try await page.waitForExecution("completed")
      }
      try await page.go(to: "#/command/test")
      try await page.wait("document.querySelectorAll('.earlier li').length === 2")
      let numbers = try await page.evaluate(
        "[...document.querySelectorAll('.numbers > div')].slice(0, 2).map((each) => each.textContent)"
      )
      #expect(numbers.elements.compactMap(\.string) == ["Runs2", "Succeeded100 %"])
      let needs = try await page.evaluate(
        "[...document.querySelectorAll('.graph a')].map((each) => each.ariaLabel)")
      #expect(needs.elements.compactMap(\.string) == ["build, completed", "test, completed"])
      // Another page executes it meanwhile.
      let other = try await visit.tab()
      try await other.waitForPress(of: "test")
      try await other.press(command: "test")
      try await page.wait("document.querySelectorAll('.earlier li').length === 3")
      try await page.wait(
        "document.querySelectorAll('.earlier > [data-state=completed]').length === 3")
      let loads =
        "performance.getEntriesByType('resource').filter(({name}) => name.includes('/history'))"
      #expect(
        try await page.evaluate("\(loads).length").int == 1,
        "an end is added to what was loaded, however many there are")
      try await page.wait("document.querySelector('#command .press').ariaDisabled !== 'true'")
      try await page.click("#command .press")
      try await page.wait("location.hash.startsWith('#/run/')")
    }

    @Test("the tab's title and icon tell what goes on and what has failed")
    func title() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "hold", run = "while [ ! -e go ]; do sleep 0.02; done; exit 1"}
          """)
      let page = visit.page
      let icon = "document.getElementById('icon').getAttribute('href')"
      try await page.press(command: "hold")
      try await page.wait("document.title.startsWith('▶ 1 · ') && \(icon) === 'icon-running.svg'")
      visit.folder.write("", to: "go")
      try await page.wait("document.title.startsWith('✕ 1 · ') && \(icon) === 'icon-failed.svg'")
    }

    @Test("the timeline is zoomed by the wheel and by drawing, and goes back to now")
    func zoom() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "test")
      try await page.waitForLine("tested")
      try await page.go(to: "#/timeline")
      try await page.wait("document.querySelectorAll('#bars .ran').length === 2")
      #expect(try await page.isSeen("to-now") == false)
      try await page.wheel("#bars", by: -200)
      try await page.wait("document.getElementById('to-now').checkVisibility()")
      try await page.click("#to-now")
      try await page.wait("!document.getElementById('to-now').checkVisibility()")
      try await page.evaluate("document.getElementById('timeline').focus()")
      try await page.press("-")
      try await page.wait("document.getElementById('to-now').checkVisibility()")
      try await page.press("0")
      try await page.wait("!document.getElementById('to-now').checkVisibility()")
      // An arrow from build to test.
      try await page.wait("document.querySelector('.needs').getAttribute('d')?.startsWith('M')")
    }
  }
}
