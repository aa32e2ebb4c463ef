import Testing

extension PanelPageTests {
  /// What the hub executes on a page.
  @Suite("the hub")
  struct HubTests {
    @Test("a detached execution is shown with its number in the hub, and cancelled there")
    func detached() async throws {
      let visit = try await Visit(
        commands: #"rac.command{name = "long", run = "echo up; exec sleep 600"}"#)
      let (page, folder) = (visit.page, visit.folder)
      _ = await onThread {
        Running(Launch(arguments: ["run", "-d", "long"], folder: folder.path)).finish()
      }
      try await page.wait("[...document.links].some((link) => link.hash === '#/run/1')")
      try await page.go(to: "#/run/1")
      try await page.waitForExecution("running")
      try await page.waitForLine("up")
      #expect(try await page.text(of: "[data-fact=hub]") == "number 1 in the hub")
      #expect(try await page.text(of: "\(BrowserPage.row("long")) .state") == "enabled")
      try await page.click("#cancel")
      try await page.waitForExecution("cancelled")
      #expect(try await page.text(of: "[data-fact=cancelled]") == "cancelled from a page")
      // The hub ends once its result was read.
      let attached = await onThread {
        Running(Launch(arguments: ["attach", "1"], folder: folder.path)).finish()
      }
      #expect(attached.output == "up\n", "\(attached)")
    }
  }
}
