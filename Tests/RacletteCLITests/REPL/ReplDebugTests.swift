import Testing

/// `:debug`: the frames of the last error, their variables, and expressions there.
struct ReplDebugTests {
  private func repl(_ lines: String..., files: [String: String] = [:]) async -> Outcome {
    await raclette("repl", in: Folder(files), input: lines.joined(separator: "\n") + "\n")
  }

  private let functions = """
    local limit = 3; function inner(t, n) local half = n // 2; if n > limit then error('deep', 0) end end
    function outer(n) inner({n}, n + 1) end
    """

  @Test func framesAndVariablesAreShown() async {
    let run = await repl(functions, "local _ = outer(6)", ":debug", ":debug 2")
    #expect(
      run.lines == [
        "deep", "> 1  stdin:1: in function 'inner'", "  2  stdin:2: in function 'outer'",
        "  3  stdin:3: in the line", "t = {6}", "n = 7", "half = 3", "deep",
        "  1  stdin:1: in function 'inner'", "> 2  stdin:2: in function 'outer'",
        "  3  stdin:3: in the line", "n = 6",
      ], "\(run)")
  }

  @Test func expressionsAreEvaluatedInTheChosenFrame() async {
    let run = await repl(
      functions, "n = 'outside'", "local _ = outer(6)", ":debug n * 100",
      ":debug t[1], half, limit",
      ":debug #t == 1 and print(n)", ":debug n = 0", "n")
    #expect(run.lines == ["700", "6\t3\t3", "7", "nil", "\"outside\""], "\(run)")
  }

  @Test func upvaluesAndShadowedNamesAreSeen() async {
    let run = await repl(
      "function make() local count = 1; return function(x) count = count + 1; local x = x .. '!'; "
        + "do local x = 2; error('no') end end end",
      "local _ = make()('a')", ":debug", ":debug x, count")
    #expect(
      run.lines == [
        "stdin:1: no", "> 1  stdin:1: in a function", "  2  stdin:2: in the line", "x = \"a\"",
        "x = \"a!\"", "x = 2", "count = 2  -- of an outer function", "2\t2",
      ], "\(run)")
  }

  @Test func framesOfAFileAndOfACoroutineAreKept() async {
    let run = await repl(
      "rac.commands.bad:execute{name = 'x'}:wait()", ":debug",
      files: [
        "commands.lua": """
        local function check(name)
          assert(name == "y", "no such name")
        end
        rac.command{name = "bad", params = {{name = "name"}}, run = function(input)
          local tries = 2
          check(input.name)
        end}
        """
      ])
    #expect(
      run.lines.filter { $0.contains("commands.lua:") || $0.contains(" = ") } == [
        "commands.lua:2: no such name",
        "> 1  commands.lua:2: in function 'check'", "  2  commands.lua:6: in a function",
        "name = \"x\"",
      ], "\(run)")
  }

  @Test func withoutAnErrorThereIsNothingToDebug() async {
    let run = await repl(":debug", "local _ = error('x')", ":debug 9", "y = = 1", ":debug")
    #expect(
      run.errorLines == [
        "error: stdin:1: there has been no error", "error: stdin:2: x",
        "error: stdin:3: there is no frame 9; the last error has 1",
        "error: stdin:4: unexpected symbol near '='",
        "error: stdin:5: the last error was not raised in Lua code, so it has no frames",
      ], "\(run)")
    #expect(run.status == 2)
  }
}
