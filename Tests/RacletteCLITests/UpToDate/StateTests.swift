import Testing

import Platform

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

  @Test("of two runners the one that has begun first keeps nothing, nor does the other beside it")
  func twoRunners() async {
    let project = Project(
      run: #"rac.sh("cat src/* >out; echo begun; while [ ! -e free$N ]; do sleep 0.02; done")"#)
    #expect(await project.executeSideBySide(["1", "2"], endingIn: ["2", "1"]) == [0, 0])
    #expect(
      await project.changes() == [
        "two executions took place at the same time, so that neither was kept"
      ])
    project.folder.write("", to: "free")
    #expect(await project.builds())
    #expect(await !project.builds())
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
