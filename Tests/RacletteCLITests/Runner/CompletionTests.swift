import Platform
import Testing

@Suite("completion", .timeLimit(.minutes(5)))
struct CompletionTests {
  private static let folder = Folder([
    "commands.lua": """
    print("loading")
    rac.command{name = "build", aliases = {"b"}, summary = "Compile\\nit", params = {
      {name = "target", choices = {"debug", "release"}, help = "what to build"},
      {name = "fast", type = "boolean"},
    }, run = function(input) return "target " .. tostring(input.target) end}
    rac.command{name = "deploy:site", run = print}
    rac.command{name = "secret", private = true, run = print}
    """, "other.lua": "rac.command{name = 'other', run = print}",
  ])

  @Test(
    "offers what could stand at the cursor",
    arguments: [
      (["ru"], ["run"]), (["completions", ""], ["bash", "zsh", "fish"]),
      (["run", ""], ["build", "b", "deploy:site"]), (["run", "bu"], ["build"]),
      (["run", "-o", "p"], ["prefix"]), (["run", "--output=g"], ["--output=group"]),
      (["run", "--k"], ["--keep-going"]), (["run", "-f", ""], [":files"]),
      (["-C", ""], [":folders"]), (["run", "-j", ""], []),
      (["run", "-f", "other.lua", ""], ["other"]), (["-f", "other.lua", "run", ""], ["other"]),
      (["run", "build", "--"], ["--target", "--fast", "--help"]),
      (["run", "build", "--target", ""], ["debug", "release"]),
      (["run", "build", "target=r"], ["target=release"]),
      (["run", "build", "d"], ["debug"]), (["run", "build", "debug", "t"], ["true"]),
      (["run", "build", ":::", "d"], ["deploy:site"]), (["show", "b"], ["build", "b"]),
      (["help", "li"], ["list"]), (["help", "pla"], ["plan"]), ([":help", "li"], ["list"]),
      ([":li"], [":list"]),
      ([":run", "bu"], ["build"]), ([":nothing", ""], [":files"]),
      (["run", "-w", "bu"], ["build"]), (["--watch", "bu"], ["build"]),
      (["run", "-w=s"], [":files"]), (["exec", ""], [":files"]), (["", ""], [":files"]),
    ])
  func candidates(words: [String], expected: [String]) async {
    let launch = Launch(arguments: ["complete", "--"] + words, folder: Self.folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(run.lines.map { String($0.prefix { $0 != "\t" }) } == expected)
    #expect(run.status == 0)
  }

  @Test("subcommands of services offer services alone, each once")
  func services() async {
    let folder = Folder(
      commands: """
        for _, name in ipairs{"db", "web"} do
          rac.command{name = name, service = true, run = "sleep 600"}
        end
        rac.command{name = "test", needs = {}, run = "true"}
        """)
    for (words, expected) in [
      (["up", ""], ["db", "web"]), (["up", "db", ""], ["web"]), (["down", ""], ["db", "web"]),
      (["restart", ""], ["db", "web"]), (["restart", "db", ""], ["web"]), (["logs", "w"], ["web"]),
    ] {
      let launch = Launch(arguments: ["complete", "--"] + words, folder: folder.path)
      let run = await onThread { Running(launch).finish() }
      #expect(run.lines.map { String($0.prefix { $0 != "\t" }) } == expected, "\(words)")
    }
  }

  @Test("a subcommand whose name a command has is offered with its colon")
  func sharedNames() async {
    let folder = Folder(
      commands: """
        for _, name in ipairs{"list", "run", "show"} do
          rac.command{name = name, params = {{name = "kind", choices = {"a", "b"}}}, run = "true"}
        end
        """)
    let words = { (words: String...) in
      let launch = Launch(arguments: [":complete", "--"] + words, folder: folder.path)
      return await onThread { Running(launch).finish() }.lines.map {
        String($0.prefix { $0 != "\t" })
      }
    }
    #expect(await words("li") == ["list"])
    #expect(await words(":li") == [":list"])
    #expect(await words("list", "") == ["a", "b"])
    #expect(await words(":show", "l") == ["list"])
    #expect(await words("run", "s") == ["show"])
    let all = await words("")
    #expect(all.prefix(5) == ["list", "run", "show", ":choose", ":batch"])
    #expect(all.contains(":list") && all.contains(":show") && !all.contains(":run"))
  }

  @Test("a file that does not load offers nothing")
  func broken() async {
    let folder = Folder(commands: "error()")
    #expect(await raclette("complete", "--", "run", "", in: folder).output == "")
  }

  /// A shell at a terminal, which completes with Tab what is typed, and executes it.
  private struct Shell: Sendable, CustomStringConvertible {
    let name: String
    let options: [String]
    let setUp: String

    var description: String { name }

    var path: String? {
      ["/bin/", "/usr/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }

    static let all = [
      Shell(
        name: "bash", options: ["--norc", "--noprofile", "-i"],
        setUp: "bind 'set bell-style none'; source <(raclette :completions bash)"),
      Shell(
        name: "zsh", options: ["-f", "-i"],
        setUp: "autoload -U compinit; compinit -D; source <(raclette :completions zsh)"),
      Shell(
        name: "fish", options: ["--no-config", "-i"], setUp: "raclette :completions fish | source"),
    ].filter { $0.path != nil }
  }

  @Test("works in the shells that are here", arguments: Shell.all)
  private func inShells(shell: Shell) async {
    let folder = Self.folder
    folder.makeFolder(".bin-\(shell.name)")
    symlink(Program.path, folder[".bin-\(shell.name)/raclette"])
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let launch = Launch(
      program: shell.path ?? "", arguments: shell.options, folder: folder.path,
      environment: [
        "PATH": "\(folder[".bin-\(shell.name)"]):\(path)", "TERM": "xterm", "HOME": folder.path,
      ])
    let output = await onThread {
      let running = Running(atTerminal: launch)
      running.send(shell.setUp + "; echo rea''dy\n")
      running.waitForOutput("ready")
      running.send("raclette ru\tbui\t--tar\trele\t\n")
      running.waitForOutput("target release")
      running.send("exit\n")
      return running.finish().output
    }
    #expect(output.contains("target release"))
  }
}
