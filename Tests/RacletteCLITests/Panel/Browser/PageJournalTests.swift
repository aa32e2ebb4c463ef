import Platform
import Testing

extension PanelPageTests {
  /// The page of a panel whose presses workers execute.
  @Suite("a shared journal", .enabled(if: TestServer.isInstalled))
  struct JournalTests {
    @Test("a press goes to a worker, whose name stands at the execution, its lane and its tab")
    func worker() async throws {
      let url = TestServer.shared.database()
      let visit = try await Visit(
        commands: """
          rac.command{name = "build", enabled = rac.just(true), run = "echo built"}
          """, "--journal", url)
      let page = visit.page
      try await page.waitForState(of: "build", containing: "asked by workers")
      try await page.press("w")
      try await page.wait("document.getElementById('no-worker').checkVisibility()")
      try await page.press(command: "build")
      try await page.waitForExecution("queued")
      let worker = Running(
        Launch(
          arguments: ["worker", "--journal", url], folder: visit.folder.path,
          environment: ["XDG_CACHE_HOME": visit.folder["cache"]]))
      try await page.waitForLine("built")
      try await page.waitForExecution("completed")
      let name =
        try await page.wait(
          "document.querySelector('#workers .name')?.textContent"
        ).string ?? ""
      #expect(name.contains(":"))
      #expect(try await page.text(of: "#executions .why").hasSuffix("on \(name)"))
      #expect(try await page.text(of: "#output-facts").contains("on \(name)"))
      try await page.go(to: "#/timeline")
      try await page.wait("document.querySelector('#lanes li')?.textContent === '\(name)'")
      worker.get(signal: SIGTERM)
      _ = await onThread { worker.finish() }
      try await page.go(to: "#/workers")
      try await page.wait("document.getElementById('no-worker').checkVisibility()")
    }

    @Test("the page says that the server is away, and goes on when it is back")
    func outage() async throws {
      let server = TestServer(["fsync=off"])
      defer { server.stop() }
      let visit = try await Visit(
        commands: "rac.command{name = 'build', run = 'echo built'}", "--journal", server.database())
      let page = visit.page
      await onThread { server.kill() }
      try await page.wait(
        "document.getElementById('connection').textContent.includes('the journal is away')")
      try await page.press(command: "build")
      try await page.wait("document.querySelector('.command').innerText.includes('is lost')")
      await onThread { server.start() }
      try await page.wait("document.getElementById('connection').textContent === 'connected'")
    }
  }
}
