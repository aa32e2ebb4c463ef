import Testing
import TextFiles

/// Lines of processes that functions of Lua change: they pass in pieces, and nobody can tell.
@Suite("lines through functions of Lua", .timeLimit(.minutes(5)))
struct MappedLinesTests {
  /// Runs a command of `seq 5` with operators.
  private func run(_ operators: String, _ before: String = "") async -> Outcome {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function()
          \(before)
          return rac.exec{"seq", "5"}\(operators)
        end}
        """)
    return await raclette("run", "c", in: folder)
  }

  @Test(
    "keep their order with what the functions write, wherever they write it",
    arguments: [
      "print('w' .. l)", "io.write('w', l, '\\n')", "io.stdout:write('w' .. l .. '\\n')",
      "os.execute('echo w' .. l)",
    ])
  func order(write: String) async {
    let run = await run(":map(function(l) \(write) return l end)")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(run.lines == (1...5).flatMap { ["w\($0)", "\($0)"] })
  }

  @Test("keep the beginning of a line that a function writes before the value")
  func beginning() async {
    let run = await run(":map(function(l) io.write(l, ': ') return l end)")
    #expect(run.status == 0, "\(run)")
    #expect(run.output == "1: 1\n2: 2\n3: 3\n4: 4\n5: 5\n")
  }

  @Test("come up to the one that fails, and then the error")
  func failure() async {
    let run = await run(":map(function(l) if l == '4' then error('bad') end return l end)")
    #expect(run.status == 1)
    #expect(run.output == "1\n2\n3\n")
    #expect(run.errors == "raclette: error: c: commands.lua:3: bad\n")
  }

  @Test("may become other values")
  func values() async {
    let run = await run(
      """
      :map(function(l)
        if l == '2' then return {n = 2} elseif l == '3' then return 'x\\ny' end
        if l == '4' then return '' end
        return l
      end)
      """)
    #expect(run.status == 0, "\(run)")
    #expect(run.output == "1\n{\"n\":2}\nx\ny\n\n5\n")
  }

  @Test("reach a function no more once enough have been taken")
  func taking() async {
    let run = await run(":map(function(l) print('w' .. l) return l end):take(2)")
    #expect(run.status == 0, "\(run)")
    #expect(run.output == "w1\n1\nw2\n2\n")
  }

  @Test("end where a function ends them")
  func ending() async {
    let run = await run(
      ":map(function(l) if l == '3' then s:send_next(true) end return l end):take_until(s)",
      "local s = rac.subject()")
    #expect(run.status == 0, "\(run)")
    #expect(run.output == "1\n2\n")
  }
}
