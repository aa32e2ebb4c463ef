import Platform
import Testing

@Suite("what is up to date: files", .timeLimit(.minutes(5)))
struct UpToDateFilesTests {
  @Test(
    "the journal that is being written is no source, and keeps its locks",
    arguments: ["*", "*.db", "**", "records/"])
  func journal(sources: String) async {
    let journal = sources == "records/" ? "records/j.db" : "j.db"
    let folder = Folder(
      commands: """
        rac.command{name = "build", sources = {"\(sources)", "plan.jsonl"}, run = "true"}
        rac.command{name = "look", run = {"\(Program.path)", "history", "--journal", "\(journal)"}}
        rac.command{name = "commits", run = "ls \(journal)-wal"}
        """)
    mkdir(folder["records"], 0o755)
    folder.write(
      """
      {"command": "build"}
      {"command": "look"}
      {"command": "commits"}

      """, to: "plan.jsonl")
    let run = await raclette(
      "batch", "--jobs", "1", "--progress", "never", "--journal", journal, "plan.jsonl", in: folder)
    // The last one who closes a journal removes the file of its latest commits.
    #expect(run.lines.last == "\(journal)-wal", "\(run)")
    #expect(run.status == 0)
    #expect(!run.errors.contains("has changed"), "\(run)")
  }

  @Test("a second execution is left out, and its values are sent again")
  func second() async {
    let project = Project()
    let first = await raclette("run", "build", in: project.folder)
    let second = await raclette("run", "build", in: project.folder)
    #expect(first.output == "made\n")
    #expect(second.output == "made\n")
    #expect(first.errors == "")
    #expect(second.errors == "raclette: build is up to date\n")
    #expect(await project.builds("--force"))
    #expect(await !project.builds())
  }

