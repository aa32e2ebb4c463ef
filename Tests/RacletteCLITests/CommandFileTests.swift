import Platform
import Testing

@Suite("the command file", .timeLimit(.minutes(5)))
struct CommandFileTests {
  private let place = """
    rac.command{name = "where", run = function() return rac.exec{"pwd"} end}
    rac.command{name = "fail", run = function() error("boom") end}
    """

  @Test("is the nearest commands.lua upwards, and its commands run in its folder")
  func nearest() async {
    let folder = Folder(commands: place)
    folder.makeFolder("a/b")
    let run = await raclette("run", "where", at: folder["a/b"])
    #expect(run.output == folder.path + "\n")
    folder.write(place, to: "a/commands.lua")
    let nearer = await raclette("run", "where", at: folder["a/b"])
    #expect(nearer.output == folder["a"] + "\n")
  }

  @Test(
    "is what -f names, before the verb's words or after",
    arguments: [
      ["run", "-f", "a/x.lua", "where"], ["run", "--file=a/x.lua", "where"],
      ["run", "-fa/x.lua", "where"], ["-C", "a", "run", "-f", "x.lua", "where"],
      ["run", "-C", "a", "-f", "x.lua", "where"], ["-q", "run", "-v", "-f", "a/x.lua", "where"],
    ])
  func named(words: [String]) async {
    let folder = Folder(["a/x.lua": place])
    let run = await onThread {
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
    #expect(run.output == folder["a"] + "\n")
  }

  @Test("is called in messages as it is reached from where the user is")
  func positions() async {
    let folder = Folder(commands: place)
    folder.makeFolder("a/b")
    #expect(
      await raclette("run", "fail", at: folder["a/b"]).errors
        == "raclette: error: fail: ../../commands.lua:2: boom\n")
    #expect(
      await raclette("run", "-f", folder["commands.lua"], "fail").errors
        == "raclette: error: fail: \(folder["commands.lua"]):2: boom\n")
    #expect(
      await raclette("run", "fail", in: folder).errors
        == "raclette: error: fail: commands.lua:2: boom\n")
  }

  @Test("may be missing: status 3, and a word on how to name one", arguments: ["run", "list"])
  func missing(verb: String) async {
    let folder = Folder()
    let run =
      verb == "run"
      ? await raclette("run", "x", in: folder) : await raclette("list", in: folder)
    #expect(
      run.errors
        == "raclette: error: no commands.lua here or in a folder above; 'raclette init' writes one, -f FILE names another\n"
    )
    #expect(run.status == 3)
  }

  @Test(
    "that does not load: status 3, one line, and the place",
    arguments: [
      ("none.lua", nil, "none.lua: no such file or directory"),
      ("none/x.lua", nil, "cannot read none/x.lua: no such file or directory"),
      (".", nil, ".: is a directory"),
      ("x.lua", "rac.command{\nname = = 1}", "x.lua:2: unexpected symbol near '='"),
      ("x.lua", "\nerror('loading')", "x.lua:2: loading"),
      ("x.lua", "\u{1B}Lua", "x.lua: is a compiled chunk, not Lua text"),
      ("x.lua", "\u{7F}ELF\0\0", "x.lua:1: unexpected symbol near '<\\127>'"),
      ("x.lua", "rac.never():wait()", "the script waits for something that nothing can send"),
      (
        "x.lua", "rac.command{name = 'a', run = print}\nrac.command{name = 'a', run = print}",
        "x.lua:2: command 'a' is defined at x.lua:2 and at x.lua:1"
      ),
    ])
  func commandFileError(path: String, text: String?, message: String) async {
    let folder = Folder()
    if let text { folder.write(text, to: path) }
    for words in [["run", "-f", path, "x"], ["list", "-f", path]] {
      let run = await onThread {
        Running(Launch(arguments: words, folder: folder.path)).finish()
      }
      #expect(run.errors == "raclette: error: \(message)\n")
      #expect(run.output == "")
      #expect(run.status == 3)
    }
  }

  @Test("is not looked for further up when there is a folder of the name")
  func folder() async {
    let folder = Folder(["commands.lua": place, "inner/commands.lua/x": ""])
    let run = await raclette("run", "where", at: folder["inner"])
    #expect(run.errors == "raclette: error: commands.lua: is a directory\n")
    #expect(run.status == 3)
  }

  @Test("that may not be read is told so", .enabled(if: geteuid() != 0))
  func unreadable() async {
    let folder = Folder(commands: place)
    chmod(folder["commands.lua"], 0)
    let run = await raclette("list", in: folder)
    #expect(run.errors == "raclette: error: commands.lua: permission denied\n")
    #expect(run.status == 3)
  }
}
