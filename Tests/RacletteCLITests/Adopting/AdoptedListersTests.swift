import Platform
import Testing

/// Recipes of files that another program lists, or that a library reads.
@Suite("adopted recipes of task, Python and docker", .timeLimit(.minutes(5)))
struct AdoptedListersTests {
  private func variables(_ folder: Folder) -> [String: String] {
    ["PATH": StandIns.path(in: folder), "XDG_CACHE_HOME": folder["cache"]]
  }

  private func write(_ program: String, _ text: String, to folder: Folder) {
    folder.write("#!/bin/sh\n\(text)\n", to: ".bin/\(program)")
    chmod(folder[".bin/\(program)"], 0o755)
  }

  private let taskfile = """
    version: '3'
    includes: {docs: docs.yml}
    vars: {PLACE: here}
    tasks:
      deploy:
        desc: Deploy it
        aliases: [d, d, lint]
        prompt: Sure?
        requires: {vars: [PLACE, {name: STAGE, enum: [test, live]}]}
        cmds: [echo]
      lint:
        aliases: [d]
        cmds: [echo]
    """

  /// What task 3.54 answers, as far as it counts.
  private func taskFolder() -> Folder {
    let folder = Folder([
      "Taskfile.yml": taskfile, "docs.yml": "version: '3'\ntasks:\n  site: {cmds: [echo]}\n",
    ])
    let real = resolvedPath(folder.path) ?? folder.path
    folder.write(
      """
      {"tasks": [
      {"name": "nice", "task": "deploy", "desc": "Deploy it", "summary": "One\\nTwo\\n",
       "aliases": ["d", "d", "lint"], "location": {"line": 5, "taskfile": "\(real)/Taskfile.yml"}},
      {"name": "lint", "task": "lint", "desc": "", "summary": "", "aliases": ["d"],
       "location": {"line": 11, "taskfile": "\(real)/Taskfile.yml"}},
      {"name": "docs:site", "task": "docs:site", "desc": "", "summary": "", "aliases": [],
       "location": {"line": 3, "taskfile": "\(real)/docs.yml"}}]}
      """, to: "list.json")
    write(
      "task",
      """
      case "$*" in *--list-all*) echo "$*" >>LOG; exec cat list.json ;; esac
      printf '[%s]' task "$@"; echo
      """, to: folder)
    return folder
  }

