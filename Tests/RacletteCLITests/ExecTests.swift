import Testing

@Suite("raclette exec", .timeLimit(.minutes(5)))
struct ExecTests {
  private let show = """
    print(arg[0], #rac.args, table.concat(rac.args, "|"), table.concat(arg, "|"), select("#", ...), ...)
    """

  @Test("prints the place of a function, and no address")
  func functions() async {
    let folder = Folder(
      commands: """
        rac.command{name = "own", run = function() return function() end end}
        rac.command{name = "builtin", run = function() return print end}
        """)
    #expect(await raclette("own", in: folder).output == "function at commands.lua:1\n")
    #expect(await raclette("builtin", in: folder).output == "function\n")
  }

  @Test("executes a file with its arguments in rac.args, arg and ...")
  func file() async {
    let folder = Folder(["show.lua": show])
    let run = await raclette("exec", "show.lua", "a b", "--flag", "", "--", in: folder)
    #expect(run.output == "show.lua\t4\ta b|--flag||--\ta b|--flag||--\t4\ta b\t--flag\t\t--\n")
    #expect(run.status == 0)
  }

  @Test(
    "is what a word that looks like a script stands for",
    arguments: ["show.lua", "./show", "bin/show"])
  func short(script: String) async {
    let folder = Folder(["show.lua": show, "show": show, "bin/show": show])
    let run = await raclette(script, "x", in: folder)
    #expect(run.output == "\(script)\t1\tx\tx\t1\tx\n")
  }

  @Test("reads standard input for -", arguments: [["exec", "-", "x"], ["-", "x"]])
  func standardInput(words: [String]) async {
    let launch = Launch(arguments: words, input: .text("#!/x\n" + show))
    let run = await onThread { Running(launch).finish() }
    #expect(run.output == "-\t1\tx\tx\t1\tx\n")
  }

  @Test("executes code with -e", arguments: [["exec", "-e"], ["-e"], ["exec", "--eval"]])
  func code(words: [String]) async {
    let launch = Launch(arguments: words + [show, "x"])
    let run = await onThread { Running(launch).finish() }
    #expect(run.output == "-e\t1\tx\tx\t1\tx\n")
  }

