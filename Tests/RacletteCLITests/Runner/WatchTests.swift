import Platform
import Testing

@Suite("--watch", .timeLimit(.minutes(5)))
struct WatchTests {
  private let folder = Folder([
    "commands.lua": """
    rac.command{name = "serve", run = function()
      return rac.sh([[echo start >>log
        trap 'echo bye >&2; sleep 0.1; echo end >>log; exit' TERM
        echo up
        while :; do sleep 0.01; done]])
    end}
    rac.command{name = "short", run = function() return rac.sh("cat src/a") end}
    """, "src/a": "one\n",
  ])

  private func watch(
    _ words: [String], _ body: @escaping @Sendable (Running) -> Void
  ) async -> Outcome {
    let launch = Launch(arguments: ["run"] + words, folder: folder.path)
    return await onThread {
      let running = Running(launch)
      body(running)
      return running.finish()
    }
  }

  @Test("executes again when a file changes, but not before the old group is gone")
  func restart() async {
    let run = await watch(["--watch=src", "serve"]) { [folder] running in
      running.waitForOutputLines(1)
      folder.write("two", to: "src/b")
      running.waitForOutputLines(2)
      running.get(signal: SIGINT)
    }
    #expect(run.output == "up\nup\n")
    #expect(run.errors.hasPrefix("raclette: src/b was created\n"))
    #expect(run.errorLines.count { $0 == "bye" } == 2)
    #expect(run.status == 130)
    #expect(await shell("cat log", in: folder).lines == ["start", "end", "start", "end"])
  }

