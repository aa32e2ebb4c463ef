import Scripting
import Testing

extension PageContentTests {
  /// Output that is brought elsewhere: by selecting, copying, downloading.
  @Suite("copying")
  struct CopyTests {
    /// As many lines as asked for, then one with the file `more`.
    private static let commands = #"""
      rac.command{name = "count", params = {{name = "n", type = "integer", default = 500}},
        run = function(input)
          return rac.exec{"sh", "-c", [[
            seq -f 'line %.0f' $0; while [ ! -e more ]; do sleep 0.02; done; echo more
            while [ ! -e end ]; do sleep 0.02; done
          ]], tostring(input.n)}
        end}
      rac.command{name = "mixed", run = function(_, emit)
        emit("\27[31mred\27[0m") emit("\xff\xfe") emit(2^53 | 0) emit({a = 1.0})
        return rac.exec{"sh", "-c", [[printf 'piece\nrest']], output = "bytes"}
      end}
      """#

    private func visit() async throws -> Visit {
      let visit = try await Visit(commands: Self.commands)
      try await visit.allowClipboard()
      return visit
    }

    /// The same, of an output of 500 lines that shows the first.
    private func visitOfFirstLine() async throws -> Visit {
      let visit = try await visit()
      try await visit.page.press(command: "count")
      try await visit.page.waitForLine("line 500")
      try await visit.page.click("#lines")
      try await visit.page.press("Home")
      try await visit.page.waitForLine("line 1")
      return visit
    }

    private func copied(_ page: BrowserPage) async throws -> String {
      try await page.evaluate("navigator.clipboard.readText()").string ?? ""
    }

    private func waitForCount(_ text: String, _ page: BrowserPage) async throws {
      try await page.wait("document.getElementById('length').textContent === \(quoted(text))")
    }

    @Test("lines that are dragged over stay selected, and are copied as lines")
    func drag() async throws {
      let visit = try await visitOfFirstLine()
      let page = visit.page
      try await page.drag(from: ("line 2", 3), to: ("line 4", 2))
      try await waitForCount("3 of 500 lines selected", page)
      try await page.press("End")
      visit.folder.write("", to: "more")
      try await page.waitForLine("more")
      try await waitForCount("3 of 501 lines selected", page)
      try await page.press("c", control: true)
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('3 lines copied')")
      #expect(try await copied(page) == "line 2\nline 3\nline 4")
      // From where the drag began.
      try await page.click("#lines .row:not([hidden])", shift: true)
      try await page.wait(
        "/^[0-9]{3} of 501 lines selected$/.test(document.getElementById('length').textContent)")
      try await page.press("Escape")
      try await waitForCount("501 lines", page)
      visit.folder.write("", to: "end")
    }

    @Test("all is the output where it has the focus, and arrows with Shift select line by line")
    func keys() async throws {
      let visit = try await visit()
      let page = visit.page
      try await page.press(command: "count")
      try await page.waitForLine("line 500")
      try await page.press("o")
      try await page.press("a", control: true)
      try await waitForCount("500 of 500 lines selected", page)
      try await page.click("#copy")
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('500 lines copied')")
      #expect(try await copied(page) == (1...500).map { "line \($0)" }.joined(separator: "\n"))
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('500 lines copied')")
      try await page.press("o")
      try await page.press("Escape")
      try await page.press("Home")
      try await page.waitForLine("line 1")
      try await page.press("ArrowDown", shift: true)
      try await page.press("ArrowDown", shift: true)
      try await waitForCount("3 of 500 lines selected", page)
      try await page.press("End", shift: true)
      try await waitForCount("500 of 500 lines selected", page)
      visit.folder.write("", to: "more")
      visit.folder.write("", to: "end")
    }

    @Test("a part of a line is the browser's to select, and is copied as it is")
    func part() async throws {
      let visit = try await visitOfFirstLine()
      let page = visit.page
      try await page.drag(from: ("line 11", 0), to: ("line 11", 4))
      #expect(try await page.evaluate("getSelection().toString()").string == "line")
      try await waitForCount("500 lines", page)
      // What browsers select over several lines is copied as lines, too.
      let text = try await page.evaluate(
        """
        (() => {
          const rows = [...document.querySelectorAll("#lines .row:not([hidden])")];
          getSelection().setBaseAndExtent(rows[0].firstChild, 5, rows[2].firstChild, 4);
          const data = new DataTransfer();
          rows[0].dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, bubbles: true}));
          return data.getData("text/plain");
        })()
        """)
      #expect(text.string == "1\nline 2\nline")
      visit.folder.write("", to: "more")
      visit.folder.write("", to: "end")
    }

    @Test("a download has all that was sent, byte by byte, and so has the raw view")
    func download() async throws {
      let visit = try await visit()
      let page = visit.page
      let folder = visit.folder["downloads"]
      try await visit.browser.call(
        "Browser.setDownloadBehavior",
        [
          ("behavior", .string("allow")), ("downloadPath", .string(folder)),
          ("eventsEnabled", .bool(true)),
        ])
      try await page.press(command: "mixed")
      try await page.waitForExecution("completed")
      try await page.click("#download")
      while try await visit.browser.event("Browser.downloadProgress", session: nil)["state"].string
        != "completed"
      {}
      let expected =
        Array("\u{1B}[31mred\u{1B}[0m\n".utf8) + [0xFF, 0xFE, 10]
        + Array("9007199254740992\n{\"a\":1.0}\npiece\nrest".utf8)
      #expect(
        await shell("od -An -v -tx1 downloads/mixed-1.txt | tr -d ' \n'", in: visit.folder).output
          == expected.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())

      try await page.evaluate(
        "(() => { const old = open; open = (...a) => window.tab = old(...a); })()")
      try await page.click("#raw")
      let raw = try await page.evaluate(
        """
        new Promise((done) => {
          const look = () => {
            const {contentType, readyState, body, location} = window.tab?.document ?? {};
            if (contentType !== "text/plain" || readyState !== "complete") return setTimeout(look, 9);
            done([body.innerText, location.protocol, window.tab.opener === null]);
          };
          look();
        })
        """)
      #expect(
        raw.text
          == #"["\u001b[31mred\u001b[0m\n��\n9007199254740992\n{\"a\":1.0}\npiece\nrest","blob:",true]"#
      )
      try await page.wait("document.getElementById('raw').textContent === 'Raw'")
      try await page.evaluate(
        """
        (() => {
          window.revoked = [];
          const old = URL.revokeObjectURL;
          URL.revokeObjectURL = (address) => { revoked.push(address); old.call(URL, address); };
        })()
        """)
      try await page.click("#download")
      while try await visit.browser.event("Browser.downloadProgress", session: nil)["state"].string
        != "completed"
      {}
      let isKept = "!revoked.includes(window.tab.location.href)"
      #expect(try await page.evaluate(isKept).bool == true, "the raw output's tab can be reloaded")
    }
  }
}

extension Visit {
  /// Lets pages read and write the clipboard.
  func allowClipboard() async throws {
    let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    try await browser.call(
      "Browser.grantPermissions", [("permissions", .list(permissions.map { .string($0) }))])
  }
}

extension BrowserPage {
  /// Drags from a character of a line of output to that of another.
  func drag(from start: (line: String, character: Int), to end: (line: String, character: Int))
    async throws
  {
    var places: [[JSONValue]] = []
    for (line, character) in [start, end] {
      let place = try await evaluate(
        """
        (() => {
          const row = [...document.querySelectorAll("#lines .row:not([hidden])")]
            .find((row) => row.textContent === \(quoted(line)));
          const range = document.createRange();
          range.setStart(row.firstChild, \(character));
          const box = range.getBoundingClientRect();
          return [box.left + 1, box.top + box.height / 2];
        })()
        """)
      places.append(place.elements)
    }
    let steps = [
      ("mousePressed", places[0], 1), ("mouseMoved", places[0], 1), ("mouseMoved", places[1], 1),
      ("mouseReleased", places[1], 0),
    ]
    for (kind, place, buttons) in steps {
      try await call(
        "Input.dispatchMouseEvent", ("type", .string(kind)), ("x", place[0]), ("y", place[1]),
        ("button", .string("left")), ("buttons", .integer(Int64(buttons))),
        ("clickCount", .integer(kind == "mouseMoved" ? 0 : 1)))
    }
  }
}
