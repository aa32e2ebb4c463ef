import Testing

/// Names in messages: those that were meant, and those of the session's locals.
struct ReplNameTests {
  private func errors(_ lines: String...) async -> [String] {
    await raclette("repl", in: Folder(), input: lines.joined(separator: "\n") + "\n").errorLines
  }

  @Test(arguments: [
    (
      "stirng.rep('x', 2)", "attempt to index a nil value (global 'stirng'); did you mean 'string'?"
    ),
    ("prnt(1)", "attempt to call a nil value (global 'prnt'); did you mean 'print'?"),
    ("os.tiem()", "attempt to call a nil value (field 'tiem'); did you mean 'time'?"),
    ("('x'):uper()", "attempt to call a nil value (method 'uper'); did you mean 'upper'?"),
    (
      "settings = {port = 1} return setings.port",
      "attempt to index a nil value (global 'setings'); did you mean 'settings'?"
    ),
    (
      "local t = {size = 1} return t.siez + 1",
      "attempt to perform arithmetic on a nil value (field 'siez'); did you mean 'size'?"
    ),
    ("nothing_like_it()", "attempt to call a nil value (global 'nothing_like_it')"),
  ])
  func theNameThatWasMeantIsTold(_ line: String, _ message: String) async {
    #expect(await errors(line) == ["error: stdin:1: \(message)"])
  }

  @Test func aFieldOfATableOfTheSessionIsFound() async {
    #expect(
      await errors("local t = {size = 1}", "return t.siez + 1") == [
        "error: stdin:2: attempt to perform arithmetic on a nil value (field 'siez'); did you mean "
          + "'size'?"
      ])
  }

  @Test func aLocalOfTheSessionIsCalledOne() async {
    #expect(
      await errors(
        "local function r() error('x') end", "local _ = r()", "local y", "y()",
        "function g() r() end", "local _ = g()") == [
          "error: stdin:1: x", "  stdin:1: in local 'r'", "  stdin:2: in the line",
          "error: stdin:4: attempt to call a nil value (local 'y')",
          "error: stdin:1: x", "  stdin:1: in local 'r'", "  stdin:5: in function 'g'",
          "  stdin:6: in the line",
        ])
  }

  @Test func aNameWithoutAValueIsAskedFor() async {
    let lines = await atPrompt { session in
      session.enter("string.fromat")
      session.wait(for: "did you mean format?")
      session.enter("tsring")
      session.wait(for: "did you mean string?")
      session.enter("local strin = nil")
      session.enter("strin")
      session.enter("1 + 1")
      session.wait(forLine: "2")
      return session.screen.lines
    }
    #expect(lines.count { $0.hasPrefix("did you mean") } == 2, "\(lines)")
  }
}
