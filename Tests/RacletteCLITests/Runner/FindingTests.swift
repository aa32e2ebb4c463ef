import Platform
import Testing

@Suite("finding one's way", .timeLimit(.minutes(5)))
struct FindingTests {
  @Test("list shows aliases, and with --all private commands, which a leading _ makes")
  func all() async {
    let folder = Folder(
      commands: """
        rac.command{name = "build", summary = "Compile", aliases = {"b", "make"}, run = print}
        rac.command{name = "_helper", run = print}
        rac.command{name = "_shown", private = false, run = print}
        rac.command{name = "secret", private = true, summary = "Hush", run = print}
        """)
    #expect(
      await raclette("list", in: folder).output == "  build   Compile  (also b, make)\n  _shown\n")
    #expect(
      await raclette("list", "--all", in: folder).output == """
          build    Compile  (also b, make)
          _helper  (private)
          _shown
          secret   Hush  (private)

        """)
    let json = await raclette("list", "-a", "--json", in: folder)
    #expect(json.output.contains(#""name":"_helper","private":true"#), "\(json)")
  }

  @Test("init makes the folder, with those that lead to it, or leaves nothing")
  func folders() async {
    let folder = Folder(["file": ""])
    let run = await raclette("init", "a/b/c", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(await raclette("list", at: folder["a/b/c"]).output.contains("hello"))
    let inside = await raclette("init", "file/x", in: folder)
    #expect(inside.status == 2, "\(inside)")
    #expect(inside.errors.contains("cannot change to 'file/x': not a directory"), "\(inside)")
  }

  @Test("a #! line may have options, with and without env -S")
  func interpreterLines() async {
    let folder = Folder([
      "split": "#!/usr/bin/env -S raclette exec --time-limit 10s\nprint('split', rac.args[1])\n",
      "whole": "#!\(Program.path) exec --time-limit 10s\nprint('whole', rac.args[1])\n",
      "commands":
        "#!\(Program.path) run -f\nrac.command{name = 'c', run = function() return 'c' end}\n",
      "limited": "#!\(Program.path) exec --time-limit 50ms\nwhile true do end\n",
    ])
    for name in ["split", "whole", "commands", "limited"] { chmod(folder[name], 0o755) }
    #expect(await shell("./split 'a b'", in: folder).output == "split\ta b\n")
    #expect(await shell("./whole 'a b'", in: folder).output == "whole\ta b\n")
    #expect(await shell("./commands c", in: folder).output == "c\n")
    let limited = await shell("./limited", in: folder)
    #expect(limited.errors.contains("more than 0.05 s without a pause"), "\(limited)")
    // Words of a person are left as they are.
    let typed = await raclette("exec x", "split", at: "/")
    #expect(typed.errors.contains("'exec x' is neither a subcommand nor a script"), "\(typed)")
  }

  @Test("history lists one command's executions, and that an interrupted one has completed since")
  func history() async {
    let folder = Folder(
      commands: """
        rac.command{name = "quick", run = function() return "q" end}
        rac.command{name = "slow", run = function()
          if io.open("again") then return "done" end
          return rac.sh("echo up; exec sleep 1000", {grace = 0.05})
        end}
        """)
    let launch = Launch(arguments: ["run", "--journal", "j.db", "slow"], folder: folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("up\n")
      running.get(signal: SIGKILL)
      _ = running.finish()
    }
    _ = await raclette("run", "--journal", "j.db", "quick", in: folder)
    let before = await raclette("history", "--journal", "j.db", "slow", in: folder)
    #expect(before.lines.count == 1 && before.output.contains(" interrupted "), "\(before)")
    #expect(
      await raclette("history", "--journal", "j.db", "--failed", in: folder).lines.count == 1)
    folder.write("", to: "again")
    _ = await raclette("run", "--journal", "j.db", "slow", in: folder)
    let after = await raclette("history", "--journal", "j.db", "--command", "slow", in: folder)
    #expect(after.lines.count == 2, "\(after)")
    #expect(after.lines.first?.contains(" interrupted ") == true, "\(after)")
    #expect(after.lines.first?.hasSuffix("slow {} completed since, as #3") == true, "\(after)")
    #expect(await raclette("history", "--journal", "j.db", "--failed", in: folder).output == "")
    let quick = await raclette("history", "--journal", "j.db", "--json", "quick", in: folder)
    #expect(quick.lines.count == 1 && quick.output.contains(#""command":"quick""#), "\(quick)")
    let wrong = await raclette("history", "--journal", "j.db", "quik", in: folder)
    #expect(wrong.errors.hasSuffix("j.db'; did you mean 'quick'?\n"), "\(wrong)")
    #expect(wrong.status == 2)
  }
}
