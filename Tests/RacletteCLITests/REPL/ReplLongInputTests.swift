import RunnerREPL
import Testing

/// Long inputs: places of errors far from the beginning, and what a session no longer keeps.
@Suite(.timeLimit(.minutes(10)))
struct ReplLongInputTests {
  private func repl(_ lines: String...) async -> Outcome {
    await raclette("repl", in: Folder(), input: lines.joined(separator: "\n") + "\n")
  }

  @Test func errorsNameTheLineOfALongInput() async {
    let run = await repl(
      String(repeating: "x = 1\n", count: 299),
      "function f(a)", "  local b = a", "  return function() return", "    nil + 1 end", "end",
      "select(2, pcall(f(1)))",
      // More instructions than share one line number.
      "t = {" + (1...100).map { "math.floor(\($0))" }.joined(separator: ", ") + "}", "z = nil + 1",
      "local q = 1; local r = (function() error('inside') end)()",
      "select(2, pcall(function()", "", "  error('deep') end))", "y = = 1",
      "debug.getinfo(f).linedefined, debug.getinfo(1).currentline, debug.getinfo(1).what")
    #expect(
      run.lines == [
        #""stdin:304: attempt to perform arithmetic on a nil value""#, #""stdin:312: deep""#,
        "301\t314\t\"main\"",
      ], "\(run)")
    #expect(
      run.errorLines.filter { $0.hasPrefix("error: ") } == [
        "error: stdin:308: attempt to perform arithmetic on a nil value",
        "error: stdin:309: inside", "error: stdin:313: unexpected symbol near '='",
      ], "\(run)")
  }

  @Test func errorsOfColonCommandsNameTheLine() async {
    let run = await repl(
      "x = 1", ":jbos", ":run nope", ":time", "  nil + 1", ":load nofile", ":time nil + 1")
    #expect(
      run.errorLines == [
        "error: stdin:2: there is no ':jbos'; did you mean ':jobs'?",
        "error: stdin:3: unknown command 'nope'", "error: stdin:4: usage: :time EXPR",
        "error: stdin:5: attempt to perform arithmetic on a nil value",
        "error: stdin:6: cannot read nofile: no such file or directory",
        "error: stdin:7: attempt to perform arithmetic on a nil value",
      ], "\(run)")
  }

  @Test func aFileIsNotReadFarAhead() async {
    let lines = (1...60_000).map { number in
      number % 20_000 == 0
        ? "io.open('/proc/self/fdinfo/0'):read('a'):match('pos:%s*(%d+)') // 1"
        : "x = 1 -- \(String(repeating: "padding ", count: 5))"
    }
    let text = lines.joined(separator: "\n") + "\n"
    let folder = Folder(["input.lua": text])
    let run = await shell("raclette repl <input.lua", in: folder)
    let places = run.lines.compactMap { Int($0.prefix { $0 != "." }) }
    #expect(places.count == 3, "\(run)")
    for (index, place) in places.enumerated() {
      let executed = text.utf8.count * (index + 1) / 3
      #expect(place - executed < 200_000, "\(places)")
    }
  }

  @Test func onlySomeColonCommandsHaveABackground() async {
    let run = await repl(":time 1 + 1 &", ":marbles rac.just(1) &", ":jobs &", "6 * 7")
    #expect(run.lines == ["42"])
    #expect(
      run.errorLines == [
        "error: stdin:1: ':time' works in the foreground: leave out the '&' at the end",
        "error: stdin:2: ':marbles' works in the foreground: leave out the '&' at the end",
        "error: stdin:3: ':jobs' takes no arguments",
      ], "\(run)")
  }

  @Test(arguments: [":map(print)", ":map", ":nosuch{1}", ":filter 'a'"])
  func aChainWithoutItsBeginningIsExplained(_ line: String) async {
    let run = await repl("rac.from{1}", line)
    #expect(run.lines == ["1"])
    #expect(
      run.errors.hasPrefix("error: stdin:2: an entry cannot begin with the method ':"), "\(run)")
    #expect(run.errors.contains("parentheses"))
  }

  @Test func variablesOfFilesAreToldApart() async {
    let folder = Folder(commands: "function helper() end; settings = {1}")
    let run = await raclette(
      "repl", in: folder,
      input:
        ":vars\nlocal a = 1\nb = 2\nfunction c() end\nsettings = 3\nnone = 1; none = nil\n:vars\n")
    #expect(
      run.lines == [
        "no variables", "  a         1", "  b         2", "  c         function c()  stdin:4",
        "  settings  3",
      ],
      "\(run)")
    #expect(run.errorLines == ["of files: helper, settings", "of files: helper"])
  }

  @Test func valuesOfLongAgoAreNoLongerKept() async {
    let run = await repl(
      (1...1_010).map { "'value \($0)'" }.joined(separator: "\n"), "_100", "_9", "_2000", "_x")
    #expect(run.lines.suffix(3) == [#""value 100""#, "nil", "nil"], "\(run.lines.suffix(3))")
    #expect(
      run.errorLines == ["_9 is no longer kept: only the values of the latest 1000 entries are"])
  }

  @Test func entriesOfLongAgoAreNoLongerKept() {
    var log = EntryLog()
    #expect(log.entries("", usually: 20).isEmpty)
    for number in 1...100_000 { log.add(Array("x = \(number)".utf8)) }
    #expect(log.latest == 100_000)
    #expect(log.texts.count < 2 * EntryLog.capacity)
    #expect(log[100_000] == "x = 100000")
    #expect(log[100_000 - EntryLog.capacity + 1] == "x = 90001")
    #expect(log[7] == nil && log.hasDropped(7) && !log.hasDropped(100_001))
    #expect(log.gap == "entries 1 to \(log.droppedCount) are no longer kept")
    #expect(log.entries("2", usually: 20).map(\.number) == [99_999, 100_000])
    #expect(log.entries("2", usually: 20, before: 100_000).map(\.number) == [99_998, 99_999])
    #expect(log.entries("= 100000", usually: 20, before: 100_000).isEmpty)
    #expect(log.entries("= 99999", usually: 20).map(\.text) == ["x = 99999"])
  }
}
