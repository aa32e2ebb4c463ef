import Testing

extension PanelPageTests {
  /// Services on a page.
  @Suite("services")
  struct ServiceTests {
    @Test("a row shows the state of its service, starts it again, and shows its log")
    func service() async throws {
      let visit = try await Visit(
        commands: #"""
          rac.command{name = "db", service = true, ready = {line = "accepting"},
            run = "echo accepting; exec sleep 600"}
          """#)
      let page = visit.page
      try await page.waitForState(of: "db", containing: "down")
      let row = "document.querySelector('[data-command=db]')"
      #expect(try await page.evaluate("\(row).querySelectorAll('.service')[1].hidden").bool == true)
      let folder = visit.folder
      _ = await onThread {
        Running(Launch(arguments: ["up", "-d"], folder: folder.path)).finish()
      }
      try await page.waitForState(
        of: "db", containing: "ready (1 user): it has printed 'accepting'")
      _ = try await page.evaluate("\(row).querySelectorAll('.service')[1].click()")
      let notice = "document.getElementById('notice-text').textContent"
      try await page.wait(
        #"/^db is ready again, \d[^ ]* \w+ after the press\.$/.test(\#(notice))"#)
      let log = #"/^accepting\n--- started [-\d]+ [:\d]+ ---\naccepting\n$/"#
      // The log has the second start once the first click has been answered.
      try await page.wait(
        """
        (() => {
          const row = \(row), log = row.querySelector('.log')
          if (\(log).test(log.textContent)) return !log.hidden
          row.querySelector('.service').click()
          return false
        })()
        """)
      _ = await onThread {
        Running(Launch(arguments: ["down"], folder: folder.path)).finish()
      }
      try await page.waitForState(of: "db", containing: "down")
    }
  }
}
