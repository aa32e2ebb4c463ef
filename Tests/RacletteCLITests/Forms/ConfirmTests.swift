import Testing

@Suite("confirm", .timeLimit(.minutes(5)))
struct ConfirmTests {
  private static let commands = """
    rac.command{name = "fetch", run = "echo fetched"}
    rac.command{name = "deploy", needs = "fetch", confirm = "Really deploy?", run = "echo deployed"}
    rac.command{name = "release", needs = "deploy", run = "echo released"}
    rac.command{name = "outer", run = function() return rac.commands.deploy:execute() end}
    """
  private let folder = Folder(commands: ConfirmTests.commands)

  /// Runs raclette at a terminal, and answers its question.
  private func answer(_ answer: String, _ words: [String]) async -> Outcome {
    await onThread { [folder] in
      let running = Running(atTerminal: Launch(arguments: words, folder: folder.path))
      running.waitForOutput("deploy: Really deploy? [y/N] ")
      running.send(answer)
      return running.finish()
    }
  }

  @Test("asks at a terminal before anything is executed")
  func terminal() async {
    for words in [["run", "deploy"], ["deploy"]] {
      let run = await answer("y\n", words)
      #expect(run.output.hasSuffix("fetched\r\ndeployed\r\n"))
      #expect(run.status == 0)
    }
    let run = await answer("yes\n", ["release"])
    #expect(run.output.hasSuffix("fetched\r\ndeployed\r\nreleased\r\n"))
  }

  @Test("takes everything but yes for a no", arguments: ["\n", "n\n", "yep\n", "\u{04}"])
  func no(answer: String) async {
    let run = await self.answer(answer, ["release"])
    #expect(run.output.contains("deploy: not confirmed\r\n"))
    #expect(!run.output.contains("fetched"))
    #expect(run.status == 1)
  }

  @Test("ends by Ctrl-C")
  func interrupted() async {
    let run = await answer("\u{03}", ["deploy"])
    #expect(!run.output.contains("fetched"))
    #expect(run.status == 130)
  }

  @Test("asks about what Lua executes, when it does")
  func nested() async {
    let run = await answer("y\n", ["outer"])
    #expect(run.output.hasSuffix("\r\ndeployed\r\n"))
    let refused = await raclette("outer", in: folder)
    #expect(refused.output == "")
    #expect(refused.errors.contains("which only --yes answers without a terminal"))
  }

