import Platform
import Scripting
import Testing

extension PanelPageTests {
  @Suite("token and secrets")
  struct SecurityTests {
    private let commands = "rac.command{name = 'a', run = 'echo done'}"

    @Test("the token leaves the address bar, and a reload needs it no more")
    func tokenLeavesTheAddress() async throws {
      let visit = try await Visit(commands: commands)
      let token = visit.panel.token
      #expect(try await visit.page.evaluate("location.href").string == visit.panel.origin)
      #expect(
        try await visit.page.evaluate("history.length").int == 2, "no step back leads to the token")
      let seen = try await visit.page.evaluate("document.documentElement.outerHTML").string ?? ""
      #expect(!seen.contains(token))
      #expect(try await visit.page.evaluate("document.cookie").string == "")
      try await visit.page.reload()
      try await visit.page.waitForConnection()
    }

    @Test("a link with the token opens an execution, and stays a link without it")
    func linkToAnExecution() async throws {
      let visit = try await Visit(commands: commands)
      try await visit.page.press(command: "a")
      try await visit.page.waitForExecution("completed")
      let tab = try await visit.tab(showing: 1)
      try await tab.waitForLine("done")
      #expect(
        try await tab.evaluate("location.href").string == "\(visit.panel.origin)#/run/1")
    }

    @Test("a tab without a token gets that of another tab")
    func tokenOfAnotherTab() async throws {
      let visit = try await Visit(commands: commands)
      let tab = try await BrowserPage(in: visit.browser)
      try await tab.open(visit.panel.origin)
      try await tab.waitForConnection()
    }

    @Test(
      "a wrong token in one tab leaves the others alone, and a right one is taken by an open tab")
    func wrongToken() async throws {
      let visit = try await Visit(commands: commands, "--token-file", "token")
      let tab = try await BrowserPage(in: visit.browser)
      try await tab.open(visit.panel.origin + "#token=" + String(repeating: "x", count: 43))
      // It gets the token of the other tab.
      try await tab.waitForConnection()
      try await visit.page.press(command: "a")
      try await tab.wait("document.querySelector('#executions li[data-state=completed]')")
      try await tab.go(to: "#/run/1")
      for page in [visit.page, tab] { try await page.waitForLine("done") }
      #expect(try await visit.page.evaluate("document.getElementById('door').open").bool == false)
      try await tab.reload()
      try await tab.waitForConnection()
      // The panel comes back with another token, which one of the tabs is told.
      await visit.panel.end(by: SIGKILL)
      visit.folder.remove("token")
      let next = await RunningPanel(
        ["--token-file", "token", "--listen", visit.panel.listen], in: visit.folder)
      try await visit.page.wait("document.getElementById('door').open")
      try await tab.open(next.address)
      for page in [visit.page, tab] {
        try await page.waitForConnection()
        #expect(try await page.evaluate("document.getElementById('door').open").bool == false)
        #expect(try await page.evaluate("location.href").string?.contains("token") == false)
      }
      await next.end(by: SIGINT)
    }

    @Test("without a token, and with a wrong one, the page asks for it")
    func door() async throws {
      let visit = try await Visit(commands: commands)
      let stranger = try await visit.stranger()
      try await stranger.open(visit.panel.origin)
      try await stranger.wait("document.getElementById('door').open")
      #expect(
        try await stranger.evaluate("document.querySelectorAll('li.command').length").int == 0)
      try await stranger.click("#door-token")
      try await stranger.type("wrong")
      try await stranger.press("Enter")
      try await stranger.wait("document.getElementById('door-problem').textContent !== ''")
      try await stranger.click("#door-token")
      try await stranger.type(visit.panel.address)
      try await stranger.press("Enter")
      try await stranger.waitForConnection()
      #expect(try await stranger.evaluate("document.getElementById('door').open").bool == false)
    }

    @Test("markup in names and output is text")
    func markup() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{
            name = "show", summary = "<b>bold</b>", params = {{name = "<i>", help = "<u>"}},
            run = function() return "<img src=x onerror=alert(1)><script>alert(1)</script>" end,
          }
          """)
      try await visit.page.press(command: "show")
      try await visit.page.waitForLine("<img src=x onerror=alert(1)><script>alert(1)</script>")
      let made =
        "document.querySelectorAll('#lines img, #lines script, li b, form i, form u').length"
      #expect(try await visit.page.evaluate(made).int == 0)
      #expect(try await visit.page.text(of: "li .summary") == "<b>bold</b>")
      await #expect(throws: BrowserError.self) {
        try await visit.page.evaluate("document.body.innerHTML = '<b>x</b>'")
      }
    }

    @Test("no byte that is sent to a page holds a secret")
    func secrets() async throws {
      let visit = try await Visit(
        commands: """
          rac.command{
            name = "login", params = {{name = "as"}}, secrets = {"as"},
            run = function(input, emit)
              emit("as " .. input.as)
              emit({password = input.as})
              rac.sh("echo err " .. input.as .. " >&2"):wait()
              error("refused " .. input.as)
            end,
          }
          """)
      try await visit.page.click(".inputs")
      try await visit.page.click("[name=as]")
      try await visit.page.type("hunter2secret")
      #expect(try await visit.page.evaluate("document.activeElement.type").string == "password")
      try await visit.page.press(command: "login")
      try await visit.page.waitForExecution("failed")
      let sent = try await visit.page.evaluate(
        """
        (async () => {
          const headers = {Authorization: "Bearer " + sessionStorage.getItem("raclette token")};
          const texts = [document.documentElement.outerHTML];
          const paths = ["commands", "executions", "executions/1", "executions/1/values"];
          for (const path of [...paths, "timeline.svg"]) {
            texts.push(await (await fetch("/api/v1/" + path, {headers})).text());
          }
          const answer = await fetch("/api/v1/events?look=1", {headers});
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let stream = "";
          while (!stream.includes('"n":2')) stream += (await reader.read()).value;
          reader.cancel();
          return [...texts, stream];
        })()
        """
      ).elements.compactMap(\.string)
      #expect(sent.count == 7)
      for text in sent { #expect(!text.contains("hunter2secret"), "\(text)") }
      #expect(sent[4].contains("as "), "\(sent[4])")
    }

    @Test("a page of a panel that is read-only has no buttons, and the server refuses what they do")
    func readOnly() async throws {
      let visit = try await Visit(commands: commands, "--read-only")
      #expect(
        try await visit.page.evaluate(
          "[...document.querySelectorAll('.press, .refresh, #pins, #cancel')].every((b) => !b.checkVisibility())"
        ).bool == true)
      #expect(try await visit.page.text(of: "#read-only") == "read-only")
      let refused = try await visit.page.evaluate(
        """
        (async () => {
          const headers = {
            Authorization: "Bearer " + sessionStorage.getItem("raclette token"),
            "Content-Type": "application/json",
          };
          const path = "/api/v1/commands/a/executions";
          const answer = await fetch(path, {method: "POST", headers, body: "{}"});
          return [answer.status, (await answer.json()).error.kind];
        })()
        """)
      #expect(refused.text == #"[403,"read_only"]"#)
    }
  }
}
