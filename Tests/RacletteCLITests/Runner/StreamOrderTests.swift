import Testing

/// Where standard output and standard error of the runner end in one place, a process has one pipe for
/// both.
@Suite("the order of output and errors", .timeLimit(.minutes(5)))
struct StreamOrderTests {
  private static let work =
    "i=0; while [ $i -lt 300 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done"

  private let folder = Folder(
    commands: """
      local work = "\(Self.work)"
      rac.command{name = "line", run = work}
      rac.command{name = "list", run = {"sh", "-c", work}}
      rac.command{name = "steps", steps = {"true", work}}
      rac.command{name = "returned", run = function() return rac.sh(work) end}
      rac.command{name = "inner", run = function() return rac.commands.line:execute() end}
      rac.command{name = "need", needs = "line"}
      rac.command{name = "mapped", run = function()
        return rac.sh("echo out; echo err >&2"):map(string.upper)
      end}
      rac.command{name = "first", run = function() return rac.sh("echo err >&2; echo out"):first() end}
      rac.command{name = "kept", fingerprint = function() return 1 end,
        run = "echo out; echo err >&2"}
      rac.command{name = "followed", run = "echo out; echo err >&2"}
      rac.commands.followed.execution_signals:flatten():subscribe(function(value)
        print("followed", value)
      end)
      rac.command{name = "failed", run = "echo out; echo err >&2; exit 3"}
      rac.commands.failed.errors:subscribe(function(e) print(e.stderr) end)
      rac.command{name = "masked", secrets = {"WORD"}, env = {WORD = "sesame"},
        run = "i=0; while [ $i -lt 300 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done; echo $WORD >&2"}
      rac.command{name = "stubborn", run = function()
        return rac.sh("trap 'echo bye; echo cleaned >&2; exit' TERM; printf 'Name? '; while :; do :; done")
      end}
      """)

  private static let lines = (0..<300).map { "out \($0)\nerr \($0)\n" }.joined()

  @Test(
    "is that of the program where both end in one place",
    arguments: [
      "line", "list", "steps", "returned", "inner", "need", "-o group line", "-o interleave line",
    ])
  func kept(_ call: String) async {
    #expect(await shell("raclette run \(call) 2>&1", in: folder).output == Self.lines)
  }

  @Test("is kept behind prefixes and with secrets")
  func prefixed() async {
    #expect(
      await shell("raclette run -o prefix line 2>&1 | sed 's/^line | //'", in: folder).output
        == Self.lines)
    #expect(
      await shell("raclette run masked 2>&1", in: folder).output == Self.lines + "***\n")
  }

  @Test("keeps the streams apart where they end in two places")
  func apart() async {
    let run = await raclette("run", "line", in: folder)
    #expect(run.output == (0..<300).map { "out \($0)\n" }.joined())
    #expect(run.errors == (0..<300).map { "err \($0)\n" }.joined())
  }

  @Test(
    "never brings standard error to Lua",
    arguments: [
      ("mapped", ["OUT", "err"]), ("first", ["err", "out"]),
      ("followed", ["err", "followed\tout", "out"]),
    ])
  func lua(_ call: String, _ lines: [String]) async {
    #expect(await shell("raclette run \(call) 2>&1", in: folder).lines.sorted() == lines.sorted())
  }

  @Test("leaves standard error out of the values that an up-to-date command sends again")
  func upToDate() async {
    let run = await shell(
      "raclette run kept >log 2>&1; raclette run kept 2>/dev/null; sort log", in: folder)
    #expect(run.output == "out\nerr\nout\n")
  }

  @Test("keeps the streams apart in JSON and in the journal")
  func records() async {
    let run = await shell(
      """
      raclette run --json kept 2>&1 | grep -o '"type":"stderr"'
      raclette run --journal j.db list >/dev/null 2>&1
      raclette replay --journal j.db 1 2>/dev/null | grep -c err
      """, in: folder)
    #expect(run.output == "\"type\":\"stderr\"\n0\n", "\(run.errors)")
  }

  @Test("gives an error the last lines of both")
  func error() async {
    let run = await shell("raclette run failed 2>&1", in: folder)
    #expect(
      run.output == """
        out
        err
        out
        err
        raclette: error: failed: 'echo out; echo err >&2; exit 3' exited with status 3

        """)
  }

  @Test("shows once what a process has begun before it is ended")
  func ended() async {
    let launch = Launch(
      program: "/bin/sh", arguments: ["-c", "exec '\(Program.path)' run stubborn 2>&1"],
      folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("Name? ")
      running.get(signal: 2)
      return running.finish()
    }
    #expect(run.status == 130)
    #expect(
      run.output.split(separator: "\n").filter { !$0.hasPrefix("raclette: ") } == [
        "Name? bye", "cleaned",
      ])
  }
}
