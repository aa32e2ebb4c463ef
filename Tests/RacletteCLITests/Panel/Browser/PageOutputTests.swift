import Platform
import Scripting
import Testing

extension PageContentTests {
  @Suite("output")
  struct OutputTests {
    /// Lines at once, then one with each new line of the file `more`.
    private static let stream = """
      rac.command{name = "stream", params = {{name = "n", type = "integer", default = 300}},
        run = function(input)
          return rac.exec{"sh", "-c", [[
            seq -f 'line %.0f' $0; while [ ! -e more ]; do sleep 0.02; done; echo more
            while [ ! -e end ]; do sleep 0.02; done; echo end
          ]], tostring(input.n)}
        end}
      """

    @Test("whoever comes late reads the output from its first line")
    func replay() async throws {
      let visit = try await Visit(commands: Self.stream)
      try await visit.page.press(command: "stream")
      try await visit.page.waitForLine("line 300")
      let late = try await visit.tab(showing: 1)
      try await late.waitForLine("line 300")
      #expect(try await late.text(of: "#length") == "300 lines")
      try await late.click("#lines")
      try await late.press("Home")
      try await late.waitForLine("line 1")
      visit.folder.write("", to: "more")
      try await late.wait("document.getElementById('length').textContent === '301 lines'")
      visit.folder.write("", to: "end")
      try await late.waitForExecution("completed")
    }

