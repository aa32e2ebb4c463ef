import Testing
import TextFiles

/// The samples of the page that shows all of it, with programs that stand in for those it names.
@Suite("the overview", .timeLimit(.minutes(2)))
struct OverviewTests {
  private let page: GuidePage

  init() throws { page = try GuidePage("Sources/RacletteCLI/RacletteCLI.docc/Overview") }

  @Test("subscribes to a command's errors in a command file, too")
  func errors() async throws {
    let lines = try page.block("-- Processes are cold").lines
    let line = try #require(lines.first { $0.hasPrefix("build.errors:subscribe") })
    let folder = Folder(
      commands: """
        local build = rac.command{name = "build", run = function() return rac.sh("exit 3") end}
        \(line)
        """)
    let run = await raclette("run", "build", in: folder)
    let message = "'exit 3' exited with status 3"
    #expect(
      run.errorLines.sorted() == ["raclette: error: build: \(message)", "warning: \(message)"])
    #expect(run.status == 3)
  }

  @Test("shows its command file at work, line by line")
  func commandFile() async throws {
    let folder = Folder()
    StandIns.write(["pytest", "rsync"], to: folder)
    folder.write(try page.block("local rac = require").text, to: "commands.lua")
    let console = try page.block("$ raclette list")
    let answers = try await answers(console.lines, in: folder)
    let starts = console.lines.indices.filter { console.lines[$0].hasPrefix("$ ") }
    #expect(starts.count == 4)
    let list = Array(console.lines[1..<starts[1]])
    #expect(answers[0] == list)
    #expect(answers[1] == ["pytest -k login"])
    #expect(answers[2] == [])
    #expect(answers[3].sorted() == ["pytest -k .", "rsync -a site/ web:/srv/www/"])
  }

  /// What each line that begins with `$` answers.
  private func answers(_ lines: [String], in folder: Folder) async throws -> [[String]] {
    var answers: [[String]] = []
    for line in lines where line.hasPrefix("$ ") {
      let run = await shell("\(line.dropFirst(2)) 2>&1", in: folder)
      #expect(run.status == 0, "\(line): \(run)")
      answers.append(run.lines)
    }
    return answers
  }

  @Test("compares it with files for make and just that do the same")
  func makefile() async throws {
    let folder = Folder()
    StandIns.write(["pytest", "rsync"], to: folder)
    folder.write(try page.block("filter ?=").text, to: "Makefile")
    folder.write(try page.block("# Run the tests").text, to: "justfile")
    for tool in ["make -s", "just -q"] {
      let test = tool.hasPrefix("make") ? "test filter=login" : "test login"
      let run = await shell(
        """
        command -v \(tool) >/dev/null || { echo 'pytest -k login'; exit; }
        \(tool) \(test); \(tool) deploy 2>/dev/null && echo deployed
        """, in: folder)
      #expect(run.output == "pytest -k login\n", "\(tool)")
    }
  }

  @Test("prints what its script says")
  func script() async throws {
    let folder = Folder()
    StandIns.write(["journalctl", "git", "make"], to: folder)
    let script = """
      rac.command{name = "build", params = {{name = "target"}}, run = function(input)
        return rac.from{input.target, "built"}
      end}
      \(try page.block("-- Processes are cold").text)
      print(branch)
      """
    folder.write(script, to: "script.lua")
    let run = await shell("raclette exec script.lua", in: folder)
    #expect(
      Set(run.lines)
        == Set(
          (1...10).map { "service \($0): an error" } + [
            "exit\t2\tmake: no target", "main", "running\t2",
          ]),
      "\(run)")
    #expect(run.status == 0)
  }

  @Test("has no other blocks than those that these tests execute")
  func all() {
    #expect(page.blocks.count == 5)
  }
}
