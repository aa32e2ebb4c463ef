import Platform
import Testing

/// Recipes of other tools as commands. The tools are programs that answer as the real ones do.
@Suite("adopted recipes", .timeLimit(.minutes(5)))
struct AdoptTests {
  private let makefile = """
    SECRET := $(shell touch TRACE)
    ##@ Building
    .PHONY: all build test
    all: build test ## Everything
    # Compile it
    build: main.o
    \t@echo build $(MODE)
    main.o: main.c
    \tcc -c $<
    %.o: %.c
    \tcc $<
    ##@ Checking
    test: MODE = debug
    test:
    \t@echo test $(MODE)
    fail:
    \t@exit 3
    NAME := a
    $(NAME): main.o

    """

  private let package = """
    {
      "packageManager": "pnpm@9.1.0",
      "scripts": {
        "build": "tsc",
        "test": "node --test"
      }
    }
    """

  /// Writes a program that prints its words, one in brackets each.
  private func writeEcho(_ name: String, to folder: Folder) {
    folder.write("#!/bin/sh\nprintf '[%s]' \(name) \"$@\"; echo\n", to: ".bin/\(name)")
    chmod(folder[".bin/\(name)"], 0o755)
  }

  private func path(_ folder: Folder) -> [String: String] {
    ["PATH": StandIns.path(in: folder), "XDG_CACHE_HOME": folder["cache"]]
  }

