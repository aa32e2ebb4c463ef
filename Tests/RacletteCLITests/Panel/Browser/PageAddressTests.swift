import Scripting
import Testing

extension PanelPageTests {
  /// Addresses of views, the way back through them, and what is in the window.
  @Suite("addresses")
  struct AddressTests {
    private static let commands = """
      rac.command{name = "build", run = "echo built"}
      rac.command{name = "lint", run = "echo linted"}
      """

    @Test("on a phone a press shows its output, and the way back leads to the commands")
    func wayBack() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.resize(width: 390, height: 844, isPhone: true)
      try await page.press(command: "build")
      try await page.waitForLine("built")
      #expect(try await page.evaluate("location.hash").string == "#/run/1")
      #expect(try await page.isSeen("output"))
      try await page.evaluate("history.back()")
      try await page.wait(
        "location.hash !== '#/run/1' && !document.getElementById('output').checkVisibility()")
      #expect(try await page.isSeen("commands"))
      try await page.press(command: "lint")
      try await page.waitForLine("linted")
      try await page.press("m")
      try await page.wait("document.getElementById('messages-panel').checkVisibility()")
      #expect(try await page.evaluate("location.hash").string == "#/messages")
      try await page.evaluate("history.back()")
      try await page.waitForLine("linted")
      withExtendedLifetime(visit) {}
    }

    @Test("a reader who goes elsewhere before a press is answered stays there")
    func goneElsewhere() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.holdAnswers(to: "build")
      try await page.press(command: "build")
      try await page.waitForExecution("completed")
      try await page.press("e")
      try await page.releaseAnswers(to: "build")
      try await page.wait(
        "!document.querySelector('[data-command=build] .press').matches('[aria-busy=true]')")
      #expect(try await page.evaluate("location.hash").string == "#/runs")
      #expect(
        try await page.evaluate("!!document.activeElement.closest('#executions')").bool == true)
      withExtendedLifetime(visit) {}
    }

    @Test("two presses that wait for their answers together lead to their runs in turn")
    func twoPresses() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.holdAnswers(to: "build", "lint")
      try await page.press(command: "build")
      try await page.press(command: "lint")
      for (run, command) in [(1, "build"), (2, "lint")] {
        try await page.releaseAnswers(to: command)
        try await page.wait("location.hash === '#/run/\(run)'")
      }
      withExtendedLifetime(visit) {}
    }

    @Test("a reader who goes elsewhere and comes back by hand is not led on by a later answer")
    func cameBack() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.holdAnswers(to: "build", "lint")
      try await page.press(command: "build")
      try await page.press(command: "lint")
      try await page.releaseAnswers(to: "build")
      try await page.wait("location.hash === '#/run/1'")
      try await page.go(to: "#/messages")
      try await page.go(to: "#/run/1")
      try await page.releaseAnswers(to: "lint")
      try await page.wait(
        "!document.querySelector('[data-command=lint] .press').matches('[aria-busy=true]')")
      #expect(try await page.evaluate("location.hash").string == "#/run/1")
      withExtendedLifetime(visit) {}
    }

    @Test("a view survives a reload, and the panel's earlier links lead where they did")
    func reload() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = visit.page
      try await page.press(command: "build")
      try await page.waitForLine("built")
      for (address, part) in [
        ("#/timeline", "timeline"), ("#/messages", "messages-panel"),
        ("#/runs", "executions-panel"),
        ("#/run/1", "output"),
      ] {
        try await page.evaluate("location.hash = '\(address)'")
        try await page.reload()
        try await page.waitForConnection()
        #expect(try await page.isSeen(part), "\(address)")
      }
      try await page.evaluate("location.hash = '#/runs'")
      try await page.evaluate("location.hash = '#execution=1'")
      try await page.wait("location.hash === '#/run/1'")
      try await page.waitForLine("built")
      withExtendedLifetime(visit) {}
    }

    @Test("however many commands there are, the page itself never scrolls")
    func scrolling() async throws {
      let visit = try await Visit(
        commands: """
          for n = 1, 300 do
            rac.command{name = "c" .. n, panel = {refresh = true}, run = "true",
              params = {{name = "target"}}}
          end
          """)
      let page = visit.page
      for (width, height) in [(1_280, 720), (390, 720)] as [(Int64, Int)] {
        try await page.resize(width: width, height: Int64(height))
        try await page.wait("document.querySelectorAll('li.command').length === 300")
        for address in ["#/", "#/runs", "#/timeline", "#/messages"] {
          try await page.evaluate("location.hash = '\(address)'")
          #expect(
            try await page.evaluate("document.scrollingElement.scrollHeight").int == height,
            "\(address) at \(width) pixels")
        }
      }
      withExtendedLifetime(visit) {}
    }
  }
}

extension BrowserPage {
  /// Whether an element can be seen.
  func isSeen(_ id: String) async throws -> Bool {
    try await evaluate("document.getElementById('\(id)').checkVisibility()").bool ?? false
  }
}
