import Platform
import Scripting
import Testing

extension PanelPageTests {
  /// The page for those who see little of it, or have no mouse.
  @Suite("access")
  struct AccessTests {
    private static let commands = """
      rac.command{name = "build", summary = "Compile", group = "dev", panel = {pin = true, refresh = true},
        params = {{name = "target", choices = {"debug", "release"}, default = "debug"}}, run = "echo built"}
      rac.command{name = "deploy", enabled = rac.file_exists("approved"), run = "true"}
      rac.command{name = "hold", run = "while [ ! -e go ]; do sleep 0.02; done"}
      """

    @Test("nothing of the page is wider than a phone")
    func phone() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.resize(width: 390, height: 844, isPhone: true)
      try await page.press(command: "build")
      try await page.waitForLine("built")
      for (address, view) in [
        ("#/", "commands"), ("#/runs", "executions-panel"), ("#/run/1", "output"),
        ("#/timeline", "timeline"), ("#/messages", "messages-panel"),
        ("#/command/build", "command"),
      ] {
        try await page.go(to: address)
        try await page.wait("document.getElementById('\(view)').checkVisibility()")
        let width = try await page.evaluate("document.documentElement.scrollWidth").int ?? 0
        #expect(width <= 390, "\(view) is \(width) pixels wide")
      }
      try await page.click("#views a[href='#/runs']")
      try await page.click("#executions a")
      try await page.wait("document.getElementById('output').checkVisibility()")
    }