  @Test("of a Makefile are its targets with their documentation, and nothing is evaluated")
  func targets() async {
    let folder = Folder(["Makefile": makefile])
    let list = await raclette("list", "-f", "Makefile", in: folder)
    #expect(
      list.output == """
        Building:
          all [args...]    Everything
          build [args...]  Compile it

        Checking:
          test [args...]
          fail [args...]
          a [args...]

        """, "\(list)")
    #expect(list.errors == "")
    #expect(access(folder["TRACE"], F_OK) != 0)
  }

  @Test("are executed by their tool, with its exit status and exact words")
  func make() async {
    let folder = Folder(["Makefile": makefile, "commands.lua": "rac.adopt('Makefile')"])
    let run = await raclette("run", "test", "MODE=a b", in: folder)
    #expect(run.output == "test a b\n", "\(run)")
    let failed = await raclette("run", "fail", in: folder)
    #expect(
      failed.errors.hasSuffix("raclette: error: fail: 'make' exited with status 2\n"), "\(failed)")
    #expect(failed.status == 2)
  }

  @Test("of a package.json go to its package manager, and npm has -- before arguments")
  func scripts() async {
    let folder = Folder([
      "package.json": package, "web/package.json": #"{"scripts": {"dev": "vite"}}"#,
      "commands.lua": """
      rac.adopt("package.json", {test = {group = "checks"}})
      rac.adopt("web/package.json", {as = "web"})
      """,
    ])
    for name in ["npm", "pnpm"] { writeEcho(name, to: folder) }
    let own = await raclette("run", "test", "-x", "a b", in: folder, environment: path(folder))
    #expect(own.output == "[pnpm][run][test][-x][a b]\n", "\(own)")
    let web = await raclette("run", "web:dev", "-x", in: folder, environment: path(folder))
    #expect(web.output == "[npm][run][dev][--][-x]\n", "\(web)")
    let bare = await raclette("run", "web:dev", in: folder, environment: path(folder))
    #expect(bare.output == "[npm][run][dev]\n", "\(bare)")
    let list = await raclette("list", in: folder)
    #expect(
      list.output == """
          build [args...]    tsc
          web:dev [args...]  vite

        checks:
          test [args...]     node --test

        """, "\(list)")
  }

  /// What just 1.59 answers, as far as it counts.
  private let dump = """
    {"module_path": "", "modules": {}, "aliases": {"b": {"name": "b", "target": "build"}}, "recipes": {
    "_hidden": {"attributes": [], "doc": null, "name": "_hidden", "namepath": "_hidden", "private": true, "parameters": [], "body": [["echo"]]},
    "body": {"attributes": [], "doc": "A name", "name": "body", "namepath": "body", "parameters": [], "body": []},
    "build": {"attributes": [{"group": "dev"}], "doc": "Build it", "name": "build", "namepath": "build", "private": false, "parameters": [
      {"name": "target", "kind": "singular", "default": "debug"},
      {"name": "mode", "kind": "singular", "default": ["evaluate", "touch TRACE"]},
      {"name": "level", "kind": "singular", "default": "3", "long": "level"},
      {"name": "flags", "kind": "star", "default": null}]}}}
    """

  private func justFolder(_ commands: String) -> Folder {
    let folder = Folder([
      "justfile": "_hidden:\n  echo\n\nbuild target='debug' mode=`x` *flags:\n  echo\n",
      "dump.json": dump, "commands.lua": commands,
    ])
    folder.write(
      """
      #!/bin/sh
      case "$*" in *--dump*) echo "$*" >>LOG; exec cat dump.json ;; esac
      printf '[%s]' just "$@"; echo

      """, to: ".bin/just")
    chmod(folder[".bin/just"], 0o755)
    return folder
  }

  @Test("of a justfile have the parameters that just lists, and nothing but its lister starts")
  func just() async {
    let folder = justFolder("rac.adopt('justfile', {build = {when_busy = 'join'}})")
    let list = await raclette("list", in: folder, environment: path(folder))
    #expect(
      list.output == """
          body                                      A name

        dev:
          build [target] [mode] [level] [flags...]  Build it  (also b)

        """, "\(list)")
    #expect(
      await shell("cat LOG", in: folder).output == "--justfile justfile --dump --dump-format json\n"
    )
    let line = { (words: [String]) in
      await onThread {
        Running(
          Launch(
            arguments: ["run"] + words, folder: folder.path, environment: path(folder))
        ).finish()
      }.output
    }
    #expect(await line(["build"]) == "[just][build]\n")
    #expect(await line(["b", "x"]) == "[just][build][x]\n")
    #expect(
      await line(["build", "--level", "4", "x", "y", "-z"])
        == "[just][build][--level][4][x][y][-z]\n")
    let help = await raclette("help", "build", in: folder, environment: path(folder))
    #expect(
      help.output.hasSuffix(
        """
        Parameters:
          --target STRING  (default: debug)
          --mode STRING    (default: `touch TRACE`, which just computes)
          --level STRING   (default: 3)
          flags...         (the rest, options included)

        """), "\(help)")
    let gap = await raclette(
      "run", "build", "--input", #"{"flags": ["-z"]}"#, in: folder, environment: path(folder))
    #expect(
      gap.errors
        == "raclette: error: build: parameter 'mode' needs a value too if 'flags' has one\n")
    #expect(gap.status == 2)
    #expect(access(folder["TRACE"], F_OK) != 0)
  }

  @Test("get the interrupt of the keyboard, and nothing of them is left")
  func interrupt() async {
    let folder = justFolder("rac.adopt('justfile')")
    folder.write(
      """
      #!/bin/sh
      case "$*" in *--dump*) exec cat dump.json ;; esac
      sleep 600 &
      trap 'echo interrupted; exit 7' INT
      trap 'echo terminated; exit 8' TERM
      echo $! >SLEEP
      echo ready
      wait

      """, to: ".bin/just")
    chmod(folder[".bin/just"], 0o755)
    let launch = Launch(
      arguments: ["run", "build"], folder: folder.path, environment: path(folder))
    for (signal, said) in [(SIGINT, "interrupted"), (SIGTERM, "terminated")] {
      let run = await onThread {
        let running = Running(launch)
        running.waitForOutput("ready\n")
        running.get(signal: signal)
        return running.finish()
      }
      // What is written during the clean-up goes to standard error.
      #expect(run.output == "ready\n" && run.errors.contains("\(said)\n"), "\(run)")
      #expect(run.status == 128 + signal, "\(run)")
      #expect(await shell("kill -0 $(cat SLEEP)", in: folder).status != 0, "\(run)")
    }
  }

  @Test("of a file that is not there are an error")
  func missingFile() async {
    let list = await raclette("list", "-f", "justfile", in: Folder([:]))
    #expect(list.errors == "raclette: error: justfile: no such file or directory\n")
    #expect(list.status == 3)
  }

  @Test("of a tool that is missing or has a mistake are left out, and it is said")
  func missing() async {
    let folder = Folder([
      "justfile": "x:\n", "package.json": "{\n\"scripts\": {]}",
      "commands.lua": """
      rac.adopt "justfile"
      rac.adopt "package.json"
      rac.adopt "gone/Makefile"
      rac.command{name = "own", run = "echo own"}
      """,
    ])
    // A PATH with a shell and nothing else.
    folder.makeFolder(".sh")
    symlink("/bin/sh", folder[".sh/sh"])
    let run = await raclette(
      "run", "own", in: folder, environment: ["PATH": folder[".sh"]])
    #expect(run.output == "own\n", "\(run)")
    #expect(
      run.errors.contains(
        "commands.lua:1: cannot adopt justfile: its recipes are listed by 'just', which is not installed\n"
      ), "\(run)")
    #expect(run.errors.contains("package.json:2: "), "\(run)")
    #expect(
      run.errors.contains(
        "commands.lua:3: cannot adopt gone/Makefile: no such file or directory\n"), "\(run)")
    let check = await raclette("check", in: folder, environment: ["PATH": folder[".sh"]])
    #expect(check.output.contains("which is not installed\n"), "\(check)")
    #expect(check.output.contains("gone/Makefile: no such file or directory\n"), "\(check)")
    #expect(check.status == 3)
  }

  @Test("give way to commands of the file, in any order; check names both")
  func precedence() async {
    let folder = Folder([
      "Makefile": "build:\n\t@echo make\ntest:\n\t@echo make\n",
      "commands.lua": """
      rac.command{name = "build", run = "echo own build"}
      rac.adopt "Makefile"
      rac.command{name = "test", run = "echo own test"}
      """,
    ])
    #expect(await raclette("run", "build", in: folder).output == "own build\n")
    #expect(await raclette("run", "test", in: folder).output == "own test\n")
    let check = await raclette("check", in: folder)
    #expect(
      check.errors == """
        raclette: Makefile:1: 'build' is the command of commands.lua:1
        raclette: Makefile:3: 'test' is the command of commands.lua:3
        raclette: commands.lua: 2 commands, 2 notes

        """, "\(check)")
    #expect(check.status == 0)
  }

  @Test("are those of 'only', and 'private' hides some")
  func some() async {
    let folder = Folder([
      "Makefile": "a:\nb:\nc:\n",
      "commands.lua": "rac.adopt('Makefile', {only = {'a', 'b'}, private = 'b'})",
    ])
    #expect(await raclette("list", in: folder).output == "  a [args...]\n")
    #expect(await raclette("run", "c", in: folder).status == 2)
  }

  @Test(
    "are named by mistakes in the call",
    arguments: [
      ("'Makefile', {tset = {timeout = 1}}", "Makefile has no recipe 'tset'; did you mean 'test'?"),
      ("'Makefile', {only = 'x'}", "Makefile has no recipe 'x'"),
      ("'Makefile', {test = {run = 'x'}}", "recipe 'test': its tool decides 'run'"),
      (
        "'Makefile', {test = {timeot = 1}}",
        "recipe 'test': unknown key 'timeot'; did you mean 'timeout'?"
      ),
      (
        "'x.txt'",
        "cannot adopt x.txt: its name is not that of a justfile, Taskfile.yml, Makefile, package.json, pyproject.toml or compose.yaml"
      ),
    ])
  func mistakes(call: String, problem: String) async {
    let folder = Folder([
      "Makefile": "test:\n", "commands.lua": "rac.adopt(\(call))",
    ])
    let run = await raclette("list", in: folder)
    #expect(run.errors.hasPrefix("raclette: error: commands.lua:1: \(problem)"), "\(run)")
    #expect(run.status == 3)
  }

  @Test("need no commands.lua: --adopt takes the nearest file, and raclette says that it is there")
  func without() async {
    let folder = Folder(["Makefile": "hello:\n\t@echo hello $(WHO)\n"])
    folder.makeFolder("a/b")
    let run = await raclette("--adopt", "hello", "WHO=you", at: folder["a/b"])
    #expect(run.output == "hello you\n", "\(run)")
    let bare = await raclette(in: folder)
    #expect(
      bare.errors == """
        There is no commands.lua here or in a folder above, but Makefile. Usage:
          raclette --adopt [NAME]   list its recipes, or execute one
          raclette init             write a first commands.lua here
          raclette COMMAND [ARGS]   execute a command of that file
          raclette SCRIPT.lua       execute a Lua script
          raclette --help           list the subcommands and options

        """, "\(bare)")
    let list = await raclette("list", in: folder)
    #expect(
      list.errors
        == "raclette: error: no commands.lua here or in a folder above; 'raclette --adopt' takes the recipes of Makefile; 'raclette init' writes one, -f FILE names another\n"
    )
    let named = await raclette("hello", in: folder)
    #expect(named.errors.hasSuffix("; 'raclette --adopt hello' looks in Makefile\n"), "\(named)")
    _ = await raclette("init", in: folder)
    #expect(await raclette("hello", "WHO=me", in: folder).output == "hello me\n")
  }

  @Test(
    "of all files of a folder are taken by --adopt, which names those of later ones by their tool")
  func several() async {
    let folder = Folder(["Makefile": "hello:\n\t@echo hello\n", "package.json": package])
    writeEcho("pnpm", to: folder)
    let list = await raclette("list", "--adopt", in: folder, environment: path(folder))
    #expect(
      list.output == """
          hello [args...]
          npm:build [args...]  tsc
          npm:test [args...]   node --test

        """, "\(list)")
    let run = await raclette("--adopt", "npm:test", "-x", in: folder, environment: path(folder))
    #expect(run.output == "[pnpm][run][test][-x]\n", "\(run)")
    let one = await raclette("list", "-f", "Makefile", in: folder)
    #expect(one.output == "  hello [args...]\n", "\(one)")
    folder.write("{]", to: "package.json")
    let rest = await raclette("--adopt", "hello", in: folder)
    #expect(rest.output == "hello\n", "\(rest)")
    #expect(rest.errors.hasPrefix("warning: package.json:1: "), "\(rest)")
  }
}
