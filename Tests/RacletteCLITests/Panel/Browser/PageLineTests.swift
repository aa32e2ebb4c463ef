import Scripting
import Testing

extension PageContentTests {
  /// How lines of output are drawn.
  @Suite("lines")
  struct LineTests {
    @Test("progress over several lines is drawn as a terminal would, with what is not ended of it")
    func progress() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "pull", tty = true, run = [[
            printf 'a 0%%\nb 0%%\n'
            for n in 1 2 3; do printf '\033[2A\033[2Ka %d%%\n\033[2Kb %d%%\n' $n $n; done
            printf 'left'; while [ ! -e more ]; do sleep 0.02; done; printf '\r\033[1A\033[Jdone\n'
          ]]}
          """#)
      let page = visit.page
      try await page.press(command: "pull")
      try await page.waitForLine("left")
      #expect(try await page.lines() == ["a 3%", "b 3%", "left"])
      visit.folder.write("", to: "more")
      try await page.waitForLine("done")
      #expect(try await page.lines() == ["a 3%", "done"])
    }

    @Test("long lines wrap by a switch that this browser remembers, and are shown whole by a press")
    func longLines() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "long", run = function(_, emit)
            emit(("0123456789"):rep(700) .. "end") emit("short") emit("see https://a.example/b, src/a.c:3")
          end}
          """#)
      let page = visit.page
      try await visit.allowClipboard()
      try await page.press(command: "long")
      try await page.waitForLine("short")
      let height = "document.querySelector('#lines .row')?.offsetHeight"
      #expect(try await page.evaluate(height).int == 18)
      try await page.click("#wrap")
      try await page.wait("\(height) > 18 && \(height) % 18 === 0")
      #expect(try await page.text(of: ".rest") == "… 2,003 more characters")
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("\(height) > 18")
      #expect(
        try await page.evaluate("document.getElementById('wrap').ariaPressed").string == "true")
      try await page.click(".rest")
      try await page.wait("document.getElementById('whole-line').open")
      #expect(try await page.text(of: "#whole-line-title") == "Line 1, 7,003 characters")
      #expect(
        try await page.text(of: "#whole-line-text")
          == String(repeating: "0123456789", count: 700) + "end")
      try await page.press("Escape")
      try await page.wait("!document.getElementById('whole-line').open")
      let link = try await page.evaluate(
        "(({href, rel, target}) => [href, rel, target])(document.querySelector('#lines a'))")
      #expect(link.text == #"["https://a.example/b","noopener noreferrer","_blank"]"#)
      try await page.click("#lines .place")
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('src/a.c:3 copied')")
      #expect(try await page.evaluate("navigator.clipboard.readText()").string == "src/a.c:3")
    }

    @Test("the mark of standard error is explained where there is any, and times are a switch away")
    func legend() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "plain", run = "echo out"}
          rac.command{name = "both", run = "echo out; echo err >&2; printf 'a\\0b\\n'"}
          """#)
      let page = visit.page
      let isHidden = "document.getElementById('legend').hidden"
      try await page.press(command: "plain")
      try await page.waitForLine("out")
      #expect(try await page.evaluate(isHidden).bool == true)
      try await page.press(command: "both")
      try await page.waitForLine("a␀b")
      try await page.wait("!\(isHidden)")
      #expect(
        try await page.text(of: ".row.stderr") == "err")
      try await page.click("#times")
      try await page.wait(
        "/^[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}$/.test(document.querySelector('.row').dataset.time)"
      )
    }
  }
}