  @Test("are the tasks of a Taskfile with what they require, and are listed once")
  func tasks() async {
    let folder = taskFolder()
    let environment = variables(folder)
    for _ in 1...2 {
      let list = await raclette("list", "--adopt", in: folder, environment: environment)
      #expect(
        list.output == """
            deploy [PLACE] <STAGE> [args...]  Deploy it  (also d)
            lint [args...]
            docs:site [args...]

          """, "\(list)")
    }
    let log = await shell("cat LOG", in: folder).output
    #expect(
      log == "--taskfile Taskfile.yml --list-all --json --no-status --sort none\n", "\(log)")
    let show = await raclette("show", "--adopt", "docs:site", in: folder, environment: environment)
    #expect(show.output.hasSuffix("Defined: docs.yml:3\n"), "\(show)")
    folder.write("version: '3'\ntasks:\n  site: {desc: Site, cmds: [echo]}\n", to: "docs.yml")
    _ = await raclette("list", "--adopt", in: folder, environment: environment)
    #expect(await shell("wc -l <LOG", in: folder).output == "2\n")
  }

  @Test("of a Taskfile with dotenv are listed without it, as task would execute sh of variables")
  func dotenv() async {
    let folder = taskFolder()
    write(
      "task",
      """
      case "$*" in *--list-all*)
        echo "$*" >>LOG; cat >INPUT
        sed 's,5\\(. "taskfile": \\)"[^"]*Taskfile.yml",7\\1"__stdin__",' list.json; exit ;;
      esac
      """, to: folder)
    folder.write(
      taskfile.replacing("vars: {PLACE: here}", with: "dotenv:\n- .env\nvars: {PLACE: {sh: pwd}}"),
      to: "Taskfile.yml")
    let list = await raclette("list", "--adopt", in: folder, environment: variables(folder))
    #expect(
      list.output == """
          deploy [PLACE] [STAGE] [args...]  Deploy it  (also d)
          lint [args...]
          docs:site [args...]

        """, "\(list)")
    #expect(
      await shell("cat LOG INPUT", in: folder).output == """
        --taskfile - --list-all --json --no-status --sort none
        \(taskfile.replacing("vars: {PLACE: here}", with: "\n\nvars: {PLACE: {sh: pwd}}"))
        """)
    folder.write(
      "{version: '3', dotenv: [.env], vars: {A: {sh: x}}, tasks: {}}\n", to: "Taskfile.yml")
    let inLine = await raclette("list", "--adopt", in: folder, environment: variables(folder))
    #expect(
      inLine.errors.hasSuffix(
        "Taskfile.yml:1: cannot adopt Taskfile.yml: task executes 'sh' of variables to list a file "
          + "with 'dotenv'; write 'dotenv' on lines of its own, which are left out for the list\n"),
      "\(inLine)")
  }

  @Test("give variables before -- and other words behind it")
  func words() async {
    let folder = taskFolder()
    let run = { (words: [String]) in
      await onThread {
        Running(
          Launch(
            arguments: ["--adopt"] + words, folder: folder.path,
            environment: variables(folder))
        ).finish()
      }
    }
    #expect(
      await run(["lint", "A=b c", "-x", "D=e"]).output == "[task][lint][A=b c][--][-x][D=e]\n")
    #expect(
      await run(["docs:site", "A=b", "--", "C=d"]).output == "[task][docs:site][A=b][--][C=d]\n")
    let bad = await run(["deploy", "STAGE=prod"])
    #expect(
      bad.errors
        == "raclette: error: deploy: parameter 'STAGE' cannot be 'prod'; it is one of test, live\n")
    let none = await run(["deploy"])
    #expect(none.errors.hasPrefix("raclette: error: deploy: "), "\(none)")
    #expect(none.status == 2)
  }

  @Test("that ask are asked about here, and answered by --yes")
  func questions() async {
    let tasks = taskFolder()
    let environment = variables(tasks)
    let deploy = await raclette(
      "--adopt", "--yes", "deploy", "STAGE=test", in: tasks, environment: environment)
    #expect(deploy.output == "[task][--yes][deploy][STAGE=test]\n", "\(deploy)")

    let folder = Folder(["justfile": ""])
    folder.write(
      """
      {"aliases": {}, "modules": {}, "recipes": {
      "clean": {"attributes": [{"confirm": null}], "dependencies": [], "parameters": []},
      "wipe": {"attributes": [{"confirm": "Wipe it?"}], "dependencies": [], "parameters": []},
      "reset": {"attributes": ["confirm"], "dependencies": [{"recipe": "all"}], "parameters": []},
      "all": {"attributes": [], "dependencies": [{"recipe": "wipe"}], "parameters": []}}}
      """, to: "dump.json")
    write(
      "just",
      """
      case "$*" in *--dump*) exec cat dump.json ;; esac
      printf '[%s]' just "$@"; echo
      """, to: folder)
    let variables = variables(folder)
    let run = { (words: [String]) in
      await onThread {
        Running(
          Launch(arguments: ["--adopt"] + words, folder: folder.path, environment: variables)
        ).finish()
      }
    }
    for (name, question) in [("clean", "Run recipe 'clean'?"), ("wipe", "Wipe it?")] {
      let asked = await run([name])
      #expect(
        asked.errors == """
          raclette: error: \(name): it asks "\(question)", which only --yes answers without a terminal

          """, "\(asked)")
      #expect(asked.status == 2)
      let answered = await run(["--yes", name])
      #expect(answered.output == "[just][--yes][\(name)]\n", "\(answered)")
    }
    // just asks about what these depend on, which one answer would answer too.
    for name in ["reset", "all"] {
      let run = await run(["--yes", name])
      #expect(run.output == "[just][\(name)]\n", "\(run)")
      let show = await raclette("show", "--adopt", name, in: folder, environment: variables)
      #expect(show.lines.contains { $0.contains("interactive") }, "\(show)")
    }
  }

  @Test("that a program cannot list have its message")
  func refused() async {
    let folder = Folder([
      "Taskfile.yml": "version: '3'\ntasks: [\n", "commands.lua": "rac.adopt 'Taskfile.yml'",
    ])
    write("task", "echo 'task: line 3: no end' >&2; exit 1", to: folder)
    let list = await raclette("list", in: folder, environment: variables(folder))
    #expect(
      list.errors == """
        warning: commands.lua:1: cannot adopt Taskfile.yml: task: line 3: no end
        raclette: commands.lua defines no commands

        """, "\(list)")
    #expect(list.status == 0)
  }

  @Test("of a pyproject.toml are those of poe, PDM and Hatch")
  func python() async {
    let folder = Folder([
      "pyproject.toml": """
      [tool.poe.tasks]
      test = "pytest"
      _part = "x"
      [tool.poe.tasks.serve]
      cmd = "server"
      help = "Serve it"
      args = [{name = "port", default = 8000}, {name = "host", positional = true}]
      [tool.pdm.scripts]
      _ = {env_file = ".env"}
      test = "pytest -x"
      [tool.hatch.envs.docs.scripts]
      build = ["mkdocs build", "ls"]
      """
    ])
    let list = await raclette("list", "--adopt", in: folder, environment: variables(folder))
    #expect(
      list.output == """
          test [args...]
          serve [host] [port]   Serve it
          pdm:test [args...]    pytest -x
          docs:build [args...]  mkdocs build

        """, "\(list)")
    for name in ["poe", "pdm", "hatch"] {
      write(name, "printf '[%s]' \(name) \"$@\"; echo", to: folder)
    }
    let run = { (words: [String]) in
      await onThread {
        Running(
          Launch(
            arguments: ["--adopt"] + words, folder: folder.path,
            environment: variables(folder))
        ).finish()
      }.output
    }
    #expect(await run(["serve", "h", "--port", "1"]) == "[poe][serve][--port][1][h]\n")
    #expect(await run(["pdm:test", "-k", "a b"]) == "[pdm][run][test][-k][a b]\n")
    #expect(await run(["docs:build"]) == "[hatch][run][docs:build]\n")
    folder.write("[tool.poe.tasks]\nx = \n", to: "pyproject.toml")
    let bad = await raclette("list", "--adopt", in: folder, environment: variables(folder))
    #expect(
      bad.errors == "raclette: error: pyproject.toml:2: Invalid value\n", "\(bad)")
  }

  private let compose = """
    x-common: &common {restart: unless-stopped}
    services:
      web:
        <<: *common
        image: nginx
        depends_on:
          db: {condition: service_healthy}
          migrate: {condition: service_completed_successfully}
      db:
        image: postgres
        healthcheck: {test: [CMD, pg_isready]}
      migrate: {build: ./migrations}
    """

  @Test("of a compose.yaml are services, ready as their health checks say")
  func services() async {
    let folder = Folder(["compose.yaml": compose, "commands.lua": "rac.adopt('compose.yaml')"])
    let shown = { (name: String) in await raclette("show", name, in: folder).output }
    #expect(
      await shown("web").contains(
        """
        Needs:   db, migrate
        Runs:    docker compose up --no-deps --no-log-prefix web
        Enabled: yes
        Service: ready by [ -n "$(docker compose ps --quiet --status running web)" ]
        Defined: compose.yaml:3

        """))
    #expect(
      await shown("db").contains(
        """
        Runs:    docker compose up --no-deps --no-log-prefix --exit-code-from db db
        Enabled: yes
        Service: ready by [ "$(docker compose ps --format '{{.Health}}' db)" = healthy ]

        """))
    #expect(
      await shown("migrate").contains(
        "Runs:    docker compose up --no-deps --no-log-prefix --exit-code-from migrate migrate\n"))
    write(
      "docker",
      """
      echo "$*" >>LOG
      case "$*" in
        'compose ps '*db) echo healthy ;;
        'compose ps '*) echo 1 ;;
        *migrate) ;;
        *) exec /bin/sleep 1000 ;;
      esac
      """, to: folder)
    folder.write(
      "rac.adopt('compose.yaml', {only = 'web'})\nrac.command{name = 'go', needs = {'web'}, run = 'echo gone'}\n",
      to: "commands.lua")
    let run = await raclette("go", in: folder, environment: variables(folder))
    #expect(run.output.hasSuffix("gone\n"), "\(run)")
    let log = await shell("grep up LOG | sort", in: folder).output
    #expect(
      log == """
        compose up --no-deps --no-log-prefix --exit-code-from db db
        compose up --no-deps --no-log-prefix --exit-code-from migrate migrate
        compose up --no-deps --no-log-prefix web

        """, "\(run) \(log)")
  }

  @Test("whose tool is not installed are told by check")
  func missing() async {
    let folder = Folder(["compose.yaml": "services: {web: {image: nginx}}\n"])
    let check = await raclette(
      "check", "--adopt", in: folder, environment: ["PATH": folder[".bin"]])
    #expect(
      check.errors == """
        raclette: compose.yaml: its recipes are executed by 'docker', which is not installed
        raclette: compose.yaml: 1 command, 1 note

        """, "\(check)")
    #expect(check.status == 0)
  }

  @Test("name the line of a mistake in YAML")
  func malformed() async {
    let folder = Folder(["compose.yaml": "services:\n  a: [\n"])
    let list = await raclette("list", "--adopt", in: folder)
    #expect(list.errors.hasPrefix("raclette: error: compose.yaml:3: "), "\(list)")
    folder.write("services: {a: *b}\n", to: "compose.yaml")
    let alias = await raclette("list", "--adopt", in: folder)
    #expect(
      alias.errors
        == "raclette: error: compose.yaml:1: no value is named 'b'\n", "\(alias)")
  }

  @Test("of a justfile are listed again when a file changes that it imports")
  func imports() async {
    let folder = Folder([
      "justfile": "import 'more.just'\nimport? 'later.just'\na:\n", "more.just": "b:\n",
    ])
    write(
      "just",
      """
      echo list >>LOG
      echo '{"recipes": {"a": {"name": "a", "namepath": "a"}}}'
      """, to: folder)
    let count = { () in
      _ = await raclette("list", "--adopt", in: folder, environment: variables(folder))
      return await shell("wc -l <LOG", in: folder).output
    }
    #expect(await count() == "1\n")
    #expect(await count() == "1\n")
    folder.write("c:\n", to: "more.just")
    #expect(await count() == "2\n")
    folder.write("d:\n", to: "later.just")
    #expect(await count() == "3\n")
    #expect(await count() == "3\n")
    folder.write("import x'$X'\na:\n", to: "justfile")
    #expect(await count() == "4\n")
    #expect(await count() == "5\n")
  }
}
