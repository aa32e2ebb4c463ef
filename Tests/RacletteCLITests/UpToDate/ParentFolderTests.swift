import Platform
import Testing

/// Definitions whose `cwd` is a folder that their patterns leave by `..`.
@Suite("patterns that lead out of 'cwd'", .timeLimit(.minutes(5)))
struct ParentFolderTests {
  @Test(
    "audit writes them as they are relative to 'cwd', and is clean then",
    .enabled(if: Strace.isAllowed, "needs strace, and ptrace, which is forbidden here"))
  func audit() async {
    let folder = Folder([
      "a": "a", "src/x": "x", "lib/1": "", "src/2": "", "inc.h": "",
      "commands.lua": """
      rac.command {name = "sub", cwd = "src", sources = {"x"}, outputs = {"y"}, depfile = "d",
        run = "ls ../lib .; cat x ../a ../inc.h >y; echo z >../z; echo y: ../inc.h ./x >d"}
      """,
    ])
    let run = await raclette("audit", "--write", "sub", in: folder)
    #expect(
      run.lines.prefix(8) == [
        "'sub' reads 1 file that is not a source:", "  a",
        "'sub' lists 2 folders in which new files would not be sources:", "  lib", "  src",
        "'sub' writes 1 file that is not an output:", "  z",
        "add to its definition (commands.lua:1):",
      ], "\(run)")
    #expect(
      run.lines.dropFirst(8).prefix(2) == [
        #"  sources = {"x", "../a", "../lib/*", "*"},"#, #"  outputs = {"y", "../z"},"#,
      ], "\(run)")
    #expect(run.status == 0)
    let clean = await raclette("audit", "--write", "sub", in: folder)
    #expect(
      clean.lines.first
        == "'sub' names all that it reads and writes in the project: 3 sources, 3 outputs",
      "\(clean)")
    #expect(clean.status == 0)
    #expect(await raclette("run", "sub", in: folder).errors == "raclette: sub is up to date\n")
    let show = await raclette("show", "--json", "sub", in: folder)
    #expect(show.output.contains(#""sources":["src/x","a","lib/*","src/*"]"#), "\(show)")
  }

  @Test(
    "audit names the folder of the command file as '..'",
    .enabled(if: Strace.isAllowed, "needs strace, and ptrace, which is forbidden here"))
  func listing() async {
    let folder = Folder([
      "a": "", "src/x": "",
      "commands.lua": #"rac.command {name = "sub", cwd = "src", run = "ls .. >y"}"#,
    ])
    #expect(await raclette("audit", "--write", "sub", in: folder).status == 0)
    let clean = await raclette("audit", "sub", in: folder)
    #expect(clean.status == 0, "\(clean)")
    #expect(
      fileContent(folder["commands.lua"]).map { String(decoding: $0, as: UTF8.self) }
        == #"rac.command {name = "sub", outputs = {"y"}, sources = {"../*"}, cwd = "src", run = "ls .. >y"}"#
    )
  }

  @Test("check compares them with those of commands of other folders")
  func check() async {
    let folder = Folder([
      "a": "", "b": "", "src/x": "",
      "tasks/commands.lua": #"rac.command{name = "in", outputs = "../z", run = "true"}"#,
      "commands.lua": """
      rac.include("tasks", "tasks/commands.lua")
      rac.command{name = "mk", outputs = "a", run = "touch a"}
      rac.command{name = "sub", cwd = "src", needs = "mk", sources = {"x", "../a"},
        outputs = {"y", "../z"}, run = "cat x ../a >y; echo >../z"}
      rac.command{name = "other", cwd = "src", sources = "../{a,b}", run = "true"}
      """,
    ])
    let check = await raclette("check", in: folder)
    #expect(
      check.lines == [
        "commands.lua:3: 'sub' and 'tasks:in' both name the output '../z' (tasks/commands.lua:1)"
      ])
    #expect(
      check.notes == ["commands.lua:5: 'other' reads 'a', which 'mk' makes, and does not need it"])
  }

  @Test("--watch leaves out the outputs, and follows what 'watch' names")
  func watch() async {
    let folder = Folder([
      "src/x": "", "conf": "",
      "commands.lua": """
      rac.command{name = "sub", cwd = "src", sources = "x", outputs = "../z",
        run = "date +%N >../z; echo made"}
      rac.command{name = "conf", cwd = "src", watch = {"../*", "!../z"}, run = "echo; date +%N >../z"}
      """,
    ])
    for (name, path) in [("sub", "src/x"), ("conf", "conf")] {
      let launch = Launch(arguments: ["--force", "--watch", name], folder: folder.path)
      let run = await onThread {
        let running = Running(launch)
        running.waitForErrors("done; watching")
        folder.write("2", to: path)
        running.waitForErrors("done; watching", times: 2)
        folder.write("3", to: path)
        running.waitForErrors("done; watching", times: 3)
        running.get(signal: SIGINT)
        return running.finish()
      }
      let changed = "\(path) has changed"
      #expect(
        run.notes.filter { $0.hasSuffix(" changed") || $0.hasSuffix(" created") }
          == [changed, changed], "\(run)")
    }
  }

  @Test("those of a 'cwd' that is a link mean what they mean there")
  func link() async {
    let folder = Folder([
      "deep/src/x": "", "deep/a": "1", "a": "1",
      "commands.lua": """
      rac.command{name = "sub", cwd = "link", sources = "../a", run = "cat ../a"}
      """,
    ])
    symlink("deep/src", folder["link"])
    #expect(await raclette("sub", in: folder).output == "1")
    folder.write("2", to: "a")
    #expect(await raclette("status", "sub", in: folder).status == 0)
    folder.write("2", to: "deep/a")
    #expect(
      await raclette("explain", "sub", in: folder).output
        == "sub: not up to date\n  the source 'link/../a' has changed\n")
  }
}