    @Test("numbers and JSON look as the command line prints them, in output and inputs")
    func exactNumbers() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "send", run = function(_, emit)
            emit(9007199254740993) emit({id = 9007199254740993}) emit(1.0) emit({["10"] = 1, ["9"] = 2})
            return math.maxinteger
          end}
          rac.command{name = "make",
            params = {{name = "jobs", type = "integer", default = 9007199254740995}},
            run = function(input) return "made by " .. input.jobs end}
          """#)
      let page = visit.page
      try await page.press(command: "send")
      try await page.waitForLine("9223372036854775807")
      let printed = await raclette("run", "send", in: visit.folder)
      #expect(try await page.lines().map { $0 + "\n" }.joined() == printed.output)
      let field = "\(BrowserPage.row("make")) input"
      try await page.click("\(BrowserPage.row("make")) .inputs")
      #expect(
        try await page.evaluate("document.querySelector(\(quoted(field))).value").string
          == "9007199254740995")
      try await page.evaluate("document.querySelector(\(quoted(field))).value = ''")
      try await page.click(field)
      try await page.type("9007199254740993")
      try await page.press(command: "make")
      try await page.waitForLine("made by 9007199254740993")
      #expect(try await page.text(of: "#output-input") == "jobs=9007199254740993")
      #expect(try await page.text(of: "#executions .given") == "jobs=9007199254740993")
    }

    @Test("colours are drawn, and carry on from line to line")
    func colours() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "paint", run = function(_, emit)
            emit("\27[31mred")
            emit("still\27[0m plain")
            emit(" 50%\r100%")
          end}
          """#)
      try await visit.page.press(command: "paint")
      try await visit.page.waitForLine("100%")
      let painted = try await visit.page.evaluate(
        "[...document.querySelectorAll('#lines span')].map((s) => [s.textContent, s.style.color])")
      #expect(
        painted.text == #"[["red","light-dark(rgb(196, 48, 43), rgb(255, 123, 114))"],"#
          + #"["still","light-dark(rgb(196, 48, 43), rgb(255, 123, 114))"]]"#)
    }

    @Test("following ends on scrolling up, and is taken up again by the End key and the button")
    func follow() async throws {
      let visit = try await Visit(commands: Self.stream)
      let page = visit.page
      try await page.press(command: "stream")
      try await page.waitForLine("line 300")
      #expect(try await page.evaluate("document.getElementById('follow').hidden").bool == true)
      try await page.press("o")
      try await page.press("PageUp")
      try await page.wait("!document.getElementById('follow').hidden")
      let before = try await page.evaluate("document.getElementById('lines').scrollTop").double
      visit.folder.write("", to: "more")
      try await page.wait("document.getElementById('length').textContent === '301 lines'")
      try await page.frame()
      #expect(
        try await page.evaluate("document.getElementById('lines').scrollTop").double == before)
      try await page.click("#follow")
      try await page.waitForLine("more")
      try await page.wait("document.getElementById('follow').hidden")
      try await page.wheel("#lines", by: -400)
      try await page.wait("!document.getElementById('follow').hidden")
      try await page.press("End")
      try await page.wait("document.getElementById('follow').hidden")
      visit.folder.write("", to: "end")
      try await page.waitForLine("end")
    }

    @Test("a running execution that takes input has a field for a line, others have none")
    func prompt() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "ask", stdin = true,
            run = "printf 'name? '; read -r x; echo hello $x; read -r x; echo bye $x"}
          rac.command{name = "other", run = "echo up; exec sleep 1000"}
          """#)
      let page = visit.page
      let isHidden = "document.getElementById('prompt').hidden"
      try await page.press(command: "other")
      try await page.waitForLine("up")
      #expect(try await page.evaluate(isHidden).bool == true)
      try await page.press(command: "ask")
      try await page.wait("!\(isHidden)")
      try await page.click("#prompt-line")
      try await page.type("you")
      try await page.press("Enter")
      try await page.waitForLine("name? hello you")
      try await page.wait("document.getElementById('prompt-line').value === ''")
      // Whoever comes later has it, too.
      let late = try await visit.tab(showing: 2)
      try await late.wait("!\(isHidden)")
      try await late.click("#prompt-line")
      try await late.type("me")
      try await late.click("#prompt button")
      try await late.waitForLine("bye me")
      try await late.wait(isHidden)
      try await page.wait(isHidden)
    }

    @Test("a search tells how many lines match, and goes from one to the next")
    func search() async throws {
      let visit = try await Visit(commands: Self.stream)
      let page = visit.page
      try await page.press(command: "stream")
      try await page.waitForLine("line 300")
      try await page.press("/")
      try await page.type("LINE 1")
      try await page.wait("document.getElementById('found').textContent === '0 found'")
      try await page.press("Escape")
      try await page.press("/")
      try await page.type("line 11")
      // 11 and 110 to 119.
      try await page.wait("document.getElementById('found').textContent === '11 found'")
      for (key, shift, found, line) in [
        ("Enter", true, "11 of 11", "line 119"), ("Enter", false, "1 of 11", "line 11"),
        ("Enter", false, "2 of 11", "line 110"), ("Enter", true, "1 of 11", "line 11"),
      ] {
        try await page.press(key, shift: shift)
        try await page.wait("document.getElementById('found').textContent === \(quoted(found))")
        try await page.wait(
          "document.querySelector('.row.current')?.textContent === \(quoted(line))")
      }
      #expect(try await page.text(of: ".row.current mark") == "line 11")
      visit.folder.write("", to: "more")
      visit.folder.write("", to: "end")
      try await page.waitForExecution("completed")
    }

    @Test("a million lines are followed to the last, by a handful of nodes")
    func aMillionLines() async throws {
      let count = getenv("RACLETTE_LONG") == nil ? 200_000 : 1_000_000
      let visit = try await Visit(
        commands: "rac.command{name = 'count', run = {'seq', '-f', 'line %.0f', '\(count)'}}")
      let page = visit.page
      try await page.evaluate(
        """
        (() => {
          window.worst = 0;
          let last = performance.now();
          const frame = (now) => {
            worst = Math.max(worst, now - last);
            last = now;
            requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        })()
        """)
      try await page.press(command: "count")
      try await page.waitForLine("line \(count)")
      try await page.waitForExecution("completed")
      let nodes = try await page.evaluate("document.querySelectorAll('#lines *').length").int ?? 0
      #expect(nodes < 100)
      let height =
        try await page.evaluate("document.querySelector('.rows').offsetHeight").double ?? 0
      #expect(height <= 15_000_000)
      let worst = try await page.evaluate("worst").double ?? 0
      print("the page's worst frame with \(count) lines: \(Int(worst)) ms")
      try await page.click("#lines")
      try await page.press("Home")
      try await page.waitForLine("line 1")
    }

    @Test("a failure is counted once, however many pages and loads there are")
    func failure() async throws {
      let visit = try await Visit(
        commands: "rac.command{name = 'fail', run = 'echo no such thing >&2; exit 3'}")
      let page = visit.page
      let other = try await visit.tab()
      try await page.press(command: "fail")
      try await page.waitForExecution("failed")
      for tab in [page, other] {
        try await tab.wait("document.getElementById('error-count').textContent === '1'")
      }
      #expect(
        try await page.text(of: "#output-error").contains("exited with status 3: no such thing"))
      // Output comes after the events of states, and is drawn with the next frame.
      try await page.wait("document.querySelector('.row.stderr') !== null")
      #expect(try await page.evaluate("document.querySelectorAll('.row.stderr').length").int == 1)
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("document.getElementById('error-count').textContent === '1'")
      try await page.go(to: "#/messages")
      #expect(
        try await page.evaluate("document.querySelectorAll('#messages li').length").int == 1)
    }
  }
}

extension BrowserPage {
  /// Waits until a frame was drawn.
  func frame() async throws {
    try await evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
  }
}
