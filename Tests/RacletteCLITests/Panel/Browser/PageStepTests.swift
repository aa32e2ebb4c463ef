import Scripting
import Testing

extension PageContentTests {
  /// The steps of a run as sections of its output.
  @Suite("steps of a run")
  struct StepTests {
    private static let commands = #"""
      rac.command{name = "ship", steps = {
        "echo one; seq -f 'first %.0f' 100", {"echo", "two words"},
        "until [ -e go ]; do sleep 0.02; done; echo 'a.c:1: error: third' >&2; exit 3", "echo never",
      }}
      rac.command{name = "well", steps = {"echo one", "seq -f 'line %.0f' 100000"}}
      """#

    private static let headings =
      "[...document.querySelectorAll('#lines .row:not([hidden]) .fold')].map((fold) => "
      + "['number', 'name', 'state'].map((part) => fold.querySelector('.' + part).textContent)"
      + ".concat(fold.ariaExpanded).join(' ')).join('; ')"

    @Test("are headings with state and time in the output, which fold those that have succeeded")
    func failed() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "ship")
      try await page.waitForLine("two words")
      try await page.wait("document.querySelector('#lines .fold[data-state=running]')")
      visit.folder.write("", to: "go")
      try await page.waitForExecution("failed")
      // What a reader has watched stays as it is.
      try await page.waitForLine("a.c:1: error: third")
      try await page.waitForLine("two words")

      let late = try await visit.tab(showing: 1)
      try await late.wait(
        """
        \(Self.headings) === \(quoted(
          "1/4 echo one; seq -f 'first %.0f' 100 completed false; "
            + "2/4 echo 'two words' completed false; "
            + "3/4 until [ -e go ]; do sleep 0.02; done; echo 'a.c:1: error: third' >&2; exit 3 "
            + "failed true"))
        """)
      #expect(try await late.lines().last == "a.c:1: error: third")
      #expect(try await late.lines().count == 4)
      let times = try await late.evaluate(
        "[...document.querySelectorAll('#lines .fold .elapsed')].map((time) => time.textContent)")
      for time in times.elements {
        #expect(time.string?.wholeMatch(of: /\d+ ms|[\d.]+ s/) != nil, "\(time)")
      }

      // By keys and by the pointer; the focus stays.
      try await late.evaluate("document.querySelectorAll('#lines .fold')[1].focus()")
      try await late.press("Enter")
      try await late.waitForLine("two words")
      #expect(try await late.evaluate("document.activeElement.ariaExpanded").string == "true")
      try await late.press(" ")
      try await late.wait("document.activeElement.ariaExpanded === 'false'")
      try await late.click("#lines .row:first-child .fold")
      try await late.waitForLine("first 10")
      #expect(late.problems().isEmpty)
    }

    @Test("open if a search leads into them, and are no part of what was sent")
    func found() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "well")
      try await page.waitForExecution("completed")
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("document.getElementById('length').textContent === '100,003 lines'")
      try await page.wait("document.querySelectorAll('#lines .row:not([hidden])').length === 2")
      try await page.press("/")
      try await page.type("line 54321")
      try await page.wait("document.getElementById('found').textContent === '1 found'")
      try await page.press("Enter")
      try await page.wait("document.querySelector('.row.current')?.textContent === 'line 54321'")
      let raw = try await page.evaluate(
        """
        (async () => {
          const {API} = await import("/api.js");
          const {exportOutput} = await import("/output-export.js");
          const api = new API();
          api.token = sessionStorage.getItem("raclette token");
          const text = await (await exportOutput(api, 1, () => {})).text();
          return text.split("\\n").slice(0, 2).join();
        })()
        """)
      #expect(raw.string == "one,line 1")
    }
  }
}