  @Test("executes although its command file writes a module that it requires")
  func unsteady() async {
    folder.write(
      """
      rac.command{name = "short", run = "cat src/a"}
      require "seen"
      assert(io.open("seen.lua", "w")):write("return 1"):close()
      """, to: "commands.lua")
    folder.write("return 0", to: "seen.lua")
    let run = await watch(["--watch=src", "short"]) { [folder] running in
      running.waitForOutputLines(1)
      folder.write("two\n", to: "src/a")
      running.waitForOutputLines(2)
      running.get(signal: SIGINT)
    }
    #expect(run.output == "one\ntwo\n")
    #expect(
      run.errors.hasPrefix(
        """
        raclette: ./seen.lua has changed
        raclette: ./seen.lua has changed
        raclette: ./seen.lua has changed
        raclette: ./seen.lua has changed
        warning: ./seen.lua changes whenever it is loaded, so such changes no longer reload it
        raclette: done; watching src
        raclette: src/a has changed

        """), "\(run)")
    #expect(run.status == 130)
  }

  @Test("executes what was saved last, although each load takes until the next edit")
  func editedWhileLoading() async {
    let text: @Sendable (Int) -> String = { version in
      """
      io.open("loading\(version)", "w"):close()
      while \([1, 2].contains(version)) and not io.open("edited\(version)") do rac.sleep(0.01) end
      rac.command{name = "build", run = "echo \(version)"}
      """
    }
    folder.write(text(0), to: "commands.lua")
    let run = await watch(["--watch=src", "build"]) { [folder] running in
      running.waitForOutputLines(1)
      for version in 1...3 {
        folder.write(text(version), to: "commands.lua")
        folder.write("", to: "edited\(version - 1)")
        eventually { Folder.isThere(folder["loading\(version)"]) }
      }
      running.waitForOutput("3")
      running.get(signal: SIGINT)
    }
    #expect(run.output.hasPrefix("0\n") && run.output.hasSuffix("3\n"), "\(run)")
    #expect(!run.errors.contains("warning"), "\(run)")
    #expect(run.status == 130)
  }

  @Test("ends by a signal that comes while the command file is loaded again")
  func interruptedLoad() async {
    let run = await watch(["--watch=src", "short"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      folder.write(#"io.open("loading", "w"):close() rac.sleep(600)"#, to: "commands.lua")
      eventually { Folder.isThere(folder["loading"]) }
      running.get(signal: SIGINT)
    }
    #expect(run.output == "one\n")
    #expect(
      run.errorLines.prefix(2) == [
        "raclette: done; watching src", "raclette: commands.lua has changed",
      ], "\(run)")
    #expect(!run.errors.contains("error"), "\(run)")
    #expect(!run.errors.contains("watching commands.lua"), "\(run)")
    #expect(run.status == 130)
  }

  @Test("does not start a service again for what its needs make")
  func outputsOfNeeds() async {
    folder.write(
      """
      rac.command{name = "gen", sources = "src/a", outputs = "out", run = "cp src/a out"}
      rac.command{name = "srv", service = true, needs = "gen", ready = {line = "up"},
        watch = {".", "!log"},
        run = "cat out >>log; echo up; sleep 600"}
      """, to: "commands.lua")
    let run = await watch(["--watch", "srv"]) { [folder] running in
      running.waitForErrors("srv is ready")
      folder.write("two\n", to: "src/a")
      eventually { lines(of: folder["log"]) == ["one", "two"] }
      folder.write("three\n", to: "src/a")
      eventually { lines(of: folder["log"]).last == "three" }
      running.get(signal: SIGINT)
    }
    #expect(lines(of: folder["log"]) == ["one", "two", "three"])
    #expect(run.errorLines.filter { $0.hasPrefix("raclette: out ") } == [], "\(run)")
  }

  @Test(
    "says that a service writes what is watched, and does not start it again for the same content")
  func rewritten() async {
    folder.write(
      """
      rac.command{name = "srv", service = true, ready = {line = "up"},
        run = "echo begins >>count; echo same >written; echo up; sleep 600"}
      """, to: "commands.lua")
    folder.write("", to: "written")
    let run = await watch(["--watch=written", "srv"]) { [folder] running in
      running.waitForErrors("in two runs")
      eventually { lines(of: folder["count"]).count == 2 }
      running.get(signal: SIGINT)
    }
    #expect(
      run.errorLines.contains(
        "raclette: written has changed in two runs, one after the other: if the command writes it, name "
          + "it in 'outputs', or leave it out with '!written'"), "\(run)")
    #expect(lines(of: folder["count"]).count == 2)
  }

  @Test("has the resources that its command file declares after a change")
  func resources() async {
    folder.write(
      """
      rac.defaults{resources = {gpu = 2}}
      rac.include("part", "part.lua")
      rac.command{name = "show", uses = {gpu = 2}, run = "echo $RACLETTE_GPU"}
      """, to: "commands.lua")
    folder.write("rac.defaults{resources = {gpu = 4}}", to: "part.lua")
    let run = await watch(["-q", "--watch=src", "show"]) { [folder] running in
      running.waitForOutputLines(1)
      folder.write(
        """
        rac.include("part", "part.lua")
        rac.command{name = "show", uses = {gpu = 4}, run = "echo $RACLETTE_GPU"}
        """, to: "commands.lua")
      running.waitForOutputLines(2)
      running.get(signal: SIGINT)
    }
    #expect(run.output == "0,1\n0,1,2,3\n", "\(run)")
    #expect(run.status == 130)
  }

  @Test("executes again beside a service that lingers, and uses it again")
  func lingering() async {
    folder.write(
      """
      rac.command{name = "db", service = true, ready = {line = "up"}, linger = "1h",
        run = "echo start >>log; echo up; sleep 600"}
      rac.command{name = "short", needs = "db", run = "cat src/a"}
      """, to: "commands.lua")
    let run = await watch(["-q", "--watch=src", "short"]) { [folder] running in
      running.waitForOutputLines(1)
      folder.write("two\n", to: "src/a")
      running.waitForOutputLines(2)
      running.get(signal: SIGINT)
    }
    #expect(run.output == "one\ntwo\n")
    #expect(run.status == 130)
    #expect(await shell("cat log", in: folder).lines == ["start"])
    // Its hub would go on beside the end of the folder.
    _ = await raclette("down", in: folder)
  }

  @Test("executes a command that was not enabled as soon as its condition is true")
  func condition() async {
    folder.write(
      #"rac.command{name = "c", enabled = rac.file_exists("go"), run = "echo up"}"#,
      to: "commands.lua")
    let run = await watch(["--watch=src", "c"]) { [folder] running in
      running.waitForErrors("raclette: failed with status 75; watching src\n")
      folder.write("", to: "go")
      running.waitForErrors("raclette: done; watching src\n")
      running.get(signal: SIGINT)
    }
    #expect(run.output == "up\n")
    #expect(
      run.errorLines.prefix(4) == [
        "raclette: error: the command 'c' is not enabled: its condition is false",
        "raclette: failed with status 75; watching src", "raclette: 'c' is enabled",
        "raclette: done; watching src",
      ])
    #expect(run.status == 130)
  }

  @Test("reports a file that the command writes in each run, which starts no third one")
  func ownChanges() async {
    folder.write(
      #"rac.command{name = "format", run = "printf formatted >src/a; echo run >>log; echo run"}"#,
      to: "commands.lua")
    let run = await watch(["--watch=src", "format"]) { [folder] running in
      running.waitForErrors(
        "raclette: src/a has changed in two runs, one after the other: if the command writes it, "
          + "name it in 'outputs', or leave it out with '!src/a'\n")
      // One event: a file that is created and then written may be two.
      folder.write("", to: "b")
      _ = rename(folder["b"], folder["src/b"])
      running.waitForErrors("raclette: src/b was created\n")
      running.waitForOutputLines(3)
      running.get(signal: SIGINT)
    }
    #expect(run.status == 130)
    #expect(await shell("cat log", in: folder).lines == ["run", "run", "run"])
  }

  @Test("tells of all that changes in a moment at once, and how each run ended")
  func burst() async {
    folder.write("", to: "more/x")
    folder.write("", to: "more/y")
    let run = await watch(["--watch=src", "short"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      _ = rename(folder["more"], folder["src/more"])
      running.waitForErrors("done; watching src\nraclette: src/more/x was created, and 1 more\n")
      running.waitForOutputLines(2)
      running.get(signal: SIGTERM)
    }
    #expect(run.output == "one\none\n")
    #expect(run.status == 143)
  }

  @Test("a command file that changes while it is loaded is loaded again")
  func changedWhileLoading() async {
    folder.write(
      """
      local file = assert(io.open("commands.lua", "w"))
      file:write("rac.command{name = 'short', run = function() return 'new' end}")
      file:close()
      rac.command{name = "short", run = function() return "old" end}
      """, to: "commands.lua")
    let run = await watch(["--watch=src", "short"]) { running in
      running.waitForOutput("new\n")
      running.get(signal: SIGINT)
    }
    #expect(run.output.hasSuffix("new\n"), "\(run)")
  }

  @Test("events are numbered on when the command file is loaded again")
  func numbers() async {
    let run = await watch(["--json", "--journal", "j.db", "--watch=src", "short"]) {
      [folder] running in
      running.waitForErrors("done; watching src\n")
      folder.write(
        "rac.command{name = 'short', run = function() return {'new'} end}", to: "commands.lua")
      running.waitForOutput(#"["new"]"#)
      running.get(signal: SIGINT)
    }
    let numbers = run.lines.compactMap { line in
      line.split(separator: ",").first { $0.hasPrefix(#""seq":"#) }.flatMap { Int($0.dropFirst(6)) }
    }
    #expect(numbers == Array(1...max(1, numbers.count)), "\(run)")
    #expect(run.lines.count { $0.contains("run_started") } == 2, "\(run)")
    let history = await raclette("history", "--journal", "j.db", in: folder)
    #expect(history.lines.count == 2, "\(history)")
  }

  @Test("loads a command file that has changed, whatever is watched", arguments: [".", "src"])
  func commandFile(watched: String) async {
    let run = await watch(["--watch=\(watched)", "short"]) { [folder] running in
      running.waitForErrors("done; watching \(watched)\n")
      folder.write(
        "rac.command{name = 'short', run = function() return 'new' end}", to: "commands.lua")
      running.waitForOutput("new\n")
      folder.write("rac.command{name = 'short', run = ", to: "commands.lua")
      running.waitForErrors("raclette: watching commands.lua\n")
      folder.write("rac.command{name = 'other', run = print}", to: "commands.lua")
      running.waitForErrors("'short'")
      folder.write(
        "rac.command{name = 'short', run = function() return 'last' end}", to: "commands.lua")
      running.waitForOutput("last\n")
      folder.write("two", to: "src/a")
      running.waitForOutput("last\nlast\n")
      running.get(signal: SIGINT)
    }
    #expect(run.output == "one\nnew\nlast\nlast\n")
    #expect(run.errors.contains("raclette: error: commands.lua:1: unexpected symbol"), "\(run)")
    #expect(run.status == 130)
  }

  @Test("ends what runs by the old command file before it loads the new one")
  func commandFileBeside() async {
    let run = await watch(["--watch=src", "serve"]) { [folder] running in
      running.waitForOutputLines(1)
      folder.write(
        "rac.command{name = 'serve', run = function() return rac.sh('cat log') end}",
        to: "commands.lua")
      running.waitForErrors("done; watching src\n")
      running.get(signal: SIGINT)
    }
    #expect(run.output == "up\nstart\nend\n", "\(run)")
  }

  @Test("goes on whatever processes of the file say between two runs")
  func between() async {
    folder.write(
      """
      rac.sh("while [ ! -e stop ]; do [ -e say ] && echo tick >&2; sleep 0.01; done"):subscribe()
      rac.command{name = "short", run = function() return "x" end}
      """, to: "ticking.lua")
    let run = await watch(["-f", "ticking.lua", "--watch=src", "short"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      folder.write("", to: "say")
      running.waitForErrors("tick\n")
      folder.write("two\n", to: "src/a")
      running.waitForErrors("src/a has changed")
      running.get(signal: SIGINT)
    }
    #expect(run.status == 130)
  }

  @Test("follows a folder that goes away when it comes back")
  func gone() async {
    let run = await watch(["--watch=src", "short"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      spawnAndWait(["/bin/rm", "-r", folder["src"]])
      running.waitForErrors("failed with status 1; watching src\n")
      folder.makeFolder("src")
      folder.write("back\n", to: "src/a")
      running.waitForOutput("back\n")
      running.get(signal: SIGINT)
    }
    #expect(run.errors.contains("raclette: src/a was removed\n"))
    #expect(run.status == 130)
  }

  @Test("asks a function for the needs of each run")
  func askedNeeds() async {
    folder.write(
      """
      rac.command{name = "page", params = {{name = "file"}}, run = "echo page $file"}
      rac.command{name = "site", run = "echo site", needs = function()
        local needs = {}
        for _, file in ipairs(rac.glob("src/*")) do needs[#needs + 1] = {"page", file = file} end
        return needs
      end}
      """, to: "commands.lua")
    let run = await watch(["--watch=src", "site"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      folder.write("two", to: "src/b")
      running.waitForOutput("page src/b\n")
      running.waitForOutputLines(5)
      running.waitForErrors("src/b was created\n")
      _ = unlink(folder["src/a"])
      running.waitForOutputLines(7)
      running.get(signal: SIGINT)
    }
    let lines = run.lines.filter { $0 != "site" }
    #expect(lines[0] == "page src/a", "\(run)")
    #expect(Set(lines[1...2]) == ["page src/a", "page src/b"])
    #expect(lines[3...] == ["page src/b"])
  }

  @Test(
    "loads the command file again if it would find other files",
    arguments: ["--watch", "--watch=log"])
  func listedFiles(option: String) async {
    folder.write(
      """
      local all = {}
      for _, file in ipairs(rac.glob("src/*.txt")) do
        rac.command{name = "check-" .. file, run = "echo checked " .. file}
        all[#all + 1] = "check-" .. file
      end
      rac.command{name = "lint", needs = all, run = "echo all clean"}
      """, to: "commands.lua")
    folder.write("", to: "log")
    folder.write("one", to: "src/a.txt")
    let run = await watch([option, "lint"]) { [folder] running in
      running.waitForErrors("done; watching ")
      folder.write("two", to: "src/b.txt")
      running.waitForErrors("src/b.txt was created\n")
      running.waitForErrors("done; watching ", times: 2)
      _ = unlink(folder["src/a.txt"])
      running.waitForErrors("src/a.txt was removed\n")
      running.waitForErrors("done; watching ", times: 3)
      running.get(signal: SIGINT)
    }
    let rounds = run.output.split(separator: "all clean\n").map { Set($0.split(separator: "\n")) }
    #expect(
      rounds == [
        ["checked src/a.txt"], ["checked src/a.txt", "checked src/b.txt"], ["checked src/b.txt"],
      ], "\(run)")
  }

  @Test("the files that a function of outputs names start no run")
  func askedOutputs() async {
    folder.write(
      """
      rac.command{name = "page", sources = "src/*", outputs = function() return {"src/page.out"} end,
        run = "cat src/a >src/page.out; echo made"}
      """, to: "commands.lua")
    let run = await watch(["--watch=src", "page"]) { [folder] running in
      running.waitForErrors("done; watching src\n")
      folder.write("two", to: "src/b")
      running.waitForOutputLines(2)
      running.waitForErrors("src/b was created\nraclette: done; watching src\n")
      folder.write("three", to: "src/c")
      running.waitForErrors("src/c was created\n")
      running.waitForOutputLines(3)
      running.get(signal: SIGINT)
    }
    #expect(!run.errors.contains("page.out"), "\(run)")
  }

  @Test("tells programs of a run that makes place for another")
  func replaced() async {
    let run = await watch(["--json", "--watch=src", "serve"]) { [folder] running in
      running.waitForOutput(#""value":"up""#)
      folder.write("two", to: "src/b")
      running.waitForOutput(#","replaced":true}"#)
      running.get(signal: SIGTERM)
    }
    let ends = run.lines.filter { $0.contains("run_finished") }
    #expect(ends.first?.contains("exit_code") == false)
    #expect(run.status == 143)
  }

  @Test("tells programs the status of a run that a signal ended")
  func json() async {
    let run = await watch(["--json", "--watch=src", "serve"]) { running in
      running.waitForOutput(#""value":"up""#)
      running.get(signal: SIGINT)
    }
    #expect(run.lines.last?.contains(#""type":"run_finished""#) == true)
    #expect(run.lines.last?.contains(#""exit_code":130}"#) == true)
  }
}
