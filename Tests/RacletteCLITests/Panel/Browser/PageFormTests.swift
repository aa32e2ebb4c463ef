import Scripting
import Testing

extension PageContentTests {
  /// Forms, and the question before a press.
  @Suite("forms")
  struct FormTests {
    @Test("what the command line refuses is refused at its field, in its words")
    func numbers() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "bench", run = function(input) return rac.json.encode(input) end,
            params = {{name = "rounds", type = "integer"}, {name = "ratio", type = "number"}}}
          """)
      let page = visit.page
      let row = BrowserPage.row("bench")
      try await page.click("\(row) .inputs")
      for (name, text, problem) in [
        ("rounds", "1e3", "takes an integer, got '1e3'"),
        ("rounds", "2.0", "takes an integer, got '2.0'"),
        ("rounds", "99999999999999999999", "takes an integer, got '99999999999999999999'"),
        ("ratio", "1e400", "takes a number, got '1e400'"),
      ] {
        let field = "\(row) [name=\(name)]"
        try await page.click(field)
        try await page.type(text)
        try await page.press("Enter")
        let told =
          "document.querySelector(\"\(field)\").closest('.field').querySelector('.problem')"
        try await page.wait("!\(told).hidden")
        #expect(
          try await page.evaluate("\(told).textContent").string
            == "bench: parameter '\(name)' \(problem)")
        #expect(
          try await page.evaluate("document.activeElement.name").string == name)
        try await page.evaluate("document.querySelector(\"\(field)\").value = ''")
      }
      try await page.click("\(row) [name=rounds]")
      try await page.type("9007199254740993")
      try await page.press("Enter")
      try await page.waitForLine(#"{"rounds":9007199254740993}"#)
      withExtendedLifetime(visit) {}
    }

    @Test("a password does not stay in its field after the press")
    func password() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "login", secrets = {"pass"}, run = "true",
            params = {{name = "user"}, {name = "pass", required = true}}}
          """)
      let page = visit.page
      let row = BrowserPage.row("login")
      try await page.click("\(row) .inputs")
      for (name, text) in [("user", "ann"), ("pass", "open sesame")] {
        try await page.click("\(row) [name=\(name)]")
        try await page.type(text)
      }
      try await page.press("Enter")
      try await page.waitForExecution("completed")
      try await page.wait("document.querySelector(\"\(row) [name=pass]\").value === ''")
      #expect(
        try await page.evaluate("document.querySelector(\"\(row) [name=user]\").value").string
          == "ann")
      withExtendedLifetime(visit) {}
    }

    @Test("the question names the command with its input, and what is executed before it")
    func question() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{name = "test", run = "true"}
          rac.command{name = "image", needs = {"test"}, run = "true",
            params = {{name = "arch", default = "arm64"}}}
          rac.command{name = "deploy", needs = {"image"}, confirm = "Really deploy?", run = "true",
            params = {{name = "region", default = "us-east-1"}}}
          """)
      let page = visit.page
      try await page.press(command: "deploy")
      try await page.wait("document.getElementById('confirm').open")
      #expect(try await page.text(of: "#confirm-title") == "Run deploy?")
      #expect(
        try await page.text(of: "#confirm-questions")
          == "deploy region=us-east-1Really deploy?")
      #expect(
        try await page.evaluate(
          "[...document.querySelectorAll('#confirm-needs li')].map((each) => each.textContent)"
        ).elements.compactMap(\.string) == ["test", "image arch=arm64"])
      try await page.click("#confirm button[value=no]")
      try await page.wait("!document.getElementById('confirm').open")
      #expect(
        try await page.evaluate("document.querySelectorAll('#executions li').length").int == 0)
      withExtendedLifetime(visit) {}
    }
  }
}