  @Test("lets the environment be read and written, which its processes inherit")
  func environment() async {
    let folder = Folder([
      "script.lua": """
      rac.env.A = "x"
      print(rac.env.A, rac.sh("echo $A"):first())
      local seen
      for name, value in pairs(rac.env) do if name == "A" then seen = value end end
      print(seen)
      rac.env.A = nil
      print(rac.env.A, pcall(function() rac.env["a=b"] = "x" end))
      """
    ])
    let run = await raclette("exec", "script.lua", in: folder)
    #expect(
      run.lines == [
        "x\tx", "x", "nil\tfalse\tscript.lua:7: a variable cannot be named 'a=b'",
      ])
  }

  @Test("serves as the interpreter of an executable script on the PATH")
  func shebang() async {
    let folder = Folder(["bin/tool": "#!/usr/bin/env raclette\nprint('tool', ...)\nerror('x')"])
    let run = await shell("chmod +x bin/tool; PATH=$PWD/bin:$PATH; tool --help a", in: folder)
    #expect(run.output == "tool\t--help\ta\n")
    #expect(run.errors.hasSuffix("bin/tool:3: x\n"))
    #expect(run.status == 1)
  }

  @Test("waits for what the script has subscribed to")
  func subscriptions() async {
    let run = await raclette("-e", "rac.interval(0.01):take(2):subscribe(print)")
    #expect(run.output == "1\n2\n")
    #expect(run.status == 0)
  }

  @Test("keeps its folder, and finds modules beside the script")
  func modules() async {
    let folder = Folder([
      "scripts/main.lua": "print((require('part')))", "scripts/part.lua": "return 'found'",
    ])
    let run = await raclette("exec", "scripts/main.lua", in: folder)
    #expect(run.output == "found\n")
  }

  @Test(
    "tells an error in one line with its place, and fails",
    arguments: [
      ("error('boom')", "script.lua:1: boom", 1),
      ("\nlocal x\nx.y = 1", "script.lua:3: attempt to index a nil value (local 'x')", 1),
      ("error({kind = 'x'})", #"script.lua:1: {kind = "x"}"#, 1),
      ("error(setmetatable({}, {__tostring = function() return 'own' end}))", "own", 1),
      ("x = = 1", "script.lua:1: unexpected symbol near '='", 3),
      ("rac.error('sent'):wait()", "sent", 1),
      ("rac.error('sent'):subscribe()", "sent", 1),
      ("rac.just(1):map(function() error('in map') end):subscribe()", "script.lua:1: in map", 1),
      ("rac.sh('exit 4'):wait()", "'exit 4' exited with status 4", 1),
      ("rac.exec{'/none'}:wait()", "cannot start '/none': no such file or directory", 1),
      ("rac.never():wait()", "the script waits for something that nothing can send", 1),
      (
        "rac.command(function() end):execute():wait()",
        "script.lua:1: the signal block returned nil, expected a signal", 1
      ),
      (
        "rac.command(function() end):execute()",
        "script.lua:1: the signal block returned nil, expected a signal", 1
      ),
      (
        "rac.command(rac.just(false), rac.just):execute()",
        "the command is not enabled: its condition is false", 75
      ),
      (
        "rac.just(1):map()",
        "script.lua:1: bad argument #1 to 'map' (function expected, got no value)", 1
      ),
      (
        "\n\nrac.command{run = 1}",
        "script.lua:3: bad argument #1 to 'command' (field 'run' must be a function, a line for the shell or a list of words, got number)",
        1
      ),
    ])
  func errors(code: String, message: String, status: Int32) async {
    let folder = Folder(["script.lua": code])
    let run = await raclette("exec", "script.lua", in: folder)
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == status)
  }

  @Test("begins a message on a line of its own, behind what a script has left of one")
  func openLines() async {
    let errors = await raclette("exec", "-e", "io.stderr:write('a', 'b') error('wrong', 0)")
    #expect(errors.errors == "ab\nraclette: error: wrong\n")
    let ended = await raclette("exec", "-e", "io.stderr:write('ab\\n') error('wrong', 0)")
    #expect(ended.errors == "ab\nraclette: error: wrong\n")
    let line = #"raclette exec -e "io.write('ab') error('wrong', 0)""#
    #expect(await shell(line + " 2>&1", in: Folder()).output == "ab\nraclette: error: wrong\n")
    let apart = await shell(line, in: Folder())
    #expect(apart.output == "ab" && apart.errors == "raclette: error: wrong\n")
  }

  @Test("-v adds the script's frames to an error")
  func traceback() async {
    let folder = Folder(["script.lua": "local function f() error('boom') end\nf()"])
    let run = await raclette("exec", "-v", "script.lua", in: folder)
    #expect(run.errorLines.first == "raclette: error: script.lua:1: boom")
    #expect(run.errors.contains("script.lua:2: in main chunk"))
  }

  @Test("ends with the status that os.exit names, and takes the children along")
  func exit() async {
    let folder = Folder()
    let pipe = folder.makePipe("lives")
    let code = """
      rac.sh("exec 9>lives; echo ready; sleep 1000 & sleep 1000"):subscribe(function() os.exit(5) end)
      """
    let launch = Launch(arguments: ["-e", code], folder: folder.path)
    let (run, nobodyWasLeft) = await onThread {
      let lives = Lives(pipe)
      let run = Running(launch).finish()
      lives.waitForEnd()
      return (run, lives.areOver)
    }
    #expect(run.status == 5)
    #expect(nobodyWasLeft)
  }

  @Test("without a script says what is missing")
  func missing() async {
    let run = await raclette("exec")
    #expect(run.errors.hasPrefix("raclette: error: SCRIPT.lua is missing; usage: raclette :exec "))
    #expect(run.status == 2)
  }
}
