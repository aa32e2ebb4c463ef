import Testing

/// Questions in a session at a terminal: those of `confirm`, of which each run has answers of its own,
/// and for values of parameters.
@Suite(.timeLimit(.minutes(5)))
struct ReplConfirmTests {
  private static let files = [
    "commands.lua": """
    rac.command{name = "migrate", confirm = "Migrate?", run = "echo migrated"}
    rac.command{name = "deploy", needs = "migrate", confirm = "Deploy?", run = "echo deployed"}
    gate = rac.subject()
    rac.command{name = "wait", concurrency = 2, run = function() return gate end}
    rac.command{name = "held", needs = "wait", confirm = "Held?", concurrency = 3,
      run = "echo done"}
    rac.command{name = "greet", run = "echo hello $who $times times", params = {
      {name = "who", help = "whom to greet", required = true},
      {name = "times", type = "integer", required = true}}}
    rac.command{name = "paint", run = "echo $colour $gloss", params = {
      {name = "colour", required = true}, {name = "gloss", type = "boolean", required = true}}}
    """
  ]

  @Test func aNoLeavesNoEarlierYesBehind() async {
    let lines = await atPrompt(Self.files, rows: 60) { session in
      session.enter(":run deploy")
      session.answer("y", to: "migrate: Migrate? [y/N]")
      session.answer("n", to: "deploy: Deploy? [y/N]")
      session.waitForPrompt()
      session.enter(":run migrate")
      session.answer("n", to: "migrate: Migrate? [y/N]")
      session.waitForPrompt()
      session.enter("rac.commands.migrate:execute()")
      session.answer("n", to: "migrate: Migrate? [y/N]")
      session.waitForPrompt()
      session.enter(":run deploy")
      session.answer("y", to: "migrate: Migrate? [y/N]")
      session.answer("y", to: "deploy: Deploy? [y/N]")
      session.wait(forLine: "deployed")
      return session.screen.lines
    }
    #expect(!lines.contains("migrated"), "\(lines)")
    #expect(lines.count { $0.contains("migrated") } == 1, "\(lines)")
  }

  @Test func aRunDoesNotUseTheYesOfAnother() async {
    let isThere = await atPrompt(Self.files) { session in
      for _ in 1...2 {
        session.enter(":run held &")
        session.answer("y", to: "held: Held? [y/N]")
        session.waitForPrompt()
      }
      session.enter("rac.commands.held:execute(nil, {needs = false})")
      session.answer("n", to: "held: Held? [y/N]")
      session.wait(for: "not confirmed")
      session.waitForPrompt()
      // The end of the first run leaves the second its own.
      session.enter(":kill 1")
      session.wait(for: "[1] wait: cancelled")
      session.waitForPrompt()
      session.enter("gate:send_completed()")
      return session.wait { $0.lines.contains { $0.hasSuffix("] done") } }
    }
    #expect(isThere)
  }

  @Test(arguments: [":run migrate", "rac.commands.migrate:execute()"], ["xterm", "dumb"])
  func controlCLeavesAQuestionAndDropsTheAnswer(_ line: String, terminal: String) async {
    let lines = await atPrompt(Self.files, rows: 60, environment: ["TERM": terminal]) { session in
      session.enter(line)
      session.wait { $0.lines.last == "migrate: Migrate? [y/N]" }
      session.type("y")
      session.wait { $0.lines.last == "migrate: Migrate? [y/N] y" }
      session.type("\u{03}")
      session.wait(for: "interrupted")
      session.waitForPrompt()
      session.enter("1 + 1")
      session.wait(forLine: "2")
      // A key that comes in one piece with the answer comes before its end, too.
      session.waitForPrompt()
      session.enter(line)
      session.wait { $0.lines.last == "migrate: Migrate? [y/N]" }
      session.type("y\u{03}\r")
      session.waitForPrompt()
      session.enter("2 + 1")
      session.wait(forLine: "3")
      return session.screen.lines
    }
    #expect(!lines.contains { $0.contains("migrated") }, "\(lines)")
  }

  @Test func aRunAsksForTheParametersThatAreMissing() async {
    let isGreeted = await atPrompt(Self.files, rows: 60) { session in
      session.enter(":run greet")
      session.answer("Ada", to: "who (whom to greet):")
      session.answer("many", to: "times (integer):")
      session.wait(for: "takes an integer, got 'many'")
      session.answer("2", to: "times (integer):")
      return session.wait(forLine: "hello Ada 2 times")
    }
    #expect(isGreeted)
  }

  @Test(arguments: zip(["y", "No", "true"], ["true", "", "true"]))
  func anEmptyAnswerIsNone(_ answer: String, value: String) async {
    let isPainted = await atPrompt(Self.files, rows: 60) { session in
      session.enter(":run paint")
      session.answer("", to: "colour:")
      session.wait { $0.lines.suffix(2) == ["colour:", "colour:"] }
      session.answer("red", to: "colour:")
      session.answer(answer, to: "gloss (y/n):")
      return session.wait(forLine: value.isEmpty ? "red" : "red \(value)")
    }
    #expect(isPainted)
  }

  @Test func controlCLeavesTheQuestionForAParameter() async {
    let isLeft = await atPrompt(Self.files, rows: 60) { session in
      session.enter(":run greet")
      session.wait { $0.lines.last == "who (whom to greet):" }
      session.type("A\u{03}")
      session.wait(forLine: "interrupted")
      session.waitForPrompt()
      session.enter("1 + 1")
      return session.wait(forLine: "2")
    }
    #expect(isLeft)
  }
}

extension TerminalSession {
  /// Waits for a question on the last line, and answers it.
  fileprivate func answer(_ answer: String, to question: String) {
    wait { $0.lines.last == question }
    type(answer + "\r")
  }
}
