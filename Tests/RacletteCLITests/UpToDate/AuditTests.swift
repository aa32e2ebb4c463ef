import Platform
import Testing

enum Strace {
  /// True if it is installed and may trace.
  static let isAllowed = spawnAndWait(["strace", "-qq", "-o", "/dev/null", "/bin/true"]) == 0
}

@Suite(
  "audit",
  .enabled(
    if: Strace.isAllowed,
    "needs strace (scripts/setup --tests), and ptrace, which is forbidden here"),
  .timeLimit(.minutes(5)))
struct AuditTests {
  /// The lines about the project, without those about the system.
  private func lines(_ run: Outcome) -> [String] {
    run.lines.filter { !$0.hasPrefix("outside the project: ") && !$0.hasPrefix("programs: ") }
  }

  @Test("names what is read and is no source, and what is written and is no output")
  func names() async {
    let folder = Folder([
      "a": "1", "b": "2", "src/c": "3",
      "commands.lua": """
      rac.command{name = "build", sources = {"src/*"}, outputs = {"out"},
        run = "cat a b src/c >out; cp a kept; cp a tmp; mv tmp moved; cp a gone; rm gone"}
      """,
    ])
    let run = await raclette("audit", "build", in: folder)
    #expect(
      lines(run) == [
        "'build' reads 2 files that are not sources:", "  a", "  b",
        "'build' writes 2 files that are not outputs:", "  kept", "  moved",
        "add to its definition (commands.lua:1):",
        #"  sources = {"src/*", "a", "b"},"#, #"  outputs = {"out", "kept", "moved"},"#,
      ])
    #expect(run.errors == "")
    #expect(run.status == 1)
  }

  @Test("is clean with what it says, and records the execution as another one does")
  func clean() async {
    let folder = Folder([
      "a": "1",
      "commands.lua": """
      rac.command{name = "build", sources = "a", outputs = "out", run = "cp a out; echo made"}
      """,
    ])
    for _ in 0..<2 {
      let run = await raclette("audit", "build", in: folder)
      #expect(
        lines(run) == [
          "'build' names all that it reads and writes in the project: 1 source, 1 output"
        ])
      // Standard output is for the report.
      #expect(run.errors == "made\n")
      #expect(run.status == 0)
    }
    #expect(await raclette("status", "build", in: folder).status == 0)
  }

  @Test("takes outputs of needs for sources while no other is named")
  func impliedSources() async {
    let text = { (run: String) in
      """
      rac.command{name = "gen", sources = "in", outputs = "mid", run = "cp in mid"}
      rac.command{name = "pack", needs = "gen", outputs = "out", run = "\(run)"}
      """
    }
    let folder = Folder(["in": "1", "other": "2", "commands.lua": text("cp mid out")])
    let clean = await raclette("audit", "pack", in: folder)
    #expect(
      lines(clean) == [
        "'pack' names all that it reads and writes in the project: 1 source, 1 output"
      ])
    #expect(clean.status == 0)
    folder.write(text("cat mid other >out"), to: "commands.lua")
    let run = await raclette("audit", "pack", in: folder)
    #expect(
      lines(run) == [
        "'pack' reads 1 file that is not a source:", "  other",
        "add to its definition (commands.lua:2):",
        #"  sources = {"mid", "other"},"#,
      ])
    #expect(run.status == 1)
  }

  @Test("is not clean while an output was there that the command has not made")
  func unmade() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "app", sources = {"main.c"}, outputs = {"app"},
        run = "test -e app || cat main.c x.h >app"}
      """,
      "main.c": "main", "x.h": "x", "app": "old",
    ])
    let before = await raclette("audit", "app", in: folder)
    #expect(
      lines(before) == [
        "'app' did not make 1 output that was there:", "  app",
        "what it is made of is not known: remove it and audit again",
      ], "\(before)")
    #expect(before.status == 1)
    unlink(folder["app"])
    let after = await raclette("audit", "app", in: folder)
    #expect(
      lines(after) == [
        "'app' reads 1 file that is not a source:", "  x.h",
        "add to its definition (commands.lua:1):",
        #"  sources = {"main.c", "x.h"},"#,
      ], "\(after)")
    #expect(after.status == 1)
  }

  @Test("lists what the command deletes or moves away, unless it has made it or it is an output")
  func deleted() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "pack", sources = {"main.c"}, outputs = {"app", "app.map"},
        run = "cat main.c >app.tmp; mv app.tmp app; touch x; rm x app.map notes; mv log app.map; rmdir empty"}
      """,
      "main.c": "main", "app.map": "old", "notes": "n", "log": "l",
    ])
    mkdir(folder["empty"], 0o755)
    let run = await raclette("audit", "pack", in: folder)
    #expect(
      lines(run) == [
        "'pack' deletes 3 files that are not outputs:", "  empty", "  log", "  notes",
      ], "\(run)")
    #expect(run.status == 1)
  }

  @Test("leaves out what the command needs, and takes what it executes itself")
  func needs() async {
    let folder = Folder([
      "a": "1", "b": "2",
      "commands.lua": """
      rac.command{name = "gen", run = "cp a gen.txt"}
      rac.command{name = "inner", run = "cat b >/dev/null"}
      rac.command{name = "build", needs = {"gen"}, steps = {{command = "inner"}}}
      """,
    ])
    let run = await raclette("audit", "build", in: folder)
    #expect(lines(run).prefix(2) == ["'build' reads 1 file that is not a source:", "  b"])
    #expect(run.status == 1)
  }

  @Test("sees what Lua functions open and start themselves, without modules")
  func lua() async {
    let folder = Folder([
      "VERSION": "1", "m.lua": "return 1", "b": "2",
      "commands.lua": """
      rac.command{name = "build", run = function()
        require "m"
        io.open("VERSION"):close()
        io.open("out", "w"):close()
        os.execute("cat b >by-os")
      end}
      """,
    ])
    let run = await raclette("audit", "build", in: folder)
    #expect(
      lines(run) == [
        "'build' reads 2 files that are not sources:", "  VERSION", "  b",
        "'build' writes 2 files that are not outputs:", "  by-os", "  out",
        "add to its definition (commands.lua:1):",
        #"  sources = {"VERSION", "b"},"#, #"  outputs = {"by-os", "out"},"#,
      ])
  }

  @Test("passes input and arguments on, and tells the failure of the command with its status")
  func failure() async {
    let folder = Folder([
      "a": "1",
      "commands.lua": """
      rac.command{name = "show", params = {{name = "file"}}, run = function(input)
        rac.sh("cat >&2"):wait()
        rac.exec{"cat", input.file}:wait()
        rac.sh("exit 4"):wait()
      end}
      """,
    ])
    let run = await raclette("audit", "show", "a", in: folder, input: "typed\n")
    #expect(lines(run).prefix(2) == ["'show' reads 1 file that is not a source:", "  a"])
    #expect(
      run.errors == """
        typed
        1
        raclette: error: show: 'exit 4' exited with status 4
        raclette: error: 'show' has failed (exit status 4): it may read and write more when it \
        succeeds

        """)
    #expect(run.status == 4)
  }

  @Test("names folders whose names count, unless a new file in them would be a source")
  func listing() async {
    let folder = Folder([
      "src/a": "", "lib/b": "", "deep/er/c": "", "deep/d": "", "out/old": "",
      "commands.lua": """
      rac.command{name = "build", sources = {"lib/*", "src/a"}, outputs = "out/list", run = [[
        rm -rf new; mkdir new; touch new/x; ls src lib new; ls -R deep empty; ls out >out/list]]}
      """,
    ])
    folder.makeFolder("empty")
    let run = await raclette("audit", "build", in: folder)
    #expect(
      lines(run) == [
        "'build' lists 5 folders in which new files would not be sources:", "  deep", "  deep/er",
        "  empty", "  out", "  src",
        "'build' writes 1 file that is not an output:", "  new/x",
        "add to its definition (commands.lua:1):",
        #"  sources = {"lib/*", "src/a", "deep/**", "{empty/*,}", "out/*", "src/*"},"#,
        #"  outputs = {"out/list", "new/x"},"#,
      ], "\(run)")
    #expect(run.status == 1)
    #expect(await raclette("audit", "--write", "build", in: folder).status == 0)
    let clean = await raclette("audit", "build", in: folder)
    #expect(
      lines(clean) == [
        "'build' names all that it reads and writes in the project: 0 sources, 2 outputs"
      ], "\(clean)")
    #expect(await raclette("run", "build", in: folder).errors == "raclette: build is up to date\n")
    folder.write("", to: "empty/first")
    #expect(
      await raclette("explain", "build", in: folder).lines.dropFirst()
        == ["  the source 'empty/first' is new"])
  }

  @Test("counts what is not there, lists it with -v, and takes it for sources with --absent")
  func absent() async {
    let folder = Folder([
      "a": "1", "include/x": "", "file": "",
      "commands.lua": """
      rac.command{name = "build", sources = {"a", "*.conf"}, outputs = "out", run = [[
        cp a temporary; rm temporary; mkdir new; cat new/y || rmdir new
        for name in x,y my.conf file/z include/1 include/2 include/3 include/bits/4 no/such/5; do
          cat $name || test -e $name || true; done 2>/dev/null
        cp a out]]}
      """,
    ])
    let usual = await raclette("audit", "build", in: folder)
    #expect(
      lines(usual) == [
        "'build' names all that it reads and writes in the project: 1 source, 1 output",
        "looked for, but not found: 2 in ., 4 in include (-v lists them, --absent counts them)",
      ], "\(usual)")
    #expect(usual.status == 0)
    let verbose = await raclette("audit", "-v", "build", in: folder)
    #expect(
      verbose.output.hasSuffix(
        """
        looked for, but not found:
          include/1
          include/2
          include/3
          include/bits/4
          no/such/5
          x,y

        """), "\(verbose)")
    let counted = await raclette("audit", "--absent", "--write", "build", in: folder)
    #expect(
      lines(counted) == [
        "'build' looks for 6 files that are not there and would not be sources:", "  include/1",
        "  include/2", "  include/3", "  include/bits/4", "  no/such/5", "  x,y",
        "add to its definition (commands.lua:1):",
        #"  sources = {"a", "*.conf", "{include/**,}", "{no/such/5,}", "{x\\,y,}"},"#,
      ], "\(counted)")
    #expect(counted.status == 0)
    #expect(await raclette("audit", "--absent", "build", in: folder).status == 0)
    #expect(
      await raclette("run", "build", in: folder).errors
        == "raclette: build is up to date\n")
    folder.write("", to: "x,y")
    #expect(
      await raclette("explain", "build", in: folder).lines.dropFirst()
        == ["  the source 'x,y' is new"])
  }

  @Test("names files that are only looked at: that they are there counts")
  func examined() async {
    let folder = Folder([
      "a": "1", "flag": "", "older": "", "known": "",
      "commands.lua": """
      rac.command{name = "build", sources = {"a", "known"}, outputs = "out",
        run = "test -f flag && test -e known; test a -nt older || true; test -e gone || cp a out"}
      """,
    ])
    let run = await raclette("audit", "build", in: folder)
    #expect(
      lines(run) == [
        "'build' looks at 2 files that are not sources:", "  flag", "  older",
        "add to its definition (commands.lua:1):",
        #"  sources = {"a", "known", "flag", "older"},"#,
        "looked for, but not found: 1 in . (-v lists them, --absent counts them)",
      ])
    #expect(run.status == 1)
  }

  @Test("advises a folder as a whole where the command has made it")
  func wholeFolders() async {
    let folder = Folder([
      "a": "1", "kept/mine": "1",
      "commands.lua": """
      rac.command{name = "build", sources = "a", run = [[
        mkdir -p target/deep kept && for n in 1 2 3 4; do cp a target/deep/$n; cp a kept/$n; done]]}
      """,
    ])
    let run = await raclette("audit", "build", in: folder)
    #expect(
      lines(run).suffix(2) == [
        "add to its definition (commands.lua:1):",
        #"  outputs = {"kept/1", "kept/2", "kept/3", "kept/4", "target/**"},"#,
      ])
  }

  @Test("writes into the definition what is missing, and is clean then")
  func writes() async {
    let folder = Folder([
      "a": "1", "b": "2",
      "commands.lua": """
      -- rac.command{name = "build"}
      rac.command {
        name = "build", -- the one
        sources = "a",
        run = function() rac.sh("cat a b >out; cp a 'o\\"'"):wait() end,
      }
      rac.command{name = "other", sources = {"a",}, run = "cat a b >out2"}
      """,
    ])
    chmod(folder["commands.lua"], 0o640)
    let run = await raclette("audit", "--write", "build", in: folder)
    #expect(
      run.errors == "raclette: added to 'sources' and 'outputs' of 'build' in commands.lua:2\n")
    #expect(run.status == 0)
    _ = await raclette("audit", "--write", "other", in: folder)
    #expect(
      fileContent(folder["commands.lua"]).map { String(decoding: $0, as: UTF8.self) } == """
        -- rac.command{name = "build"}
        rac.command {
          name = "build", outputs = {"o\\"", "out"}, -- the one
          sources = {"a", "b"},
          run = function() rac.sh("cat a b >out; cp a 'o\\"'"):wait() end,
        }
        rac.command{name = "other", outputs = {"out2"}, sources = {"a", "b",}, run = "cat a b >out2"}
        """)
    #expect(await shell("stat -c %a commands.lua", in: folder).output == "640\n")
    for name in ["build", "other"] {
      #expect(await raclette("audit", name, in: folder).status == 0)
    }
  }

  @Test("writes names with brackets so that they mean only those files, and can add to them")
  func brackets() async {
    let folder = Folder([
      "[a].txt": "1", "b": "2",
      "commands.lua":
        #"rac.command{name = "build", run = "cat '[a].txt' $MORE >out", env = {MORE = rac.env.MORE or ""}}"#,
    ])
    #expect(await raclette("audit", "--write", "build", in: folder).status == 0)
    #expect(await raclette("audit", "build", in: folder).status == 0)
    let run = await shell("MORE=b raclette audit --write build", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(
      fileContent(folder["commands.lua"]).map { String(decoding: $0, as: UTF8.self) }
        == #"rac.command{name = "build", outputs = {"out"}, sources = {"\\[a\\].txt", "b"}, run = "cat '[a].txt' $MORE >out", env = {MORE = rac.env.MORE or ""}}"#
    )
  }

  @Test("takes a folder that the command alone fills for its own, and is up to date then")
  func filledFolder() async {
    let folder = Folder([
      "mixed/other": "", "out/deep/a": "",
      "commands.lua": """
      rac.command{name = "build", run = "ls -R out; ls mixed; touch mixed/made out/new; echo >out/deep/a"}
      """,
    ])
    let run = await raclette("audit", "--write", "build", in: folder)
    #expect(
      lines(run) == [
        "'build' lists 1 folder in which a new file would not be a source:", "  mixed",
        "'build' writes 3 files that are not outputs:", "  mixed/made", "  out/deep/a", "  out/new",
        "add to its definition (commands.lua:1):", #"  sources = {"mixed/*"},"#,
        #"  outputs = {"mixed/made", "out/deep/a", "out/new"},"#,
      ], "\(run)")
    #expect(await raclette("run", "build", in: folder).status == 0)
    #expect(await raclette("run", "build", in: folder).errors == "raclette: build is up to date\n")
  }

  @Test(
    "leaves a definition alone that is not written out",
    arguments: [
      (
        "local t = {name = 'build', run = 'cat a'}\nrac.command(t)", 2,
        "its table is not written out there"
      ),
      (
        "local n = 'build'\nrac.command{name = n, run = 'cat a'}", 2,
        "its name is not written out there"
      ),
      (
        "local s = {'commands.lua'}\nrac.command{name = 'build', sources = s, run = 'cat a'}", 2,
        "its 'sources' is not a list of plain strings"
      ),
      (
        "rac.command{name = 'x', run = 'true'} rac.command{name = 'build', run = 'cat a'}", 1,
        "several commands are defined in that line"
      ),
    ])
  func refusals(definition: String, line: Int, reason: String) async {
    let folder = Folder(["a": "1", "commands.lua": definition])
    let run = await raclette("audit", "--write", "build", in: folder)
    #expect(
      run.errors.hasSuffix(
        "raclette: error: commands.lua:\(line): the definition of 'build' is left unchanged: "
          + "\(reason)\n"),
      "\(run)")
    #expect(run.output.contains(#""a"},"#), "\(run)")
    #expect(run.status == 1)
    #expect(fileContent(folder["commands.lua"]) == Array(definition.utf8))
  }

  @Test("prints JSON for programs")
  func json() async {
    let folder = Folder([
      "a": "1", "commands.lua": #"rac.command{name = "build", run = "/bin/cat a >out; true"}"#,
    ])
    let run = await raclette("audit", "--json", "build", in: folder)
    #expect(
      run.output.hasPrefix(
        #"{"command":"build","input":{},"exit_code":0,"clean":false,"read":["a"],"written":["out"],"#
          + #""deleted":[],"examined":[],"listed":[],"unmade":[],"add":{"sources":["a"],"outputs":["out"]},"programs":["/bin/cat","/bin/sh"],"#
          + #""addresses":[],"outside":{"read":["#), "\(run)")
    #expect(run.output.hasSuffix(#"],"written":[]},"git":[],"missed":[]}"# + "\n"))
    #expect(run.status == 1)
  }

  @Test("leaves out what Python keeps in '__pycache__'")
  func python() async {
    let folder = Folder([
      "lib/m.py": "1",
      "commands.lua": """
      rac.command{name = "test", sources = "lib/m.py", run = [[
        cat lib/m.py; cd lib; mkdir -p __pycache__; ls __pycache__; cat __pycache__/m.pyc 2>&1 || true
        cp m.py __pycache__/m.1; mv __pycache__/m.1 __pycache__/m.pyc]]}
      """,
    ])
    for _ in 0..<2 {
      let run = await raclette("audit", "test", in: folder)
      #expect(
        lines(run) == [
          "'test' names all that it reads and writes in the project: 1 source, 0 outputs"
        ], "\(run)")
      #expect(run.status == 0)
    }
  }

  @Test("a service is up for the command, and goes on for others")
  func services() async {
    let folder = Folder([
      "a": "1",
      "commands.lua": """
      rac.command{name = "db", service = true, run = "echo up; exec sleep 1000", ready = {line = "up"}}
      rac.command{name = "test", needs = {"db"}, run = "cat a >/dev/null"}
      """,
    ])
    let run = await raclette("audit", "test", in: folder)
    #expect(lines(run).prefix(2) == ["'test' reads 1 file that is not a source:", "  a"])
    #expect(run.status == 1)
    #expect(
      run.errors.hasSuffix(
        "warning: 'test' needs the service 'db', but stays up to date when that changes: name the "
          + "files of 'db' in its 'watch' and in the 'sources' of 'test', or add a 'fingerprint'\n"),
      "\(run)")
  }

  @Test("a service itself is refused")
  func service() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", service = true, run = "exec sleep 1000", ready = {line = "up"}}
        """)
    let run = await raclette("audit", "db", in: folder)
    #expect(
      run.errors == """
        raclette: error: 'db' is a service, which does not end by itself; audit only works on \
        commands that end

        """)
    #expect(run.status == 2)
  }
}

@Suite("audit without a tracer", .timeLimit(.minutes(5)))
struct AuditRefusalTests {
  private let folder = Folder(commands: #"rac.command{name = "build", run = "true"}"#)

  @Test("says how to install strace")
  func missing() async {
    let run = await raclette("audit", "build", in: folder, environment: ["PATH": folder.path])
    #expect(
      run.errors == """
        raclette: error: audit needs strace, which is not installed: apt-get install strace (or \
        your system's equivalent)

        """)
    #expect(run.status == 1)
  }

  @Test("says what may forbid ptrace")
  func forbidden() async {
    folder.write(
      "#!/bin/sh\necho 'strace: ptrace(PTRACE_SEIZE): Operation not permitted' >&2; exit 1\n",
      to: ".bin/strace")
    chmod(folder[".bin/strace"], 0o755)
    let run = await shell("raclette audit build", in: folder)
    #expect(run.output == "")
    #expect(
      run.errors == """
        strace: ptrace(PTRACE_SEIZE): Operation not permitted
        raclette: error: strace has ended with 1 before 'build' began, for the reason above. \
        Tracing needs ptrace, which other tracers, containers (docker run --cap-add SYS_PTRACE) \
        and kernel.yama.ptrace_scope may forbid

        """)
    #expect(run.status == 1)
  }
}
