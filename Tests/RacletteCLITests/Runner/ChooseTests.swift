import Testing

@Suite("raclette choose", .timeLimit(.minutes(5)))
struct ChooseTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "build", summary = "Compile", run = function() return "built" end}
      rac.command{name = "deploy", params = {{name = "to"}}, summary = "Ship it",
        run = function(input) return "deployed to " .. tostring(input.to) end}
      rac.command{name = "_hidden", run = print}
      """)

  private func choose(
    _ words: [String], typing keys: [(wait: String, keys: String)]
  ) async -> (lines: [String], status: Int32) {
    await onThread { [folder] in
      let session = TerminalSession(words, in: folder)
      for (text, keys) in keys {
        session.wait(for: text)
        session.type(keys)
      }
      let status = session.finish()
      return (session.screen.lines, status)
    }
  }

  @Test(
    "executes the command that the filter and Enter choose, with the arguments",
    arguments: [
      ["choose", "prod"], ["run", "--choose", "prod"],
    ])
  func chosen(words: [String]) async {
    let run = await choose(words, typing: [("2/2", "dp"), ("1/2", "\r")])
    #expect(run.lines == ["deployed to prod"])
    #expect(run.status == 0)
  }

  @Test("moves by arrows")
  func arrows() async {
    let run = await choose(
      ["choose"], typing: [("Ship it", "\u{1B}[B\u{1B}[A\u{1B}[B"), ("> deploy", "\r")])
    #expect(run.lines == ["deployed to nil"])
  }

  @Test("is left by Escape and Ctrl-C with 130", arguments: ["\u{1B}", "\u{03}"])
  func left(key: String) async {
    let run = await choose(["choose"], typing: [("2/2", key)])
    #expect(run.lines == [])
    #expect(run.status == 130)
  }

  @Test("is told what it lacks without a terminal, and without commands")
  func problems() async {
    for word in ["choose", "--choose"] {
      let run = await raclette(word, in: folder)
      #expect(
        run.errors
          == "raclette: error: a choice needs a terminal; 'raclette :list' shows the commands\n")
      #expect(run.status == 2)
    }
    let empty = Folder(commands: "")
    let screen = await onThread {
      let session = TerminalSession(["choose"], in: empty, columns: 100)
      let status = session.finish()
      return (session.screen.lines, status)
    }
    #expect(screen.0 == ["raclette: error: commands.lua has no commands to choose from"])
    #expect(screen.1 == 2)
  }
}