  @Test("sources and outputs with brackets are also the files of exactly that name")
  func brackets() async {
    let project = Project(
      sources: #""pages/[id].txt""#, outputs: #""out/[id].html""#,
      run: #"rac.sh("mkdir -p out; cat pages/* >'out/[id].html'")"#, files: ["pages/[id].txt": "1"])
    #expect(await project.builds())
    #expect(await !project.builds())
    project.folder.write("2", to: "pages/[id].txt")
    #expect(await project.changes() == ["the source 'pages/[id].txt' has changed"])
    #expect(await project.builds())
    project.folder.write("", to: "pages/i.txt")
    #expect(await project.changes() == ["the source 'pages/i.txt' is new"])
    project.folder.remove("pages/i.txt")
    project.folder.remove("out/[id].html")
    #expect(await project.changes() == ["the output 'out/[id].html' is gone"])
  }

  @Test("so are depfiles and what rac.glob finds, and check knows them")
  func bracketsElsewhere() async {
    let folder = Folder([
      "pages/[id].txt": "1", "[id].h": "1",
      "commands.lua": """
      rac.command{name = "cc", sources = "pages/[id].txt", outputs = "[id].o", depfile = "[id].d", run = [[
        cp 'pages/[id].txt' '[id].o'; echo '[id].o: [id].h' >'[id].d']]}
      rac.command{name = "pages", run = function() return rac.glob("pages/[id].txt") end}
      rac.command{name = "link", sources = "[id].o", run = "true"}
      rac.command{name = "other", outputs = "*.o", run = "true"}
      """,
    ])
    #expect(await raclette("pages", in: folder).output == #"["pages/[id].txt"]"# + "\n")
    #expect(await raclette("cc", in: folder).errors == "")
    #expect(await raclette("cc", in: folder).errors == "raclette: cc is up to date\n")
    folder.write("2", to: "[id].h")
    #expect(
      await raclette("explain", "cc", in: folder).output
        == "cc: not up to date\n  '[id].h', which its depfile names, has changed\n")
    let check = await raclette("check", in: folder)
    #expect(
      check.lines == [
        "commands.lua:5: 'other' and 'cc' both name the output '*.o', the other as '[id].o' (commands.lua:1)"
      ])
    #expect(
      check.notes == [
        "commands.lua:4: 'link' reads '[id].o', which 'cc' makes, and does not need it"
      ])
  }

  @Test("sources and outputs beside an empty alternative may be missing")
  func optional() async {
    let folder = Folder([
      "sub/a": "",
      "commands.lua": """
      rac.command{name = "build", cwd = "sub", sources = {"a", "{settings,more/*,}"},
        outputs = {"out", "{log,}"}, run = "cp a out; cat settings >>out 2>/dev/null || true"}
      rac.command{name = "none", sources = "{x,}", run = "true"}
      """,
    ])
    func says(_ words: String...) async -> String {
      await onThread { Running(Launch(arguments: words, folder: folder.path)).finish() }.errors
    }
    #expect(
      await raclette("check", in: folder).errors
        == "raclette: commands.lua: 2 commands, no problems\n")
    for name in ["build", "none"] {
      #expect(await says("run", name) == "")
      #expect(await says("run", name) == "raclette: \(name) is up to date\n")
    }
    folder.write("set", to: "sub/settings")
    #expect(
      await raclette("explain", "build", in: folder).lines.dropFirst()
        == ["  the source 'sub/settings' is new"])
    #expect(await says("run", "build") == "")
    folder.remove("sub/settings")
    #expect(
      await raclette("explain", "build", in: folder).lines.dropFirst()
        == ["  the source 'sub/settings' is gone"])
    folder.write("", to: "x")
    #expect(
      await raclette("explain", "none", in: folder).lines.dropFirst() == ["  the source 'x' is new"]
    )
  }

  @Test("an output that is deleted or edited by hand is made again")
  func output() async {
    let project = Project()
    #expect(await project.builds())
    project.folder.remove("out")
    #expect(await project.changes() == ["the output 'out' is gone"])
    #expect(await project.builds())
    project.folder.write("edited", to: "out")
    #expect(await project.changes() == ["the output 'out' has changed"])
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("a source added, removed, renamed or changed counts; one only touched does not")
  func sources() async {
    let project = Project()
    #expect(await project.builds())
    project.folder.write("three", to: "src/c")
    #expect(await project.changes() == ["the source 'src/c' is new"])
    #expect(await project.builds())
    project.folder.remove("src/c")
    #expect(await project.changes() == ["the source 'src/c' is gone"])
    #expect(await project.builds())
    _ = rename(project.folder["src/b"], project.folder["src/c"])
    #expect(
      await project.changes() == ["the source 'src/b' is gone", "the source 'src/c' is new"])
    #expect(await project.builds())
    project.folder.write("changed", to: "src/a")
    #expect(await project.changes() == ["the source 'src/a' has changed"])
    #expect(await project.builds())
    project.folder.write("changed", to: "src/a")
    #expect(await !project.builds())
  }

  @Test("a source replaced by one with the same size and time counts")
  func sameSizeAndTime() async {
    let project = Project()
    _ = await shell("touch -d '2020-01-01' src/a", in: project.folder)
    #expect(await project.builds())
    _ = await shell("printf two >src/a && touch -d '2020-01-01' src/a", in: project.folder)
    #expect(await project.builds())
    _ = await shell(
      "printf one >new && touch -d '2020-01-01' new && mv new src/a", in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("a clock set back does not hide a change")
  func clockSetBack() async {
    let project = Project()
    _ = await shell("touch -d '2100-01-01' src/a", in: project.folder)
    #expect(await project.builds())
    _ = await shell("printf two >src/a && touch -d '2000-01-01' src/a", in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("sources that change while the command runs make it not up to date")
  func changesMeanwhile() async {
    let project = Project(
      run: #"rac.sh("cat src/* >out; [ -e go ] || echo more >>src/a; echo >go")"#)
    let run = await raclette("run", "build", in: project.folder)
    #expect(
      run.errors.contains("the source 'src/a' has changed while it was executed"), "\(run)")
    #expect(
      await project.changes() == [
        "its last execution was not kept: the source 'src/a' has changed while it was executed"
      ])
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("symbolic links count by what they lead to; one to a folder by its own text")
  func links() async {
    let project = Project(
      run: #"rac.sh("echo x >out")"#, files: ["src/a": "one", "x": "1", "f/y": "1", "g/y": "1"])
    _ = await shell(
      "ln -s ../x src/link; ln -s ../f src/folder; ln -s none src/broken", in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
    project.folder.write("2", to: "x")
    #expect(await project.changes() == ["the source 'src/link' has changed"])
    #expect(await project.builds())
    _ = await shell("ln -sfn ../g src/folder", in: project.folder)
    #expect(await project.changes() == ["the source 'src/folder' has changed"])
    #expect(await project.builds())
    _ = await shell("ln -sfn other src/broken", in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("a folder as source stands for all files in it")
  func folder() async {
    let project = Project(sources: #""src""#)
    #expect(await project.builds())
    project.folder.write("x", to: "src/deep/er/file")
    #expect(await project.changes() == ["the source 'src/deep/er/file' is new"])
    #expect(await project.builds())
    #expect(await !project.builds())
  }

  @Test("names that are not UTF-8 count like others")
  func bytes() async {
    let project = Project()
    _ = await shell(#"printf x >"$(printf 'src/\377\376')""#, in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
    _ = await shell(#"printf y >"$(printf 'src/\377\376')""#, in: project.folder)
    #expect(await project.builds())
    _ = await shell(
      #"mv "$(printf 'src/\377\376')" "$(printf 'src/\377\375')""#, in: project.folder)
    #expect(await project.changes().count == 2)
  }

  @Test("twenty thousand sources are no problem, and in the long form a hundred thousand")
  func many() async {
    let project = Project(run: #"rac.sh("echo x >out")"#)
    let folders = getenv("RACLETTE_LONG") == nil ? 20 : 100
    _ = await shell(
      "cd src && for d in $(seq \(folders)); do mkdir $d && (cd $d && touch $(seq 1000)); done",
      in: project.folder)
    #expect(await project.builds())
    #expect(await !project.builds())
    project.folder.write("x", to: "src/15/500")
    #expect(await project.changes() == ["the source 'src/15/500' has changed"])
  }

  @Test("a source that is named and missing is told, and an output that is not made is a failure")
  func missing() async {
    let project = Project(sources: #""src/*", "none.c""#)
    #expect(await project.builds())
    #expect(await project.changes().contains("the source 'none.c' does not exist"))
    let lazy = Project(run: "nil")
    let run = await raclette("run", "build", in: lazy.folder)
    #expect(
      run.errors
        == "raclette: error: build: commands.lua:2: it has not made its output 'out'\n")
    #expect(run.status == 1)
    #expect(await lazy.changes().first?.hasSuffix("it has not made its output 'out'") == true)
  }

  @Test("a pattern of outputs that no file matches after an execution is its failure")
  func missingPattern() async {
    let run = "rac.sh('mkdir -p a.out && echo x >a.out/file && echo made')"
    let project = Project(outputs: #""*.out""#, run: run)
    let executed = await raclette("run", "build", in: project.folder)
    #expect(executed.output == "made\n")
    #expect(
      executed.errors
        == "raclette: error: build: commands.lua:2: it has not made its outputs '*.out', which match "
        + "no file (a pattern matches files only: '*.out/**' those of folders)\n")
    #expect(executed.status == 1)
    let folders = Project(outputs: #""*.out/**""#, run: run)
    #expect(await folders.builds())
    #expect(await !folders.builds())
    _ = await shell("rm -r a.out", in: folders.folder)
    #expect(await folders.builds())
  }

  @Test("a folder without files that is gone is made again")
  func emptyFolder() async {
    let project = Project(
      outputs: #""out", "cache""#, run: #"rac.sh("mkdir -p cache; cat src/* >out")"#)
    #expect(await project.builds())
    #expect(await !project.builds())
    rmdir(project.folder["cache"])
    #expect(await project.builds())
  }
}
