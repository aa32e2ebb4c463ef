import Platform
import Testing

@Suite("a file that is only looked at", .timeLimit(.minutes(5)))
struct TrustTests {
  /// What a file does while it loads, and what the messages say of it.
  static let effects = [
    (#"rac.sh("touch executed; echo main"):first()"#, "'rac.sh' would start a process"),
    (#"rac.exec{"touch", "executed"}:subscribe(print)"#, "'rac.exec' would start a process"),
    (#"os.execute("touch executed")"#, "'os.execute' would start a process"),
    (#"io.popen("touch executed"):close()"#, "'io.popen' would start a process"),
    (#"io.open("executed", "w"):close()"#, "'io.open' would change files"),
    (#"io.output(5):write("x")"#, "'io.output' would change files"),
    (#"os.rename("commands.lua", "executed")"#, "'os.rename' would change files"),
    (#"require "lpeg""#, #"'require "lpeg"' would reach native code"#),
    (#"os.exit(0)"#, "'os.exit' would end the program"),
  ]

  private func folder(_ effect: String) -> Folder {
    Folder(
      commands: """
        rac.command{name = "before", params = {{name = "level"}}, run = print}
        \(effect)
        rac.command{name = "behind", needs = {"before"}, run = print}
        """)
  }

  @Test("--dry-run refuses what would have an effect, and names --trust", arguments: effects)
  func dryRun(effect: String, explanation: String) async {
    let folder = folder(effect)
    let run = await raclette("run", "-n", "before", in: folder)
    #expect(
      run.errors.contains(
        "commands.lua:2: \(explanation), which --dry-run does not allow; --trust allows it\n"),
      "\(run)")
    #expect(run.status == (effect.contains("subscribe") ? 0 : 3))
    #expect(!Folder.isThere(folder["executed"]))
  }

  @Test("check says how far it came, and finds what is wrong up to there", arguments: effects)
  func check(effect: String, explanation: String) async {
    guard !effect.contains("subscribe") else { return }
    let folder = folder(effect)
    let run = await raclette("check", in: folder)
    #expect(
      run.errors
        == "warning: commands.lua:2: \(explanation), which check does not allow; --trust allows it; what follows was not checked\n"
    )
    #expect(run.output == "")
    #expect(run.status == 1)
    #expect(!Folder.isThere(folder["executed"]))
    folder.write("rac.command{nmae = 'x', run = print} \(effect)", to: "commands.lua")
    let wrong = await raclette("check", in: folder)
    #expect(wrong.output == "commands.lua:1: unknown key 'nmae'; did you mean 'name'?\n")
    #expect(wrong.status == 3)
  }

  @Test("check finds needs that go round in a circle up to there, and needs nothing defined later")
  func needs() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", needs = {"b", "later"}, run = print}
        rac.command{name = "b", needs = "a", run = print}
        os.execute("echo x >> executed")
        rac.command{name = "later", run = print}
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.output == "commands.lua:1: the needs of 'a' form a cycle: a -> b -> a\n")
    #expect(run.status == 1)
  }

  @Test("completion offers what is defined before the refusal", arguments: effects)
  func completion(effect: String, explanation: String) async {
    let folder = folder(effect)
    let run = await raclette("complete", "--", "run", "", in: folder)
    let isRefusedLater = effect.contains("subscribe")
    #expect(run.lines == (isRefusedLater ? ["before", "behind"] : ["before"]))
    #expect(!Folder.isThere(folder["executed"]))
  }

  @Test("--trust allows all of it")
  func trust() async {
    let folder = folder(#"os.execute("echo x >> executed")"#)
    #expect(await raclette("check", "--trust", in: folder).status == 0)
    #expect(await raclette("run", "-n", "--trust", "behind", in: folder).status == 0)
    let completion = await raclette("complete", "--trust", "--", "run", "be", in: folder)
    #expect(completion.lines == ["before", "behind"])
    #expect(await shell("wc -l < executed", in: folder).output == "3\n")
  }

  @Test("the completion scripts pass --trust on", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) async {
    let plain = await raclette("completions", shell).output
    let trusting = await raclette("completions", "--trust", shell).output
    #expect(plain.contains(" :complete -- ") && !plain.contains("--trust"))
    #expect(trusting.contains(" :complete --trust -- "))
  }

  @Test("a condition that asks a process leaves the command's state open")
  func conditions() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = print, enabled = function() return os.execute("true") end}
        rac.command{name = "b", run = print, enabled = rac.sh("true"):catch_to(rac.just(false))}
        """)
    let run = await raclette("run", "-n", "a", ":::", "b", in: folder)
    #expect(
      run.output == """
          1. a  enabled depends on a process, which is not started
          2. b  enabled depends on a process, which is not started

        """)
  }

  @Test("compiled modules are not loaded")
  func compiled() async {
    let folder = Folder([
      "commands.lua": "require 'compiled'",
      "dump.lua": """
      local file = io.open("compiled.lua", "wb")
      file:write(string.dump(function() print("ran") end))
      file:close()
      """,
    ])
    _ = await raclette("exec", "dump.lua", in: folder)
    let run = await raclette("check", in: folder)
    #expect(!run.output.contains("ran"))
    #expect(run.output.contains("compiled.lua: is a compiled chunk, not Lua text"))
  }
}

@Suite("files that are no files", .timeLimit(.minutes(5)))
struct SpecialFileTests {
  @Test(
    "an env_file or command file that is a FIFO or a device is an error at once",
    arguments: [("/dev/zero", "is a device"), ("fifo", "is a FIFO"), (".", "is a directory")])
  func specialFiles(path: String, problem: String) async {
    let folder = Folder(
      commands: "rac.command{name = 'c', env_file = '\(path)', run = function() end}")
    _ = folder.makePipe("fifo")
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors.contains("env_file '\(path)': \(problem)"), "\(run)")
    #expect(run.status == 2)
    for verb in [["list"], ["check"], ["run", "c"], ["batch", "-"], ["repl"]] {
      let words =
        verb.first == "check" ? ["check", path] : [verb[0], "-f", path] + verb.dropFirst()
      let launch = Launch(
        arguments: verb.first == "repl" ? ["repl", path] : words, folder: folder.path)
      let run = await onThread { Running(launch).finish() }
      #expect((run.errors + run.output).contains(problem), "\(verb) \(run)")
      #expect(run.status != 0)
    }
  }

  @Test("a script may be a pipe, not a device")
  func scripts() async {
    let folder = Folder()
    #expect(await shell("raclette exec <(echo 'print(1)')", in: folder).output == "1\n")
    #expect(await shell("echo 'print(1)' | raclette exec -", in: folder).output == "1\n")
    #expect(await shell("raclette exec - </dev/null", in: folder).status == 0)
    let device = await raclette("exec", "/dev/zero", in: folder)
    #expect(device.errors.contains("/dev/zero: is a device, not a regular file"))
    #expect(device.status == 1 || device.status == 3)
  }
}