  @Test("wants --yes where there is no terminal")
  func yes() async {
    let run = await raclette("run", "release", in: folder)
    #expect(run.output == "")
    #expect(
      run.errors == """
        raclette: error: deploy: it asks "Really deploy?", which only --yes answers without a terminal

        """)
    #expect(run.status == 2)
    for words in [["run", "--yes", "deploy"], ["-y", "deploy"]] {
      let run = await onThread { [folder] in
        Running(Launch(arguments: words, folder: folder.path)).finish()
      }
      #expect(run.lines == ["fetched", "deployed"])
    }
    #expect(await raclette("run", "--yes", "outer", in: folder).lines == ["fetched", "deployed"])
  }

  @Test("is a function of the input, which asks nothing for some")
  func function() async {
    let folder = Folder([
      ".env": "STAGE=live\n",
      "commands.lua": #"""
      rac.command{name = "deploy", env_file = ".env", params = {{name = "to", default = "test"}},
        confirm = function(input)
          if input.to == "test" then return nil end
          return "Really deploy to " .. input.to .. " of " .. rac.env.STAGE .. io.popen("echo '!' $to"):read() .. "?"
        end,
        run = "echo deployed to $to"}
      rac.command{name = "bad", confirm = function() return 5 end, run = "echo ran"}
      """#,
    ])
    #expect(await raclette("deploy", in: folder).output == "deployed to test\n")
    let refused = await raclette("deploy", "prod", in: folder)
    #expect(
      refused.errors == """
        raclette: error: deploy: it asks "Really deploy to prod of live! prod?", which only --yes answers without a terminal

        """)
    #expect(refused.status == 2)
    #expect(await raclette("--yes", "deploy", "prod", in: folder).output == "deployed to prod\n")
    let bad = await raclette("bad", in: folder)
    #expect(
      bad.errors
        == "raclette: error: bad: commands.lua:7: 'confirm' must return a text, nil or false, got number\n"
    )
    #expect(bad.output == "")
    #expect(
      await raclette("show", "deploy", in: folder).output.contains(
        "Asks:    what its function returns for the input\n"))
    folder.write(#"{"command": "deploy", "input": {"to": "prod"}}"# + "\n", to: "plan.jsonl")
    let batch = await raclette("batch", "plan.jsonl", in: folder)
    #expect(batch.errors.contains(#"it asks "Really deploy to prod of live! prod?""#))
  }

  @Test("shows in the plan, which asks nothing")
  func plan() async {
    #expect(
      await raclette("-n", "deploy", in: folder).lines
        == [
          "  1. fetch", "     $ echo fetched", #"  2. deploy  after fetch; asks "Really deploy?""#,
          "     $ echo deployed",
        ])
    #expect(
      await raclette("-n", "--json", "deploy", in: folder).output.contains(
        #""confirm":"Really deploy?""#))
  }

  @Test("wants --yes in a batch, before anything is executed for the entry")
  func batch() async {
    let place = BatchFolder(
      Self.commands, plan: [#"{"command": "deploy"}"#, #"{"command": "release"}"#])
    let outcome = await place.batch("plan.jsonl")
    #expect(!outcome.output.contains("deployed"))
    #expect(outcome.errors.contains(#"it asks "Really deploy?", which only --yes answers"#))
    #expect(outcome.status == 1)
    let confirmed = await place.batch("--yes", "plan.jsonl")
    #expect(confirmed.lines.sorted() == ["deployed", "fetched", "released"])
    #expect(confirmed.status == 0)
  }

  private static let script = """
    rac.command{name = "deploy", confirm = "Really deploy?", run = "echo deployed"}
      :execute({}):subscribe(print)
    """
  private static let refusal =
    #"it asks "Really deploy?", which only --yes answers without a terminal"#

  @Test(
    "wants --yes in a script, however it is executed",
    arguments: [["exec", "deploy.lua"], ["deploy.lua"], ["-e"]])
  func script(words: [String]) async {
    let words = words == ["-e"] ? words + [Self.script] : words
    let folder = Folder(["deploy.lua": Self.script])
    let run = await onThread { Running(Launch(arguments: words, folder: folder.path)).finish() }
    #expect(run.output == "")
    #expect(run.errors == "raclette: error: deploy: \(Self.refusal)\n")
    #expect(run.status == 2)
    let confirmed = await onThread {
      Running(Launch(arguments: ["--yes"] + words, folder: folder.path)).finish()
    }
    #expect(confirmed.output == "deployed\n")
    #expect(confirmed.errors == "")
    #expect(confirmed.status == 0)
  }

  @Test("asks at a terminal what a script executes")
  func scriptAtTerminal() async {
    for (answer, end) in [
      ("y\n", "deployed\r\n"),
      ("n\n", "raclette: \u{1B}[1;31merror\u{1B}[0m: deploy: not confirmed\r\n"),
    ] {
      let folder = Folder(["deploy.lua": Self.script])
      let run = await onThread {
        let launch = Launch(arguments: ["deploy.lua"], folder: folder.path)
        let running = Running(atTerminal: launch)
        running.waitForOutput("deploy: Really deploy? [y/N] ")
        running.send(answer)
        return running.finish()
      }
      #expect(run.output.hasSuffix("[y/N] \(answer.dropLast())\r\n\(end)"), "\(run)")
      #expect(run.status == (answer == "y\n" ? 0 : 1))
    }
  }

  @Test("wants --yes for a script of a batch")
  func batchedScript() async {
    let place = BatchFolder("", plan: [#"{"script": "deploy.lua"}"#])
    place.folder.write(Self.script, to: "deploy.lua")
    for plan in ["plan.jsonl", "deploy.lua"] {
      let refused = await place.batch("-q", plan)
      #expect(refused.output == "")
      #expect(
        refused.errors.hasPrefix("raclette: error: \(plan):1: deploy.lua: \(Self.refusal)\n"),
        "\(refused)")
      #expect(refused.status == 1)
      let confirmed = await place.batch("-q", "--yes", plan)
      #expect(confirmed.output == "deployed\n")
      #expect(confirmed.status == 0)
    }
  }

  @Test("is asked while the command file loads; looking at it answers nothing")
  func loading() async {
    let folder = Folder(commands: Self.script + "\nrac.command{name = 'a', run = 'echo a'}")
    let run = await raclette("run", "a", in: folder)
    #expect(run.output == "a\n", "\(run)")
    #expect(run.errors == "raclette: error: deploy: \(Self.refusal)\n")
    let waiting = Folder(
      commands: """
        rac.command{name = "deploy", confirm = "Really deploy?", run = "echo deployed"}
          :execute({}):wait()
        """)
    let list = await raclette("list", in: waiting)
    #expect(list.output == "")
    #expect(
      list.errors == """
        raclette: error: 'deploy' asks "Really deploy?", which is answered only when it is run

        """)
    #expect(list.status == 3)
  }

  @Test("is asked again by a further attempt, which is not a yes")
  func retry() async {
    let folder = Folder(
      commands: """
        local deploy = rac.command{name = "deploy", confirm = "Really?", retry = {times = 2},
          run = "echo deployed"}
        rac.command{name = "release", run = function() return deploy:execute() end}
        """)
    let run = await raclette("run", "release", in: folder)
    #expect(run.output == "", "\(run)")
    #expect(run.status != 0)
  }
}
