import Platform
import Testing

@Suite("output that does not end in a newline", .timeLimit(.minutes(5)))
struct LineEndTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "line", run = "printf a"}
      rac.command{name = "list", run = {"printf", "a"}}
      rac.command{name = "tty", tty = true, run = "printf a"}
      rac.command{name = "returned", run = function() return rac.sh("printf a") end}
      rac.command{name = "made", run = function() return rac.sh("printf a"):map(string.upper) end}
      rac.command{name = "merged", run = function() return rac.merge(rac.sh("printf a")) end}
      local function text() return rac.sh("printf 'b\\na'") end
      rac.command{name = "joined", when_busy = "join",
        run = "printf a; while [ ! -e joined ]; do sleep 0.01; done; printf b"}
      rac.command{name = "late", run = function()
        local first, second = rac.commands.joined:execute(), rac.commands.joined:execute()
        io.open("joined", "w"):close()
        return rac.concat(first, second)
      end}
      rac.command{name = "replayed", run = function()
        local text = text():replay()
        text:wait()
        return rac.concat(text, text)
      end}
      rac.command{name = "lazily", run = function()
        local text = text():replay_lazily()
        return rac.concat(text, text)
      end}
      rac.command{name = "seen", run = function()
        local text = text():replay()
        text:subscribe(function() end)
        return text
      end}
      rac.command{name = "shared", run = function() return text():share() end}
      rac.command{name = "latest", run = function()
        return rac.when(rac.just(true), text(), rac.empty())
      end}
      rac.command{name = "steps", steps = {"printf a", {"printf", "b\\nc"},
        function() return rac.sh("printf d") end, "echo e"}}
      rac.command{name = "kept", fingerprint = function() return 1 end, run = "printf 'b\\na'"}
      rac.command{name = "input", run = function() return rac.stdin() end}
      rac.command{name = "copied", run = function() return rac.exec{"cat", stdin = rac.stdin()} end}
      rac.command{name = "failed", run = "printf a; exit 3"}
      rac.command{name = "broken", run = "printf b >&2; exit 3"}
      rac.command{name = "other", needs = "line", run = "echo b"}
      rac.command{name = "question",
        run = "printf '1\\n2'; while [ ! -e go ]; do sleep 0.01; done; printf '3\\n4\\n'"}
      rac.command{name = "secret", secrets = {"WORD"}, env = {WORD = "sesame"},
        run = "printf 'open ses'; while [ ! -e go ]; do sleep 0.01; done; printf 'ame!'"}
      rac.command{name = "progress",
        run = "printf '1%%\\r'; while [ ! -e go ]; do sleep 0.01; done; printf '2%%\\r\\n'"}
      """)

  @Test(
    "has none, whatever its way is",
    arguments: [
      ("line", "a"), ("list", "a"), ("tty", "a"), ("returned", "a"), ("merged", "a"),
      ("steps", "ab\ncde\n"), ("made", "A\n"), ("-o group line", "a"),
      ("late", "abab"), ("replayed", "b\nab\na"), ("lazily", "b\nab\na"), ("seen", "b\na"),
      ("shared", "b\na"), ("latest", "b\na"),
      ("-o prefix line", "line | a"),
      ("-o prefix steps", "steps | ab\nsteps | cde\n"), ("other", "ab\n"),
      ("-o prefix other", "line  | a\nother | b\n"),
    ])
  func none(_ call: String, _ output: String) async {
    let run = await shell("raclette run \(call)", in: folder)
    #expect(run.output == output, "\(run.errors)")
    #expect(run.errors == "")
  }

  @Test("has none when the values of a command that is up to date come again")
  func upToDate() async {
    for errors in ["", "raclette: kept is up to date\n"] {
      let run = await raclette("run", "kept", in: folder)
      #expect(run.output == "b\na")
      #expect(run.errors == errors)
    }
  }

  @Test("has none in a batch and in what its journal replays")
  func batch() async {
    folder.write(#"{"command": "line"}"# + "\n", to: "plan.jsonl")
    folder.write("print('b') io.write('c')", to: "script.lua")
    folder.write(#"{"script": "script.lua"}"# + "\n", to: "scripts.jsonl")
    let run = await shell(
      """
      raclette batch -q --journal j.db plan.jsonl | od -An -c
      raclette replay --journal j.db 1 | od -An -c
      raclette batch -q scripts.jsonl | od -An -c
      """, in: folder)
    #expect(run.output == "   a\n   a\n   b  \\n   c\n", "\(run.errors)")
  }

  @Test("is copied byte for byte from standard input")
  func input() async {
    for command in ["input", "copied"] {
      #expect(await raclette("run", command, in: folder, input: "b\na").output == "b\na")
    }
  }

  @Test("is a piece in JSON")
  func json() async {
    let run = await raclette("run", "--json", "steps", in: folder)
    let values = run.lines.filter { $0.contains(#""type":"next""#) }.map { line in
      String(line[(line.firstRange(of: #""value":"#)?.upperBound ?? line.startIndex)...])
    }
    #expect(
      values == [
        #""a","chunk":true}"#, #""b"}"#, #""c","chunk":true}"#, #""d","chunk":true}"#, #""e"}"#,
      ])
  }

  @Test("is ended before a message of the runner where both end in one place")
  func message() async {
    let failure = "raclette: error: failed: 'printf a; exit 3' exited with status 3\n"
    let apart = await raclette("run", "failed", in: folder)
    #expect(apart.output == "a")
    #expect(apart.errors == failure)
    let joined = await shell("raclette run failed 2>&1", in: folder)
    #expect(joined.output == "a\n" + failure)
    #expect(joined.status == 3)
    let broken = await raclette("run", "broken", in: folder)
    #expect(
      broken.errors
        == "b\nraclette: error: broken: 'printf b >&2; exit 3' exited with status 3\n")
  }

  @Test("is visible before the newline comes, and continued by it")
  func visible() async {
    for layout in [[], ["-o", "prefix"]] {
      let prefix = layout.isEmpty ? "" : "question | "
      let run = await running(["run"] + layout + ["question"]) { running in
        #expect(running.waitForOutput("\(prefix)1\n\(prefix)2"))
      }
      #expect(run.output == "\(prefix)1\n\(prefix)23\n\(prefix)4\n")
    }
  }

  @Test("is one value in JSON although it was visible before")
  func oneValue() async {
    let run = await running(["run", "--json", "question"]) { running in
      #expect(running.waitForOutput(#""value":"1"}"#))
    }
    let values = run.lines.filter { $0.contains(#""type":"next""#) }
    #expect(values.count == 3)
    #expect(values.dropFirst().first?.hasSuffix(#""value":"23"}"#) == true)
  }

  @Test("never shows the beginning of a secret")
  func secret() async {
    let run = await running(["run", "secret"]) { running in
      #expect(running.waitForOutput("open "))
    }
    #expect(run.output == "open ***!")
  }

  @Test("is not overwritten together with its prefix by a return")
  func returns() async {
    let run = await running(["run", "-o", "prefix", "progress"]) { running in
      #expect(running.waitForOutput("1%\r"))
    }
    #expect(run.output == "progress | 1%\rprogress | 2%\r\n")
  }

  /// Lets a command go on when `body` has returned.
  private func running(
    _ arguments: [String], _ body: @escaping @Sendable (Running) -> Void
  ) async -> Outcome {
    folder.remove("go")
    let launch = Launch(arguments: arguments, folder: folder.path)
    return await onThread { [folder] in
      let running = Running(launch)
      body(running)
      folder.write("", to: "go")
      return running.finish()
    }
  }
}
