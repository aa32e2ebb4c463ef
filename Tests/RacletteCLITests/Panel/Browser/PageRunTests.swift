import Scripting
import Testing

extension PageContentTests {
  /// The page of a run: its head, its errors, its values.
  @Suite("a run")
  struct RunTests {
    private static let commands = #"""
      rac.command{name = "make", params = {{name = "jobs", type = "integer", default = 4}},
        run = function(input) return "made by " .. input.jobs end}
      rac.command{name = "fail", run = [[
        seq -f 'line %.0f' 200; echo 'a.c:1: error: first'; seq -f 'more %.0f' 200
        echo 'Error: last' ; exit 3
      ]]}
      local size = 0
      rac.command{name = "grow", run = function(_, emit)
        size = size + 1
        for n = 1, 3 do emit(9007199254740992 + n * size) end
      end}
      rac.command{name = "list", run = function(_, emit)
        emit({name = "b", size = 9007199254740993, n = 10})
        emit({name = "a", size = 9007199254740992, n = 9})
      end}
      """#

    @Test("its head has its times and status, and runs it again with the same input")
    func head() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "fail")
      try await page.waitForExecution("failed")
      try await page.wait("document.querySelector('[data-fact=status]') !== null")
      #expect(try await page.text(of: "[data-fact=status]") == "status 3")
      #expect(try await page.text(of: "[data-fact=by]") == "from a page")
      try await page.wait("document.getElementById('again').ariaDisabled !== 'true'")
      try await page.click("#again")
      try await page.wait("document.getElementById('output-title').textContent === 'fail #2'")

      let input = #"{"input":{"jobs":9007199254740993}}"#
      try await page.evaluate(
        """
        fetch("api/v1/commands/make/executions", {
          method: "POST", body: \(quoted(input)), headers: {
            "Authorization": "Bearer " + sessionStorage.getItem("raclette token"),
            "Content-Type": "application/json",
          }}).then((answer) => answer.json()).then(({id}) => location.hash = "#execution=" + id)
        """)
      try await page.waitForLine("made by 9007199254740993")
      try await page.waitForExecution("completed")
      try await page.wait("document.getElementById('again').ariaDisabled !== 'true'")
      try await page.click("#again")
      try await page.wait("document.getElementById('output-title').textContent === 'make #4'")
      try await page.waitForLine("made by 9007199254740993")
      try await page.waitForExecution("completed")

      try await page.click("#again-with")
      let field = "document.querySelector('#command input[name=jobs]')"
      try await page.wait("\(field)?.value === '9007199254740993'")
      try await page.wait("document.querySelector('#command .press').ariaDisabled !== 'true'")
      try await page.evaluate("\(field).value = '9007199254740995'")
      try await page.evaluate("\(field).form.requestSubmit()")
      try await page.waitForLine("made by 9007199254740995")
    }

    @Test("what it needs folds: with states and times, and the end of its output")
    func needs() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "gen", run = [[printf '\033[31mred\033[0m\n10%%\r100%%\n']]}
          rac.command{name = "check", needs = "gen", run = [[
            while [ ! -e go ]; do sleep 0.02; done; seq 300; echo wrong >&2; exit 2]]}
          rac.command{name = "all", needs = {"gen", "check"}, run = "true"}
          """#)
      let page = visit.page
      try await page.press(command: "all")
      let summary = "document.querySelector('#output-needs > summary').textContent"
      let parts =
        "[...document.querySelectorAll('#output-needs li summary')].map((part) => "
        + "['name', 'number', 'state'].map((name) => part.querySelector('.' + name).textContent).join(' '))"
      try await page.wait("\(parts).join() === 'gen #2 completed,check #3 running'")
      #expect(try await page.evaluate(summary).string == "Needs gen, check")
      visit.folder.write("", to: "go")
      try await page.wait("\(parts).join() === 'gen #2 completed,check #3 exit 2'")
      try await page.wait("\(summary) === 'Needs gen, check; check failed'")
      // What has failed is open.
      try await page.wait(
        """
        (() => {
          const log = document.querySelector('#output-needs [data-state=failed] details[open] .log');
          const lines = log?.textContent.split('\\n') ?? [];
          return lines.length === 200 && lines.at(-1) === 'wrong' && lines[0] === '102';
        })()
        """)
      try await page.click("#output-needs [data-state=completed] summary")
      try await page.wait(
        "document.querySelector('#output-needs [data-state=completed] .log').textContent === 'red\\n100%'"
      )
    }

