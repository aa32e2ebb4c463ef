import Platform
import Testing

/// `os.execute` and `io.popen`, which the runner starts itself.
@Suite("programs of Lua's own library", .timeLimit(.minutes(5)))
struct ShellProgramTests {
  /// Where a script may wait, and where it may not.
  enum Place: String, CaseIterable, Sendable {
    case coroutine, callback

    func script(_ body: String) -> String {
      switch self {
      case .coroutine: body
      case .callback: "rac.just(1):map(function() \(body) end):subscribe()"
      }
    }
  }

  @Test("results are Lua's", arguments: Place.allCases)
  func results(place: Place) async {
    let script = place.script(
      """
      print(os.execute()) print(os.execute("exit 0")) print(os.execute("exit 3"))
      print(os.execute("kill -9 $$")) print(os.execute("no-such-program 2>/dev/null"))
      print(select("#", pcall(os.execute, {})))
      """)
    let run = await raclette("-e", script)
    #expect(
      run.output
        == "true\ntrue\texit\t0\nnil\texit\t3\nnil\tsignal\t9\nnil\texit\t127\n2\n", "\(run)")
  }

  @Test("a program reads what the script's own standard input is, and writes to its output")
  func streams() async {
    let run = await raclette(
      "-e", "print('before') io.stdout:flush() os.execute('cat; echo oops >&2') print('after')",
      input: "given\n")
    #expect(run.output == "before\ngiven\nafter\n")
    #expect(run.errors == "oops\n")
  }

  @Test("a file of io.popen is a file of Lua's", arguments: Place.allCases)
  func files(place: Place) async {
    let script = place.script(
      #"""
      local p = io.popen("printf '1\\n2\\n3\\nrest'; exit 5")
      print(io.type(p), tostring(p):match("^file %("))
      print(p:read("n", "L"))
      for line in p:lines() do io.write(line, ";") end print()
      print(p:seek("set", 0))
      print(p:close()) print(io.type(p), tostring(p))
      local w = io.popen("tr a-z A-Z; exit 1", "w")
      print(w:write("shout\n") == w, w:flush())
      print(w:close())
      print(pcall(io.popen, "true", "rw"))
      print(io.popen("kill -15 $$"):close())
      print(io.popen("echo ok"):read("a"))
      for line in io.popen("echo x; echo y"):lines() do io.write(line) end print()
      """#)
    let run = await raclette("-e", script)
    #expect(
      run.output == """
        file	file (
        1	

        2;3;rest;
        nil	Illegal seek	29
        nil	exit	5
        closed file	file (closed)
        true	true
        SHOUT
        nil	exit	1
        false	bad argument #2 to 'io.popen' (invalid mode)
        nil	signal	15
        ok

        xy

        """, "\(run)")
  }

  @Test("what is written to a program that nobody closes arrives")
  func unclosed() async {
    let run = await raclette("-e", "io.popen('cat', 'w'):write('kept\\n')")
    #expect(run.output == "kept\n")
    #expect(run.status == 0)
  }

  @Test("megabytes go through both ways")
  func volume() async {
    let script = """
      local w = io.popen("wc -c", "w")
      for i = 1, 300 do w:write(string.rep("x", 10000)) end
      w:close()
      print(#io.popen("head -c 3000000 /dev/zero"):read("a"))
      """
    let run = await raclette("-e", script)
    #expect(run.output == "3000000\n3000000\n")
  }

  @Test(
    "the first signal ends it and all its group", arguments: Place.allCases,
    [
      "os.execute('exec 9>lives; sleep 1000 & echo ready; sleep 1000')",
      "io.popen('exec 9>lives; echo ready >&2; sleep 1000'):read('a')",
      "local p = io.popen('exec 9>lives; echo ready >&2; sleep 1000') p:close()",
      "io.popen('exec 9>lives; echo ready >&2; sleep 1000', 'w'):write(string.rep('x', 1e6))",
      "for i in io.popen('exec 9>lives; echo ready >&2; exec sleep 1000'):lines() do end",
    ])
  func interrupted(place: Place, body: String) async {
    for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
      let folder = Folder()
      let pipe = folder.makePipe("lives")
      let launch = Launch(
        arguments: ["-e", place.script("pcall(function() \(body) end) while true do end")],
        folder: folder.path)
      let (run, isOver) = await onThread {
        let lives = Lives(pipe)
        let running = Running(launch)
        if body.contains("&2") {
          running.waitForErrors("ready")
        } else {
          running.waitForOutput("ready")
        }
        running.get(signal: signal)
        let run = running.finish()
        return (run, lives.areOver)
      }
      #expect(run.status == status, "\(run)")
      #expect(isOver)
    }
  }

  @Test("a timeout ends it", arguments: Place.allCases)
  func timeout(place: Place) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", timeout = 0.3,
          run = function() \(place.script("os.execute('sleep 1000')")) end}
        rac.command{name = "d", timeout = 0.3,
          run = function() \(place.script("io.popen('sleep 1000'):read('a')")) end}
        """)
    for name in ["c", "d"] {
      let run = await raclette("run", name, in: folder)
      #expect(run.status == 124, "\(run)")
    }
  }

  @Test("others go on while a coroutine waits for its program")
  func beside() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function() os.execute("until test -e b; do sleep 0.02; done") end}
        rac.command{name = "b", run = function() os.execute("touch b") end}
        """)
    let run = await raclette("run", "a", ":::", "b", in: folder)
    #expect(run.status == 0, "\(run)")
  }

  @Test("what a shell leaves behind belongs to the run")
  func background() async {
    let run = await raclette("-e", "os.execute('(sleep 0.3; echo late) &') print('first')")
    #expect(run.output == "first\nlate\n")
    let folder = Folder()
    let pipe = folder.makePipe("lives")
    let launch = Launch(
      arguments: ["-e", "os.execute('exec 9>lives; sleep 1000 &') print('ready')"],
      folder: folder.path)
    let (ended, isOver) = await onThread {
      let lives = Lives(pipe)
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      let run = running.finish()
      return (run, lives.areOver)
    }
    #expect(ended.status == 130)
    #expect(isOver)
  }

  @Test("programs are counted")
  func counted() async {
    let run = await raclette(
      "-e", "local p = io.popen('sleep 1000', 'r') print(rac.stats().processes) os.exit(0)")
    #expect(run.output == "1\n", "\(run)")
  }

  @Test("a clean-up may execute programs after the first signal")
  func cleanUp() async {
    let script = """
      local held <close> = setmetatable({}, {__close = function()
        print(os.execute("sleep 0.1; echo cleaned"))
        print(io.popen("echo read"):read("a"))
      end})
      print("ready") rac.sleep(1000)
      """
    let run = await onThread {
      let running = Running(Launch(arguments: ["-e", script]))
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "ready\ncleaned\ntrue\texit\t0\nread\n\n", "\(run)")
    #expect(run.status == 130)
  }

  @Test("a program has the terminal when it wants it", arguments: Place.allCases)
  func terminal(place: Place) async {
    let script = place.script(
      "os.execute('echo ask; read line </dev/tty; echo got $line; stty -a >/dev/null && echo tty')")
    let run = await onThread {
      let running = Running(atTerminal: Launch(arguments: ["-e", script]))
      running.waitForOutput("ask")
      running.send("answer\n")
      return running.finish()
    }
    #expect(run.output.contains("got answer\r\ntty"), "\(run)")
    #expect(run.status == 0)
  }

  @Test("Ctrl-C at a terminal ends program and run, whoever has the terminal")
  func terminalInterrupt() async {
    for program in ["echo up; sleep 1000", "echo up; read line"] {
      let run = await onThread {
        let running = Running(
          atTerminal: Launch(arguments: ["-e", "os.execute('\(program)') rac.sleep(1000)"]))
        running.waitForOutput("up")
        running.send("\u{3}")
        return running.finish()
      }
      #expect(run.status == 130, "\(run)")
    }
  }

  @Test("two programs that want the terminal have it one after the other")
  func turns() async {
    let folder = Folder(
      commands: """
        local function ask(name)
          rac.command{name = name, run = function()
            os.execute("read line </dev/tty; echo " .. name .. " got $line") end}
        end
        ask("a") ask("b")
        """)
    let run = await onThread {
      let running = Running(
        atTerminal: Launch(arguments: ["run", "a", ":::", "b"], folder: folder.path))
      running.send("one\ntwo\n")
      return running.finish()
    }
    #expect(run.output.contains("a got") && run.output.contains("b got"), "\(run)")
    #expect(run.status == 0)
  }
}
