import Scripting
import Testing

extension PageContentTests {
  /// What the buttons of the seeds do, on a page.
  @Suite("controls")
  struct ControlTests {
    /// A shell line that goes on until there is a file `go`.
    private static let waiting = "while [ ! -e go ]; do sleep 0.02; done"

    @Test("a button goes off with its reason, and on again when the condition does")
    func condition() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "deploy", enabled = rac.file_exists("approved"), run = "echo deployed"}
          """)
      let page = visit.page
      let state = try await page.waitForState(of: "deploy", containing: "not enabled: ")
      #expect(state.count > "not enabled: ".count)
      #expect(try await !page.isOn("deploy"))
      try await page.press(command: "deploy")
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('deploy: not enabled')")
      visit.folder.write("", to: "approved")
      try await page.waitForState(of: "deploy", containing: "enabled")
      try await page.wait("\(Self.button("deploy")).ariaDisabled === 'false'")
      try await page.press(command: "deploy")
      try await page.waitForLine("deployed")
      try await page.wait("\(Self.button("deploy")).ariaDisabled === 'false'")
      visit.folder.remove("approved")
      try await page.wait("\(Self.button("deploy")).ariaDisabled === 'true'")
      #expect(
        try await page.evaluate("document.querySelectorAll('#executions li').length").int == 1)
    }

    @Test("a press shows the execution at work, and the button of a serial command is off")
    func running() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "build", run = "echo begun; \(Self.waiting)"}
          rac.command{name = "many", concurrency = 2, run = "\(Self.waiting)"}
          rac.command{name = "wait", when_busy = "queue", run = "\(Self.waiting)"}
          """)
      let page = visit.page
      try await page.press(command: "build")
      try await page.waitForLine("begun")
      try await page.waitForState(of: "build", containing: "running 1 of 1")
      #expect(try await !page.isOn("build"))
      try await page.waitForExecution("running")
      try await page.press(command: "many")
      try await page.waitForState(of: "many", containing: "running 1 of 2")
      #expect(try await page.isOn("many"))
      try await page.press(command: "many")
      try await page.waitForState(of: "many", containing: "running 2 of 2")
      #expect(try await !page.isOn("many"))
      try await page.press(command: "wait")
      try await page.waitForState(of: "wait", containing: "running 1 of 1")
      try await page.press(command: "wait")
      try await page.waitForState(of: "wait", containing: "1 queued")
      visit.folder.write("", to: "go")
      for name in ["build", "many", "wait"] {
        try await page.wait("\(Self.button(name)).ariaDisabled === 'false'")
        try await page.waitForState(of: name, containing: "enabled")
      }
    }

    @Test("the focus stays on a button that goes off")
    func focus() async throws {
      let visit = try await Visit(
        commands: "rac.command{name = 'build', run = \"\(Self.waiting)\"}")
      try await visit.page.press(command: "build")
      try await visit.page.waitForState(of: "build", containing: "running")
      #expect(
        try await visit.page.evaluate("document.activeElement === \(Self.button("build"))").bool
          == true)
    }

    @Test("cancel shows 'cancelling' until the process group is gone")
    func cancelling() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "stubborn", run = function()
            return rac.sh([[
              trap '\(Self.waiting); exit' TERM
              echo ready
              while :; do sleep 0.02; done
            ]], {grace = 100})
          end}
          """)
      let page = visit.page
      try await page.press(command: "stubborn")
      try await page.waitForLine("ready")
      try await page.click("#cancel")
      try await page.waitForExecution("cancelling")
      #expect(try await page.text(of: "#cancel") == "Cancelling…")
      #expect(
        try await page.evaluate("document.getElementById('cancel').ariaDisabled").string == "true")
      #expect(try await page.text(of: "li[data-command='stubborn'] .state") == "running 1 of 1")
      visit.folder.write("", to: "go")
      try await page.waitForExecution("cancelled")
      try await page.waitForState(of: "stubborn", containing: "enabled")
      #expect(try await page.evaluate("document.getElementById('cancel').hidden").bool == true)
    }

    @Test("the form's values arrive as what their parameters are")
    func form() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{
            name = "build", params = {
              {name = "target", choices = {"debug", "release"}, default = "debug"},
              {name = "jobs", type = "integer"}, {name = "clean", type = "boolean"},
              {name = "label", required = true}, {name = "args", rest = true},
            },
            run = function(input) return rac.json.encode(input) end,
          }
          """)
      let page = visit.page
      try await page.press(command: "build")
      try await page.wait("document.querySelector('[name=label]')?.ariaInvalid === 'true'")
      #expect(
        try await page.evaluate("document.activeElement.name").string == "label",
        "the field that is wrong has the focus")
      let problem = try await page.text(of: ".field:has([name=label]) .problem")
      #expect(problem.contains("'label'"), "\(problem)")
      try await page.type("first one")
      try await page.click("[name=jobs]")
      try await page.type("many")
      try await page.press("Enter")
      try await page.wait("document.querySelector('[name=jobs]').ariaInvalid === 'true'")
      let kind = try await page.text(of: ".field:has([name=jobs]) .problem")
      #expect(kind.contains("integer"), "\(kind)")
      try await page.evaluate("document.querySelector('[name=jobs]').value = '9007199254740993'")
      try await page.evaluate("document.querySelector('[name=target]').value = 'release'")
      try await page.evaluate("document.querySelector('[name=args]').value = 'a b\\n--c'")
      try await page.click("[name=clean]")
      try await page.press(command: "build")
      try await page.waitForLine(
        #"{"args":["a b","--c"],"clean":true,"jobs":9007199254740993,"label":"first one","target":"release"}"#
      )
    }

    @Test("a command that takes any parameters takes any JSON")
    func anyInput() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "free", params = "any", run = function(input) return rac.json.encode(input) end}
          """)
      try await visit.page.click(".inputs")
      try await visit.page.click("[name=JSON]")
      try await visit.page.type("{1")
      try await visit.page.press(command: "free")
      try await visit.page.wait("document.querySelector('[name=JSON]').ariaInvalid === 'true'")
      try await visit.page.evaluate("document.querySelector('[name=JSON]').value = ''")
      try await visit.page.type(#"{"deep": [1, {"er": null}]}"#)
      try await visit.page.press(command: "free")
      try await visit.page.waitForLine(#"{"deep":[1,{}]}"#)
    }

    @Test("a command that asks is executed once the reader has said yes")
    func confirmation() async throws {
      let visit = try await Visit(
        commands: "rac.command{name = 'deploy', confirm = 'Really deploy?', run = 'echo deployed'}")
      let page = visit.page
      try await page.press(command: "deploy")
      try await page.wait("document.getElementById('confirm').open")
      #expect(try await page.text(of: "#confirm-questions") == "deployReally deploy?")
      try await page.press("Enter")
      try await page.wait("!document.getElementById('confirm').open")
      try await page.press(command: "deploy")
      try await page.wait("document.getElementById('confirm').open")
      try await page.click("#confirm button[value=yes]")
      try await page.waitForLine("deployed")
      #expect(
        try await page.evaluate("document.querySelectorAll('#executions li').length").int == 1,
        "no was the answer to the first")
    }

    @Test("a pinned command is in the header, with its own input")
    func pin() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{
            name = "build", params = {{name = "target", default = "debug"}},
            panel = {pin = true, input = {target = "release"}},
            run = function(input) return "built " .. input.target end,
          }
          """)
      try await visit.page.click(".pin[data-command=build]")
      try await visit.page.waitForLine("built release")
    }

    @Test("a changed command file gives the controls their new commands, and keeps what was typed")
    func rebinding() async throws {
      let before = """
        rac.command{name = "greet", params = {{name = "who"}},
          run = function(input) return "hello " .. input.who end}
        rac.command{name = "gone", run = "true"}
        """
      let visit = try await Visit(commands: before)
      let page = visit.page
      try await page.click("li[data-command=greet] .inputs")
      try await page.click("[name=who]")
      try await page.type("world")
      try await page.press(command: "greet")
      try await page.waitForLine("hello world")
      try await page.evaluate("window.button = \(Self.button("greet")); button.focus()")
      visit.folder.write(
        """
        rac.command{name = "greet", summary = "In another way", params = {{name = "who"}},
          run = function(input) return "good day " .. input.who end}
        rac.command{name = "new", run = "true"}
        """, to: "commands.lua")
      try await page.wait("document.querySelector('li[data-command=new]')")
      #expect(try await page.evaluate("document.querySelector('li[data-command=gone]')").isNull)
      #expect(try await page.text(of: "li[data-command=greet] .summary") == "In another way")
      #expect(try await page.evaluate("button === document.activeElement").bool == true)
      try await page.press("Enter")
      try await page.waitForLine("good day world")
      visit.folder.write("rac.command{name =", to: "commands.lua")
      try await page.wait("!document.getElementById('notice').hidden")
      #expect(try await page.text(of: "#notice-text").contains("commands.lua:"))
      try await page.press(command: "greet")
      try await page.wait("document.querySelectorAll('#executions li').length === 3")
    }

    @Test("what was typed stays when the parameters change, where there still is such a one")
    func typedForm() async throws {
      let file = { (parameters: String) in
        """
        rac.command{name = "form", params = {\(parameters)},
          run = function(input) return rac.json.encode(input) end}
        """
      }
      let visit = try await Visit(
        commands: file(
          #"{name = "who", default = "me"}, {name = "kept", choices = {1, 2, 3}, type = "integer"}, "#
            + #"{name = "gone"}, {name = "yes", type = "boolean"}, {name = "usual", default = "old"}"#
        ))
      let page = visit.page
      try await page.click("li[data-command=form] .inputs")
      try await page.click("[name=gone]")
      try await page.type("lost")
      try await page.click("[name=yes]")
      try await page.evaluate(
        "(() => { const s = document.querySelector('[name=kept]'); s.value = '3'; })()")
      try await page.click("[name=who]")
      try await page.press("End")
      try await page.type(" and you")
      visit.folder.write(
        file(
          #"{name = "new"}, {name = "who", default = "us", help = "whom to greet"}, "#
            + #"{name = "kept", choices = {3, 4}, type = "integer"}, {name = "yes", type = "boolean", help = "x"}, "#
            + #"{name = "usual", default = "new"}"#), to: "commands.lua")
      try await page.wait("document.querySelector('[name=new]')")
      #expect(try await page.evaluate("document.activeElement.name").string == "who")
      try await page.press(command: "form")
      try await page.waitForLine(
        #"{"kept":3,"usual":"new","who":"me and you","yes":true}"#)
    }

    @Test("refresh controls end in order, each on the page that pressed it")
    func refreshControls() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "status", concurrency = "unlimited", panel = {refresh = true},
            params = {{name = "file", default = "go"}},
            run = function(input)
              rac.file_exists(input.file):filter(function(is) return is end):take(1):wait()
            end}
          """)
      let page = visit.page
      let other = try await visit.tab()
      let busy = "document.querySelector('.refresh').ariaBusy"
      try await page.click(".refresh")
      try await page.wait("\(busy) === 'true'")
      #expect(try await other.evaluate(busy).string == "false")
      try await page.wait(
        "document.querySelectorAll('#executions li[data-state=running]').length === 1")
      try await page.click(".refresh")
      for tab in [page, other] {
        try await tab.wait(
          "document.querySelectorAll('#executions li[data-state=running]').length === 2")
      }
      #expect(try await other.evaluate(busy).string == "false")
      // The second ends first: the control waits for the first all the same.
      try await page.go(to: "#/run/2")
      try await page.wait("document.getElementById('output-title').textContent.endsWith('#2')")
      try await page.click("#cancel")
      try await page.waitForExecution("cancelled")
      #expect(try await page.evaluate(busy).string == "true")
      visit.folder.write("", to: "go")
      try await page.wait("\(busy) === 'false'")
    }

    /// The button of a command, for JavaScript.
    private static func button(_ command: String) -> String {
      "document.querySelector(\"li[data-command='\(command)'] .press\")"
    }
  }
}