    @Test("the borders of panes are moved by keys and the pointer, and stay where they were put")
    func panes() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.resize(width: 1400, height: 900)
      try await page.press(command: "make")
      try await page.waitForLine("made by 4")
      let width = "document.getElementById('commands').offsetWidth"
      let before = try await page.evaluate(width).int ?? 0
      try await page.evaluate("document.getElementById('split-commands').focus()")
      for _ in 1...2 { try await page.press("ArrowRight") }
      try await page.wait("\(width) === \(before + 48)")
      try await page.wait(
        "document.getElementById('split-commands').ariaValueNow === '\(before + 48)'")
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("\(width) === \(before + 48)")
      try await page.evaluate("document.getElementById('split-commands').focus()")
      try await page.press("Delete")
      try await page.wait("\(width) === \(before)")
      try await page.go(to: "#/")
      let height = "document.getElementById('timeline').offsetHeight"
      try await page.evaluate("document.getElementById('split-timeline').focus()")
      try await page.press("Home")
      try await page.wait("\(height) === 80")
      let runs = "document.getElementById('executions-panel').offsetWidth"
      let wide = try await page.evaluate(runs).int ?? 0
      try await page.evaluate("document.getElementById('split-runs').focus()")
      try await page.press("ArrowLeft")
      try await page.wait("\(runs) === \(wide + 24)")
    }

    @Test("a key and a button lead to its errors, which are marked at the scroll bar")
    func errors() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "fail")
      try await page.waitForExecution("failed")
      try await page.wait("document.getElementById('next-error').textContent === '2 errors'")
      try await page.wait("document.querySelector('.rail .wrong').getAttribute('d') !== ''")
      try await page.press("o")
      try await page.press("Home")
      try await page.waitForLine("line 1")
      for (press, line) in [
        ("x", "a.c:1: error: first"), ("x", "Error: last"), ("X", "a.c:1: error: first"),
      ] {
        try await page.press(press)
        try await page.wait(
          "document.querySelector('.row.current')?.textContent === \(quoted(line))")
      }
      try await page.click("#next-error")
      try await page.wait("document.querySelector('.row.current')?.textContent === 'Error: last'")
    }

    @Test(
      "Ctrl-F searches in the output, and a reload keeps what is sought and where the reader was")
    func find() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "fail")
      try await page.waitForExecution("failed")
      try await page.press("o")
      try await page.press("f", control: true)
      #expect(try await page.evaluate("document.activeElement.id").string == "search")
      try await page.type("more 100")
      try await page.wait("document.getElementById('found').textContent === '1 found'")
      try await page.press("Enter")
      try await page.wait("document.querySelector('.row.current')?.textContent === 'more 100'")
      let first = "document.querySelector('#lines .row:not([hidden])').dataset.line"
      let before = try await page.evaluate(first).string
      try await page.reload()
      try await page.waitForConnection()
      try await page.wait("document.querySelector('mark')?.textContent === 'more 100'")
      try await page.wait("\(first) === \(quoted(before ?? ""))")
      #expect(
        try await page.evaluate("document.getElementById('search').value").string == "more 100")
    }

    @Test("numbers are a curve beside that of the last run, records a table that sorts, both exact")
    func values() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "make")
      try await page.waitForLine("made by 4")
      #expect(
        try await page.evaluate("document.getElementById('output-tabs').hidden").bool == true)
      for number in [2, 3] {
        try await page.waitForPress(of: "grow")
        try await page.press(command: "grow")
        try await page.wait(
          "document.getElementById('output-title').textContent === 'grow #\(number)'")
        try await page.waitForExecution("completed")
      }
      try await page.click("#values-tab")
      try await page.wait("document.querySelector('.value-chart .before').getAttribute('d') !== ''")
      #expect(try await page.text(of: ".comparison") == "Values: 3 of 3 differ from those of #2")
      #expect(try await page.text(of: ".told") == "last 9007199254740998")
      try await page.click(".plot")
      for _ in 1...3 { try await page.press("ArrowRight") }
      try await page.wait(
        "document.querySelector('.told').textContent === '3 of 3: 9007199254740998'")

      try await page.press(command: "list")
      try await page.wait("document.getElementById('output-title').textContent === 'list #4'")
      try await page.waitForExecution("completed")
      try await page.click("#values-tab")
      try await page.wait("document.querySelectorAll('.value-table tbody tr').length === 2")
      for (column, order) in [
        ("size", "a,b"), ("size", "b,a"), ("size", "b,a"), ("n", "a,b"), ("name", "a,b"),
      ] {
        try await page.evaluate(
          """
          [...document.querySelectorAll(".value-table th button")]
            .find((head) => head.textContent === \(quoted(column))).click()
          """)
        let names =
          "[...document.querySelectorAll('.value-table tbody tr')].map((row) => "
          + "[...row.cells].find(({textContent}) => /^[ab]$/.test(textContent)).textContent).join()"
        #expect(try await page.evaluate(names).string == order)
      }
    }
  }
}
