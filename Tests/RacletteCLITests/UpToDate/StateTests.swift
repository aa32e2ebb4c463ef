import Platform
import Testing

@Suite("what is up to date: the state", .timeLimit(.minutes(5)))
struct UpToDateStateTests {
  @Test("a command killed half-way is executed again, whatever its output is")
  func killed() async {
    let project = Project(
      run:
        #"rac.sh("printf half >out; [ -e fast ] || { echo begun; exec sleep 1000; }; cat src/* >out")"#
    )
    let launch = Launch(arguments: ["run", "build"], folder: project.folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("begun")
      kill(running.pid, SIGKILL)
      _ = running.finish()
    }
    project.folder.write("", to: "fast")
    #expect(await project.changes().count == 1)
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("a command killed after it was up to date is executed again")
  func killedLater() async {
    let project = Project(
      run: #"rac.sh("[ -e slow ] && { echo begun; exec sleep 1000; }; cat src/* >out")"#)
    #expect(await project.builds())
    project.folder.write("", to: "slow")
    let launch = Launch(arguments: ["run", "--force", "build"], folder: project.folder.path)
    await onThread {
      let running = Running(launch)
      running.waitForOutput("begun")
      kill(running.pid, SIGKILL)
      _ = running.finish()
    }
    project.folder.remove("slow")
    #expect(await project.builds())
  }

  @Test("of two runners one executes, and the other waits for it and is up to date then")
  func twoRunners() async {
    let project = Project(
      run: #"rac.sh("cat src/* >out; echo begun; while [ ! -e free1 ]; do sleep 0.02; done")"#)
    let (first, second) = await project.executeOneBehindTheOther()
    #expect(first.status == 0)
    #expect(second.status == 0)
    #expect(second.output == "begun\n")
    #expect(second.errorLines.last == "raclette: build is up to date")
    #expect(await !project.builds())
  }

  @Test("the one that waits executes if the other fails")
  func failureOfTwo() async {
    let project = Project(
      run:
        #"rac.sh("cat src/* >out; echo begun $N; while [ ! -e free1 ]; do sleep 0.02; done; exit $N")"#
    )
    let (first, second) = await project.executeOneBehindTheOther()
    #expect(first.status == 1)
    #expect(second.status == 0)
    #expect(second.output == "begun 0\n")
    #expect(await !project.builds())
  }

  @Test("the one that waits executes if the other is killed")
  func killedOfTwo() async {
    let project = Project(
      run: #"rac.sh("echo begun $N; [ $N = 0 ] || exec sleep 1000; cat src/* >out")"#)
    let (first, second) = await project.executeOneBehindTheOther { kill($0.pid, SIGKILL) }
    #expect(first.status == 137)
    #expect(second.status == 0)
    #expect(second.output == "begun 0\n")
    #expect(await !project.builds())
  }

  @Test("a command that executes itself in another process does not wait for itself")
  func nested() async {
    let project = Project(
      run: #"rac.sh("[ -e inner ] || { touch inner; raclette -q build; }; cat src/* >out")"#)
    #expect(await project.builds())
  }

  @Test(
    "an execution does not wait for an equal one while others may wait for what it has",
    arguments: [
      // In each, `kept` waits for what `user` has, which executes `kept`.
      #"""
      rac.command{name = "kept", sources = "in", outputs = "out",
        run = "touch begun; raclette run inner; date >out"}
      rac.command{name = "inner", uses = {gpu = 1}, run = "true"}
      rac.command{name = "user", uses = {gpu = 1},
        run = "while [ ! -e begun ]; do sleep 0.02; done; raclette run kept"}
      """#,
      #"""
      rac.command{name = "kept", uses = {gpu = 1}, concurrency = 2, sources = "in", outputs = "out",
        run = "date >out"}
      rac.command{name = "user", uses = {gpu = 1},
        run = function() rac.sleep(0.5) return rac.commands.kept:execute() end}
      """#,
      #"""
      rac.command{name = "kept", uses = {gpu = 1}, across = "machine", when_busy = "queue",
        sources = "in", outputs = "out", run = "date >out"}
      rac.command{name = "user", uses = {gpu = 1},
        run = "sleep 0.5; raclette run kept"}
      """#,
    ])
  func waitsNot(commands: String) async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        \(commands)
        rac.command{name = "both", needs = {"user", "kept"}}
        """)
    folder.write("", to: "in")
    let run = await shell("raclette --timeout 60s both", in: folder)
    #expect(run.status == 0, "\(run)")
  }

  @Test("many runners at once leave a state that can be used")
  func manyRunners() async {
    let project = Project()
    let run = await shell(
      """
      for i in $(seq 8); do raclette run -q build >/dev/null & done; wait
      raclette run build; raclette run build
      """, in: project.folder)
    #expect(run.status == 0)
    #expect(run.errorLines.last == "raclette: build is up to date", "\(run)")
  }

  @Test(
    "a damaged state is told and begun anew, never believed",
    arguments: [
      "printf garbage >.raclette/state.db",
      "dd if=/dev/urandom of=.raclette/state.db bs=1 seek=4096 count=4096 conv=notrunc",
      "sqlite3 .raclette/state.db 'UPDATE state SET record = substr(record, 1, 100)'",
      "sqlite3 .raclette/state.db 'UPDATE state SET digest = zeroblob(32)'",
      "sqlite3 .raclette/state.db 'PRAGMA user_version = 99'",
      "sqlite3 .raclette/state.db 'DROP TABLE state'",
    ])
  func damage(_ line: String) async {
    let project = Project()
    #expect(await project.builds())
    // All is in the file itself.
    _ = await shell(
      "sqlite3 .raclette/state.db 'PRAGMA wal_checkpoint(TRUNCATE)'; \(line)", in: project.folder)
    let run = await raclette("run", "build", in: project.folder)
    #expect(run.output == "made\n")
    #expect(
      run.errors.contains("the states of commands in '.raclette/state.db' cannot be used"), "\(run)"
    )
    #expect(!run.errors.contains("is up to date"))
    #expect(await !project.builds())
  }

  @Test(
    "looking changes no state that cannot be used",
    arguments: [
      ("printf garbage >.raclette/state.db", "it is not an SQLite database"),
      (
        "sqlite3 .raclette/state.db 'PRAGMA user_version = 99'",
        "it has version 99, and this program knows 2"
      ),
    ])
  func looking(line: String, problem: String) async {
    let project = Project()
    #expect(await project.builds())
    _ = await shell(line, in: project.folder)
    let sum = "cksum <.raclette/state.db; ls .raclette"
    let before = await shell(sum, in: project.folder).output
    for words in ["list", "run -n build", "explain build"] {
      let run = await shell("raclette \(words)", in: project.folder)
      #expect(
        run.errors
          == "warning: the states of commands in '.raclette/state.db' cannot be used (\(problem)); "
          + "the next execution starts a new file next to it, so every command runs once more\n")
    }
    #expect(await shell(sum, in: project.folder).output == before)
  }

  @Test("two versions in one folder keep states of their own")
  func versions() async {
    let project = Project()
    #expect(await project.builds())
    _ = await shell("sqlite3 .raclette/state.db 'PRAGMA user_version = 99'", in: project.folder)
    #expect(await project.builds())
    let run = await raclette("run", "build", in: project.folder)
    #expect(run.errors == "raclette: build is up to date\n")
    _ = await shell("sqlite3 .raclette/state.db 'PRAGMA user_version = 2'", in: project.folder)
    #expect(await !project.builds())
  }

  @Test("a damaged file is kept beside the new one")
  func setAside() async {
    let project = Project()
    #expect(await project.builds())
    project.folder.write("garbage", to: ".raclette/state.db")
    #expect(await project.builds())
    #expect(await !project.builds())
    #expect(await shell("cat .raclette/state.db.damaged", in: project.folder).output == "garbage")
  }

  @Test("one file of commands has one state, however it is spelled")
  func spelling() async {
    let project = Project()
    #expect(await project.builds())
    let runs = await shell(
      """
      mkdir -p below; ln -s commands.lua other.lua; ln -s . link; here=$PWD
      (cd below; raclette run build); (cd link/below; raclette run build)
      raclette run -f "$here/commands.lua" build; raclette run -f ./commands.lua build
      raclette run -f other.lua build; raclette run -f link/commands.lua build
      cd /; raclette run -f "$here/link/commands.lua" build; raclette -C "$here" run build
      """, in: project.folder)
    #expect(runs.errorLines == Array(repeating: "raclette: build is up to date", count: 8))
  }

  @Test("git ignores what Raclette keeps, and no plugins")
  func ignored() async {
    let project = Project()
    #expect(await project.builds())
    project.folder.write("return 1", to: ".raclette/plugins/tool.lua")
    let status = await shell(
      """
      raclette batch --resume --progress never /dev/null 2>/dev/null
      ls -A .raclette; git init -q . 2>/dev/null; git status --short --untracked-files=all
      """, in: project.folder)
    #expect(
      status.lines == [
        ".gitignore", "journal.db", "plugins", "state.db", "?? .bin/raclette",
        "?? .raclette/plugins/tool.lua", "?? commands.lua", "?? out", "?? src/a", "?? src/b",
      ], "\(status)")
    // Of the user's own there is nothing to write.
    let own = Project(files: ["src/a": "1", ".raclette/.gitignore": "own\n"])
    #expect(await own.builds())
    #expect(await shell("cat .raclette/.gitignore", in: own.folder).output == "own\n")
    _ = await shell("rm .raclette/.gitignore", in: project.folder)
    #expect(await project.builds("--force"))
    #expect(await shell("ls -A .raclette", in: project.folder).lines.first == "journal.db")
  }

  @Test("a state that another program holds is told after a second, and executed without")
  func held() async {
    let project = Project()
    #expect(await project.builds())
    let run = await shell(
      """
      mkfifo go done
      { echo 'BEGIN IMMEDIATE;'; echo '.shell echo >go'; echo '.shell cat done'; echo 'COMMIT;'; } |
        sqlite3 .raclette/state.db &
      cat go >/dev/null; raclette run --force build; echo "status $?"; echo >done; wait
      """, in: project.folder)
    #expect(run.lines.filter { !$0.isEmpty } == ["made", "status 0"], "\(run)")
    #expect(
      run.errors
        == "warning: the states of commands in '.raclette/state.db' cannot be used (another program "
        + "has locked it); commands are executed whether or not they are up to date\n")
  }

  @Test("a folder that cannot be written to is told, and the command executed")
  func readOnly() async {
    let project = Project()
    project.folder.write("in the way", to: ".raclette")
    let run = await raclette("run", "build", in: project.folder)
    #expect(run.output == "made\n")
    #expect(
      run.errors.contains(
        "the states of commands in '.raclette/state.db' cannot be used (not a directory); commands "
          + "are executed whether or not they are up to date"), "\(run)")
    #expect(run.status == 0)
  }

  @Test("what is in the file's way is told as what it is")
  func inTheWay() async {
    let project = Project()
    let run = await shell(
      "mkdir -p .raclette/state.db; raclette run build", in: project.folder)
    #expect(run.output == "made\n")
    #expect(
      run.errors.contains(
        "the states of commands in '.raclette/state.db' cannot be used (is a directory); commands"),
      "\(run)")
    #expect(run.status == 0)
  }

  @Test("the state is readable for its owner only") func mode() async {
    let project = Project()
    #expect(await project.builds())
    #expect(await shell("stat -c %a .raclette/state.db", in: project.folder).output == "600\n")
  }
}
