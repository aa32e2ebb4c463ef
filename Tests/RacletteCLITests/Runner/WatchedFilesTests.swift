import Platform
import Testing

@Suite("files that --watch watches", .timeLimit(.minutes(5)))
struct WatchedFilesTests {
  private func folder(_ watch: String, _ files: [String: String] = [:]) -> Folder {
    Folder(
      [
        "commands.lua": """
        rac.command{name = "t", \(watch) run = function()
          return rac.sh("echo run | tee -a log; mkdir -p out; date +%N >out/new; exec true")
        end}
        """, "src/a.py": "", "src/gen/g.py": "", "src/x.txt": "", "out/old": "", "log": "",
        ".gitignore": "out/\nlog\n",
      ].merging(files) { $1 })
  }

  /// Executes the command, and then writes files, each of which has to lead to the next message.
  private func watch(
    _ words: [String], in folder: Folder, writing files: [(path: String, message: String?)]
  ) async -> Outcome {
    let launch = Launch(arguments: ["run"] + words, folder: folder.path)
    return await onThread {
      let running = Running(launch)
      running.waitForErrors("watching")
      var count = 1
      for (path, message) in files {
        folder.write("\(count)", to: path)
        guard let message else { continue }
        count += 1
        running.waitForErrors("raclette: \(message)\n")
        running.waitForOutputLines(count)
        running.waitForErrors("done; watching", times: count)
      }
      running.get(signal: SIGINT)
      return running.finish()
    }
  }