    @Test("at 400 % nothing is wider than the window, and each control can be reached")
    func magnified() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.resize(width: 320, height: 256)
      try await page.press(command: "build")
      try await page.waitForLine("built")
      // The width of the page, and the controls that a press would miss.
      try await page.evaluate(
        """
        window.unreached = () => {
          const controls = [...document.querySelectorAll(
            ":is(button, a[href], input, select, summary):not([tabindex='-1'])")];
          return [document.documentElement.scrollWidth, ...controls
            .filter((control) => control.checkVisibility({visibilityProperty: true}))
            .filter((control) => {
              control.scrollIntoView({block: "center"});
              const {x, y, width, height} = control.getBoundingClientRect();
              const found = document.elementFromPoint(x + width / 2, y + height / 2);
              return !control.contains(found) && !control.labels?.[0]?.contains(found);
            })
            .map((control) => control.outerHTML)].join("\\n");
        }
        """)
      for address in [
        "#/", "#/runs", "#/run/1", "#/timeline", "#/messages", "#/workers", "#/command/build",
      ] {
        try await page.go(to: address)
        // What it shows may still be on its way.
        do { try await page.wait("unreached() === '320'") } catch {
          Issue.record("\(address): \(try await page.evaluate("unreached()"))")
        }
      }
    }

    @Test("with the reader's own colours what is selected has an outline, and signs are drawn")
    func forcedColours() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.prefer([("forced-colors", "active")])
      try await page.press(command: "build")
      try await page.waitForLine("built")
      try await page.go(to: "#/run/1")
      for selected in ["#views a[aria-current]", ".command[data-current]"] {
        let outline = try await page.evaluate(
          "getComputedStyle(document.querySelector(\(quoted(selected)))).outlineStyle")
        #expect(outline.string == "solid", "\(selected)")
      }
      let strokes = try await page.evaluate(
        """
        (() => {
          const probe = document.createElement("p");
          probe.style.color = "CanvasText";
          document.body.append(probe);
          const {color} = getComputedStyle(probe);
          return [...document.querySelectorAll(".sign")].every((sign) =>
            getComputedStyle(sign).stroke === color);
        })()
        """)
      #expect(strokes.bool == true)
    }

    @Test("a finger pulls the commands down to refresh them")
    func pull() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.resize(width: 390, height: 844, isPhone: true)
      for (kind, y) in [
        ("touchStart", 150), ("touchMove", 200), ("touchMove", 300), ("touchEnd", 0),
      ] {
        let points: [JSONValue] =
          kind == "touchEnd" ? [] : [.object([("x", .integer(200)), ("y", .integer(Int64(y)))])]
        try await page.call(
          "Input.dispatchTouchEvent", ("type", .string(kind)), ("touchPoints", .list(points)))
      }
      try await page.wait("document.querySelector('#executions li[data-state=completed]')")
      try await page.wait("document.querySelector('.refresh').ariaBusy === 'false'")
    }

    @Test("keys alone reach commands, executions, output and help")
    func keys() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press("?")
      try await page.wait("document.getElementById('help').open")
      try await page.press("Escape")
      try await page.wait("!document.getElementById('help').open")
      try await page.press("c")
      try await page.type("hold")
      try await page.wait("document.querySelectorAll('li.command:not([hidden])').length === 1")
      try await page.press("Tab")
      while try await page.evaluate("document.activeElement.className").string != "press" {
        try await page.press("Tab")
      }
      try await page.press("Enter")
      try await page.waitForExecution("running")
      #expect(try await page.evaluate("document.activeElement.className").string == "press")
      try await page.press("e")
      try await page.wait("document.activeElement.closest('#executions')")
      try await page.press("Delete")
      try await page.waitForExecution("cancelled")
      // The command is enabled only after its execution has ended, and says until then that it is not.
      try await page.waitForState(of: "hold", containing: "enabled")
      visit.folder.write("", to: "go")
      try await page.press("c")
      repeat {
        try await page.press("Tab")
      } while try await page.evaluate(
        "document.activeElement.className"
      ).string != "press"
      try await page.press("Enter")
      try await page.waitForExecution("completed")
      try await page.press("e")
      try await page.press("ArrowDown")
      try await page.press("Enter")
      try await page.waitForExecution("cancelled")
      try await page.press("o")
      try await page.wait("document.activeElement.id === 'lines'")
      try await page.press("t")
      try await page.wait("document.querySelectorAll('#bars .ran').length === 2")
      try await page.press("m")
      try await page.wait("document.getElementById('messages-panel').checkVisibility()")
    }

    @Test("the accessibility tree names every control, and tells its state")
    func accessibilityTree() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "build")
      try await page.waitForExecution("completed")
      try await page.press(command: "hold")
      try await page.waitForState(of: "hold", containing: "running")
      try await page.waitForExecution("running")
      let tree = try await Self.tree(of: page)
      let roles: Set = [
        "button", "link", "textbox", "searchbox", "combobox", "checkbox", "tab", "tabpanel", "log",
        "toolbar", "region", "dialog",
      ]
      for control in tree where roles.contains(control.role) {
        #expect(!control.name.isEmpty, "\(control)")
      }
      func control(_ role: String, _ name: String) -> Control? {
        tree.first { $0.role == role && $0.name == name }
      }
      #expect(control("button", "Run build")?.isOff == false)
      #expect(control("button", "Run build")?.description == "enabled")
      #expect(control("button", "Run deploy")?.isOff == true)
      #expect(control("button", "Run deploy")?.description.hasPrefix("not enabled: ") == true)
      #expect(control("button", "Run hold")?.description == "running 1 of 1")
      #expect(control("button", "Refresh build") != nil)
      #expect(control("button", "build, enabled") != nil, "the pinned one")
      #expect(control("button", "Cancel") != nil)
      #expect(control("link", "Runs 1") != nil)
      #expect(control("log", "Output of hold #2") != nil)
      try await page.go(to: "#/runs")
      let links = try await Self.tree(of: page).filter { $0.role == "link" }
      #expect(links.contains { $0.name.contains("build #1") && $0.name.contains("completed") })
      #expect(links.contains { $0.name.contains("hold #2") && $0.name.contains("running") })
      visit.folder.write("", to: "go")
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('hold completed after')")
      visit.folder.write("", to: "approved")
      try await page.wait(
        "document.getElementById('announcements').textContent.includes('deploy is enabled')")
    }

    @Test("nothing moves for those who do not want it")
    func reducedMotion() async throws {
      let visit = try await Visit(commands: Self.commands)
      try await visit.page.prefer([("prefers-reduced-motion", "reduce")])
      try await visit.page.press(command: "hold")
      try await visit.page.waitForExecution("running")
      #expect(
        try await visit.page.evaluate("document.getAnimations().length").int == 0)
    }

    private static func tree(of page: BrowserPage) async throws -> [Control] {
      try await page.call("Accessibility.getFullAXTree")["nodes"].elements
        .filter { $0["ignored"].bool != true }
        .map { node in
          Control(
            role: node["role"]["value"].string ?? "", name: node["name"]["value"].string ?? "",
            description: node["description"]["value"].string ?? "",
            isOff: node["properties"].elements.contains {
              $0["name"].string == "disabled" && $0["value"]["value"].bool == true
            })
        }
    }

    private struct Control {
      let role: String
      let name: String
      let description: String
      let isOff: Bool
    }
  }
}
