import Platform
import Scripting
import Testing

extension PanelPageTests {
  @Suite("connection")
  struct ConnectionTests {
    private static let commands = """
      rac.command{name = "hold", run = "echo begun; while [ ! -e go ]; do sleep 0.02; done"}
      """

    /// Waits until the journal has an execution in a state: it is written behind the panel's back.
    private static func waitForRecord(_ state: String, _ visit: Visit) async {
      await onThread {
        _ = eventually {
          Running(Launch(arguments: [":history", "--json"], folder: visit.folder.path)).finish()
            .output.contains("\"state\":\"\(state)\"")
        }
      }
    }

    @Test("ten tabs share one stream, and all of them see what happens")
    func tenTabs() async throws {
      let visit = try await Visit(commands: Self.commands)
      var tabs = [visit.page]
      for _ in 1..<10 { tabs.append(try await visit.tab()) }
      try await visit.page.press(command: "hold")
      for tab in tabs {
        try await tab.waitForState(of: "hold", containing: "running")
        try await tab.go(to: "#/run/1")
        try await tab.waitForLine("begun")
      }
      visit.folder.write("", to: "go")
      for tab in tabs { try await tab.waitForExecution("completed") }
      // Those that are closed keep nothing from the others.
      for tab in tabs.dropFirst() { try await tab.close() }
      try await visit.page.press(command: "hold")
      try await visit.page.wait("document.querySelectorAll('#executions li').length === 2")
    }

    @Test("a browser without shared workers has a stream of its own")
    func withoutSharedWorker() async throws {
      let visit = try await Visit(commands: Self.commands)
      let page = try await BrowserPage(in: visit.browser)
      try await page.call(
        "Page.addScriptToEvaluateOnNewDocument", ("source", .string("delete window.SharedWorker")))
      try await page.open(visit.panel.address)
      try await page.waitForConnection()
      #expect(try await page.evaluate("typeof SharedWorker").string == "undefined")
      try await page.press(command: "hold")
      try await page.waitForLine("begun")
      visit.folder.write("", to: "go")
      try await page.waitForExecution("completed")
    }

    @Test("a panel that is killed and comes back finds its pages again")
    func comesBack() async throws {
      let visit = try await Visit(
        commands: Self.commands, "--token-file", "token")
      let page = visit.page
      try await page.press(command: "hold")
      try await page.waitForLine("begun")
      await Self.waitForRecord("running", visit)
      await visit.panel.end(by: SIGKILL)
      try await page.wait("document.body.dataset.connected === 'false'")
      try await page.waitForState(of: "hold", containing: "not connected")
      #expect(try await !page.isOn("hold"))
      #expect(try await page.text(of: "#connection") == "not connected, reconnecting…")
      let next = await RunningPanel(
        ["--token-file", "token", "--listen", visit.panel.listen], in: visit.folder)
      try await page.waitForConnection()
      // What it was doing is lost, and shown so.
      try await page.wait(
        "document.querySelector('#notice-text').textContent === 'The panel was started again.'")
      try await page.waitForExecution("failed")
      visit.folder.write("", to: "go")
      try await page.press(command: "hold")
      try await page.waitForLine("begun")
      try await page.waitForExecution("completed")
      await next.end(by: SIGINT)
    }

    @Test("what was executed is there again when the panel is started again")
    func showsThePast() async throws {
      let visit = try await Visit(
        commands: "rac.command{name = 'say', run = 'echo hello'}", "--token-file", "token")
      let page = visit.page
      try await page.press(command: "say")
      try await page.waitForLine("hello")
      try await page.waitForExecution("completed")
      await Self.waitForRecord("completed", visit)
      await visit.panel.end(by: SIGKILL)
      try await page.wait("document.body.dataset.connected === 'false'")
      let next = await RunningPanel(
        ["--token-file", "token", "--listen", visit.panel.listen], in: visit.folder)
      try await page.waitForConnection()
      try await page.wait(
        "document.querySelector('#notice-text').textContent === 'The panel was started again.'")
      try await page.waitForExecution("completed")
      let later = try await visit.tab(showing: 1)
      try await later.waitForLine("hello")
      await next.end(by: SIGINT)
    }

    @Test("a panel that hangs is noticed: the page says so and answers presses")
    func hang() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "hold", run = "echo begun; while [ ! -e go ]; do sleep 0.02; done"}
          rac.command{name = "other", run = "true"}
          """)
      let page = visit.page
      try await page.press(command: "hold")
      try await page.waitForLine("begun")
      visit.panel.get(signal: SIGSTOP)
      try await page.press(command: "other")
      let problem = "document.querySelector(\"\(BrowserPage.row("other")) > .problem\")"
      try await page.wait("!\(problem).hidden")
      #expect(
        try await page.evaluate("\(problem).textContent").string == "the panel gives no answer")
      try await page.wait("document.body.dataset.connected === 'false'")
      #expect(try await page.text(of: "#connection") == "not answering, waiting for the panel…")
      visit.panel.get(signal: SIGCONT)
      try await page.waitForConnection()
      visit.folder.write("", to: "go")
      try await page.waitForExecution("completed")
    }
  }
}