  @Test("are those of the command's patterns, without what it excludes and what git ignores")
  func ofCommand() async {
    let folder = folder(#"watch = {"src/**/*.py", "!src/gen/**"},"#)
    let run = await watch(
      ["--watch", "t"], in: folder,
      writing: [
        ("src/x.txt", nil), ("src/gen/g.py", nil), ("src/a.py", "src/a.py has changed"),
        ("src/new/deep/b.py", "src/new/deep/b.py was created"),
        ("src/new/deep/c.txt", nil), ("src/new/deep/b.py", "src/new/deep/b.py has changed"),
      ])
    #expect(run.errors.contains("done; watching src/**/*.py, !src/gen/**\n"), "\(run)")
    #expect(!run.errors.contains("txt") && !run.errors.contains("gen/g.py"), "\(run)")
    #expect(run.output == "run\nrun\nrun\nrun\n")
  }

  @Test("are also those that a command leaves out of its outputs")
  func leftOutOfOutputs() async {
    let folder = folder(
      #"watch = "src/**", sources = {"src/gen/keep", "src/x.txt"}, outputs = {"src/gen/*", "!src/gen/keep"},"#,
      ["src/gen/keep": ""])
    let run = await watch(
      ["--watch", "t"], in: folder,
      writing: [
        ("src/gen/g.py", nil), ("src/gen/keep", "src/gen/keep has changed"), ("src/gen/g.py", nil),
        ("src/x.txt", "src/x.txt has changed"),
      ])
    #expect(run.output == "run\nrun\nrun\n")
    #expect(!run.errors.contains("src/gen/g.py"), "\(run)")
  }

  @Test(
    "are also its files of variables, although git ignores them",
    arguments: [("", "."), (#"watch = "src/*.py","#, "src/*.py")])
  func variables(watch: String, patterns: String) async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "t", \(watch) env_file = {".env", {".env.local", optional = true}},
        run = "echo $A $B"}
      """, "src/a.py": "", ".env": "A=a", ".gitignore": ".env*\n",
    ])
    let launch = Launch(arguments: ["run", "--watch", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      for (round, (text, path)) in [("A=b", ".env"), ("B=c", ".env.local")].enumerated() {
        running.waitForErrors("done; watching", times: round + 1)
        folder.write(text, to: path)
      }
      running.waitForErrors("done; watching", times: 3)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "a\nb\nb c\n", "\(run)")
    let watching = "raclette: done; watching \(patterns), .env, .env.local\n"
    #expect(
      run.errors.hasPrefix(
        watching + "raclette: .env has changed\n" + watching
          + "raclette: .env.local was created\n" + watching), "\(run)")
  }

  @Test("are also files of variables in a folder that is made later")
  func variablesInNewFolder() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "t", watch = "src/*", env_file = {{"conf/local.env", optional = true}},
        run = "echo $A"}
      """, "src/a.py": "",
    ])
    let launch = Launch(arguments: ["run", "--watch", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching")
      folder.write("A=a", to: "new/local.env")
      #expect(rename(folder["new"], folder["conf"]) == 0)
      running.waitForErrors("done; watching", times: 2)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "\na\n", "\(run)")
  }

  @Test("are also those that are named exactly like a pattern with brackets")
  func brackets() async {
    let folder = folder(#"watch = "src/[id].py","#, ["src/[id].py": ""])
    let run = await watch(
      ["--watch", "t"], in: folder,
      writing: [
        ("src/a.py", nil), ("src/[id].py", "src/[id].py has changed"),
        ("src/i.py", "src/i.py was created"),
      ])
    #expect(run.output == "run\nrun\nrun\n")
    #expect(!run.errors.contains("src/a.py"), "\(run)")
  }

  @Test(
    "are all of the command file's folder that git does not ignore, if nothing names any",
    arguments: [["-w", "t"], ["--watch=", "t"], ["--watch=.", "t"]])
  func ofFolder(words: [String]) async {
    let run = await watch(
      words, in: folder(""),
      writing: [
        ("out/more", nil), ("log", nil), ("src/x.txt", "src/x.txt has changed"),
        ("new", "new was created"),
      ])
    #expect(run.errors.contains("done; watching .\n"), "\(run)")
    #expect(!run.errors.contains("out/") && !run.errors.contains("log "), "\(run)")
    #expect(run.output == "run\nrun\nrun\n")
  }

  @Test(
    "the command file, an included file and a module count in a folder of which a pattern selects others",
    arguments: ["commands.lua", "more.lua", "names.lua"])
  func commandFile(changed: String) async {
    @Sendable func text(_ word: String) -> [String: String] {
      [
        "commands.lua": """
        local names = require "names"
        rac.include("more", "more.lua")
        rac.command{name = "say", watch = {"*.txt"}, needs = {"more:say"},
          run = "echo \(word) " .. names.word}
        """, "more.lua": #"rac.command{name = "say", run = "echo \#(word)"}"#,
        "names.lua": #"return {word = "\#(word)"}"#,
      ]
    }
    let folder = Folder(text("one"))
    folder.write("a", to: "a.txt")
    let launch = Launch(arguments: ["-q", "--watch", "say"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutputLines(2)
      folder.write(text("two")[changed] ?? "", to: changed)
      running.waitForOutputLines(4)
      running.get(signal: SIGINT)
      return running.finish()
    }
    let now = { (file: String) in file == changed ? "two" : "one" }
    #expect(
      run.output == """
        one
        one one
        \(now("more.lua"))
        \(now("commands.lua")) \(now("names.lua"))

        """, "\(run)")
    #expect(run.status == 130)
  }

  @Test("a module that was loaded is loaded again when it changes, whatever is watched")
  func module() async {
    let folder = Folder([
      "commands.lua": """
      local rac = require "rac"
      local early = require "early"
      rac.command{name = "t", sources = "src/*", watch = "src/*", outputs = "out", run = function()
        local tool = require "lib.tool"
        return rac.sh("echo " .. early .. tool .. " | tee out")
      end}
      """, "early.lua": "return 'a'", "lib/tool.lua": "return 1", "src/x": "",
    ])
    let launch = Launch(arguments: ["run", "--watch", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching", times: 1)
      folder.write("return 'b'", to: "early.lua")
      running.waitForOutput("b1\n")
      running.waitForErrors("done; watching", times: 2)
      // This one is required by the run.
      folder.write("return 2", to: "lib/tool.lua")
      running.waitForOutput("b2\n")
      running.waitForErrors("done; watching", times: 3)
      folder.write("1", to: "src/x")
      running.waitForOutputLines(4)
      running.waitForErrors("done; watching", times: 4)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "a1\nb1\nb2\nb2\n", "\(run)")
  }

  @Test("a module that a run requires is loaded again while the run is active")
  func moduleOfActiveRun() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "serve", run = function()
        return rac.sh("echo " .. require "lazy" .. "; while :; do sleep 0.01; done")
      end}
      """, "lazy.lua": "return 1", "src/x": "",
    ])
    let launch = Launch(arguments: ["run", "--watch=src", "serve"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("1\n")
      folder.write("return 2", to: "lazy.lua")
      running.waitForOutput("2\n")
      folder.write("return return", to: "lazy.lua")
      running.waitForErrors("error: serve: error loading module 'lazy' from file './lazy.lua'")
      folder.write("return 3", to: "lazy.lua")
      running.waitForOutput("3\n")
      folder.remove("lazy.lua")
      running.waitForErrors("module 'lazy' not found")
      running.waitForErrors("failed with status 1; watching src", times: 2)
      folder.write("return 4", to: "lazy.lua")
      running.waitForOutput("4\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "1\n2\n3\n4\n", "\(run)")
  }

  @Test("a module that is removed is missed, and loaded when it is there again")
  func removedModule() async {
    let folder = Folder([
      "commands.lua": """
      local text = require "lib.text"
      rac.command{name = "t", run = function() return text end}
      """, "lib/text.lua": "return 'one'", "src/x": "",
    ])
    let launch = Launch(arguments: ["run", "--watch=src", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching", times: 1)
      folder.remove("lib/text.lua")
      running.waitForErrors("raclette: watching commands.lua\n", times: 1)
      folder.write("return 'two'", to: "lib/text.lua")
      running.waitForErrors("done; watching", times: 2)
      // With its folder, too.
      _ = rename(folder["lib"], folder["gone"])
      running.waitForErrors("raclette: watching commands.lua\n", times: 2)
      _ = rename(folder["gone"], folder["lib"])
      running.waitForErrors("done; watching", times: 3)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "one\ntwo\ntwo\n", "\(run)")
    #expect(run.errors.contains("module 'lib.text' not found"), "\(run)")
  }

  @Test("a new module that does not load is watched, whatever is watched")
  func brokenModule() async {
    let folder = Folder([
      "commands.lua": "rac.command{name = 't', run = function() return 'one' end}", "src/x": "",
    ])
    let launch = Launch(arguments: ["run", "--watch=src", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching", times: 1)
      folder.write("return return", to: "fresh.lua")
      folder.write(
        "local x = require 'fresh'\nrac.command{name = 't', run = function() return x end}",
        to: "commands.lua")
      running.waitForErrors("raclette: watching commands.lua\n")
      folder.write("return 'two'", to: "fresh.lua")
      running.waitForOutput("two\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.errors.contains("fresh.lua:1: "), "\(run)")
    #expect(run.output == "one\ntwo\n", "\(run)")
  }

  @Test("a .gitignore above what is watched counts anew when it changes or goes")
  func rulesAbove() async {
    let folder = folder(#"watch = "src/**/*.py","#, ["src/build/q.py": ""])
    folder.write("build/\nout/\nlog\n", to: ".gitignore")
    let launch = Launch(arguments: ["run", "--watch", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching", times: 1)
      folder.remove(".gitignore")
      // The changes are looked at in their order.
      folder.write("1", to: "src/a.py")
      running.waitForErrors("done; watching", times: 2)
      folder.write("1", to: "src/build/q.py")
      running.waitForErrors("src/build/q.py has changed")
      running.waitForErrors("done; watching", times: 3)
      folder.write("build/\n", to: ".gitignore")
      folder.write("2", to: "src/a.py")
      running.waitForErrors("done; watching", times: 4)
      folder.write("2", to: "src/build/q.py")
      folder.write("3", to: "src/a.py")
      running.waitForErrors("done; watching", times: 5)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.errors.ranges(of: "src/build/q.py").count == 1, "\(run)")
    #expect(!run.errors.contains("raclette: .gitignore"), "\(run)")
  }

  @Test(
    "follow the '=' of the option: a word behind it is the command, in every form of a call",
    arguments: [
      (
        ["-w", "src", "t"],
        "'src' is not a command; the paths of --watch follow '=': raclette --watch=src t"
      ),
      (
        ["-w", "src"],
        "COMMAND is missing; 'src' is not a command; the paths of --watch follow '=': "
          + "raclette --watch=src COMMAND"
      ),
      (["--watch", "tt"], "unknown command 'tt' in commands.lua; did you mean 't'?"),
      (["--watch=src"], "COMMAND is missing; usage: \(usage)"),
      (["-w"], "COMMAND is missing; usage: \(usage)"),
      (["-n"], "COMMAND is missing; usage: \(usage)"),
    ])
  func badWords(words: [String], message: String) async {
    let folder = folder("")
    folder.makeFolder("tt")
    for form in [words, ["run"] + words] {
      let run = await onThread { Running(Launch(arguments: form, folder: folder.path)).finish() }
      #expect(run.output == "", "\(form)")
      #expect(run.errors == "raclette: error: \(message)\n", "\(form)")
      #expect(run.status == 2, "\(form)")
    }
  }

  private static let usage =
    "raclette run [OPTIONS] COMMAND [ARGS] [:: COMMAND [ARGS]]... [::: COMMAND [ARGS]]..."

  @Test("do not include a folder that has the name of the command", arguments: [[], ["run"]])
  func folderOfTheName(form: [String]) async {
    let folder = folder("")
    folder.makeFolder("t")
    let launch = Launch(arguments: form + ["--watch", "t"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching .\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "run\n", "\(run)")
  }

  @Test("are told if a pattern of the option is wrong")
  func badPaths() async {
    let folder = folder("")
    let pattern = await raclette("run", "--watch=src/[", "t", in: folder)
    #expect(pattern.errors.hasPrefix("raclette: error: --watch: the pattern 'src/[' opens '['"))
  }

  @Test("are those of the option's globs, relative to the user, whatever the command says")
  func ofOption() async {
    let folder = folder(#"watch = "none/**","#, ["lib/a[1]/f": "", "lib/b.c": ""])
    let run = await watch(
      ["-w=src/*.{py,txt},!src/x*,lib/a[1]", "t"], in: folder,
      writing: [
        ("src/x.txt", nil), ("src/gen/g.py", nil), ("lib/b.c", nil),
        ("src/a.py", "src/a.py has changed"),
        ("lib/a[1]/f", "lib/a[1]/f has changed"),
      ])
    #expect(run.output == "run\nrun\nrun\n", "\(run)")
  }

  @Test(
    "in a folder that git ignores are those that its own pattern matches, and old ones are not new",
    arguments: ["--watch=.,out/*.conf", "--watch=out/*.conf,.", "--watch=.,{out,src}/*.conf"])
  func ofIgnoredFolder(option: String) async {
    let run = await watch(
      [option, "t"], in: folder("", ["out/old.conf": ""]),
      writing: [
        ("out/more", nil), ("src/x.txt", "src/x.txt has changed"),
        ("out/a.conf", "out/a.conf was created"), ("out/old.conf", "out/old.conf has changed"),
      ])
    #expect(
      run.notes.filter { !$0.hasPrefix("done; ") } == [
        "src/x.txt has changed", "out/a.conf was created", "out/old.conf has changed",
        "interrupted",
      ], "\(run)")
    #expect(run.output == "run\nrun\nrun\nrun\n")
  }

  @Test("are read anew when a .gitignore changes")
  func rules() async {
    let run = await watch(
      ["-w", "t"], in: folder(""),
      writing: [("src/x.txt", "src/x.txt has changed")])
    #expect(run.status == 130)
    let folder = folder("")
    let launch = Launch(arguments: ["run", "-w", "t"], folder: folder.path)
    let again = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching .\n")
      folder.write("out/\nlog\nsrc/\n", to: ".gitignore")
      folder.write("1", to: "one")
      running.waitForErrors("one was created")
      running.waitForOutputLines(2)
      folder.write("1", to: "src/x.txt")
      folder.write("2", to: "two")
      running.waitForErrors("two was created")
      running.waitForOutputLines(3)
      folder.write("out/\nlog\n", to: ".gitignore")
      folder.write("3", to: "three")
      running.waitForErrors("three was created")
      running.waitForOutputLines(4)
      folder.write("22", to: "src/x.txt")
      running.waitForErrors("src/x.txt has changed")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(again.errors.matches(of: #/src/x.txt has/#).count == 1, "\(again)")
  }

  @Test("are those of an included file, relative to it; a file that git ignores counts if named")
  func included() async {
    let folder = Folder([
      "commands.lua": #"rac.include("api", "a [x]/c.lua")"#, ".gitignore": "*.env\n",
      "a [x]/c.lua": """
      rac.command{name = "t", watch = {"src/**", ".env", "!src/no"}, run = function() return "run" end}
      """, "a [x]/src/f": "", "a [x]/src/no": "", "a [x]/.env": "",
    ])
    let run = await watch(
      ["-w", "api:t"], in: folder,
      writing: [
        ("a [x]/src/no", nil), ("a [x]/src/f", "a [x]/src/f has changed"),
        ("a [x]/.env", "a [x]/.env has changed"),
      ])
    #expect(run.output == "run\nrun\nrun\n", "\(run)")
    let show = await raclette("show", "--json", "api:t", in: folder)
    #expect(show.output.contains(#""watch":["a \\[x\\]/src/**","#), "\(show)")
  }

  @Test(
    "are told if a pattern is wrong, or nothing is there",
    arguments: [
      ("watch = {}, ", "commands.lua:1: field 'watch' has no pattern"),
      ("watch = {1}, ", "commands.lua:1: field 'watch' must be a pattern or a list of patterns"),
      (
        "watch = 'a[', ",
        "commands.lua:1: field 'watch': the pattern 'a[' opens '[' and does not close it"
      ),
      ("watch = '!a', ", "commands.lua:1: field 'watch': all patterns begin with '!'"),
    ])
  func problems(field: String, message: String) async {
    let folder = folder(field)
    #expect(await raclette("check", in: folder).output.contains(message))
    let missing = await raclette("run", "-w=none/x", "t", in: folder)
    #expect(missing.errors == "raclette: error: there is nothing to watch at 'none/x'\n")
  }

  @Test("the system's limit is told by its name")
  func limit() async {
    let folder = folder("", ["a/b/c/d/e/f/g": ""])
    let probe = await shell(
      "unshare -Ur sh -c 'echo 3 >/proc/sys/user/max_inotify_watches' && echo able", in: folder)
    guard probe.output == "able\n" else { return }
    let run = await shell(
      "unshare -Ur sh -c 'echo 3 >/proc/sys/user/max_inotify_watches; raclette run -w t'",
      in: folder)
    #expect(
      run.errors.contains(
        "cannot be watched: all folders that a user may watch on this system are taken; watch fewer, or "
          + "raise the limit: sysctl fs.inotify.max_user_watches=1048576\n"), "\(run)")
    #expect(run.status == 1)
  }
}
