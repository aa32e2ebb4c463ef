import Platform
import Testing

@Suite("what is up to date: exact comparison", .timeLimit(.minutes(2)))
struct UpToDateExactnessTests {
  @Test("fingerprints and inputs are compared byte by byte")
  func bytes() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "print", run = "true",
          fingerprint = function() return {io.open("bin", "rb"):read("a")} end}
        rac.command{name = "name", sources = "bin", run = 'echo "$1"', params = {{name = "x", rest = true}}}
        """)
    func write(_ bytes: [UInt8]) { folder.write(bytes, to: "bin") }
    func isLeftOut(_ line: String) async -> Bool {
      let run = await shell("raclette run \(line)", in: folder)
      #expect(run.status == 0, "\(run)")
      return run.errors.contains("is up to date")
    }
    // The last two are the same text to Unicode.
    for bytes: [UInt8] in [
      [0xFF, 0xFE], [0xFF, 0xFD], Array("\u{E9}".utf8), Array("e\u{301}".utf8),
    ] {
      write(bytes)
      #expect(await !isLeftOut("print"))
      #expect(await isLeftOut("print"))
    }
    for word in [#"$'caf\xe8'"#, #"$'caf\xe9'"#, "\u{E9}", "e\u{301}"] {
      #expect(await !isLeftOut("name \(word)"))
      #expect(await isLeftOut("name \(word)"))
    }
  }

  @Test("a table with text that is not UTF-8 is not kept, and never sent changed")
  func values() async {
    let project = Project(run: #"rac.concat(rac.from{{x = "\xff"}}, rac.sh("echo x >out"))"#)
    #expect(await project.builds())
    #expect(
      await project.changes().first?.contains("a table that it sent holds text that is not UTF-8")
        == true)
  }

  @Test("functions of a library count by their names, and what has no content is never trusted")
  func opaque() async {
    let folder = Folder(["a": "1"])
    func write(_ value: String) {
      folder.write(
        """
        local rac = require "rac"
        local other = rac.command{name = "other", run = "true"}
        local value = \(value)
        rac.command{name = "build", sources = "a", run = function() local _ = value end}
        """, to: "commands.lua")
    }
    func changes() async -> [String] {
      await raclette("explain", "build", in: folder).lines.dropFirst()
        .map { String($0.drop { $0 == " " }) }
    }
    let known = [
      "os.rename", "os.remove", "print", "rac.log", "rac.env", "rac.json.encode", "io.stdout",
      "{rac.sleep, string.rep}", "other", "rac.error",
    ]
    for value in known {
      write(value)
      #expect(await changes() != [], "\(value)")
      _ = await raclette("run", "build", in: folder)
      #expect(await changes() == [], "\(value)")
    }
    for (value, type) in [
      ("rac.sh('echo x')", "signal"), ("{rac.subject()}", "subject"), ("io.open('a')", "FILE*"),
      ("string.gmatch('a', 'a')", "function in C"), ("coroutine.create(print)", "thread"),
    ] {
      write(value)
      let run = await raclette("run", "build", in: folder)
      let reason =
        "changes of a value of type '\(type)' cannot be seen: 'value', which 'run' uses; "
        + "make it inside the function"
      #expect(run.errors.contains("warning: 'build' will be executed again: \(reason)"), "\(run)")
      #expect(await changes() == [reason])
    }
  }

  @Test("what a module in Lua holds counts by what it is, and not by its name")
  func modules() async {
    let folder = Folder(
      commands: """
        local tools = require "tools"
        rac.command{name = "build", sources = "a", run = function() return tools.value end}
        """)
    folder.write("1", to: "a")
    folder.write("return {value = rac.just('-O0')}", to: "tools.lua")
    let opaque = await raclette("run", "build", in: folder)
    #expect(
      opaque.errors.contains("changes of a value of type 'signal' cannot be seen"), "\(opaque)")
    for text in ["-O0", "-O2"] {
      folder.write(
        "return {value = setmetatable({'\(text)'}, {__metatable = 'module'})}", to: "tools.lua")
      #expect(await raclette("status", "build", in: folder).status == 1, "\(text)")
      #expect(await raclette("run", "build", in: folder).status == 0)
      #expect(await raclette("status", "build", in: folder).status == 0, "\(text)")
    }
  }

  @Test("sources that match nothing are told when it is executed and by check")
  func unmatched() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "some", sources = {"a", "scr/**/*.c"}, run = "true"}
        rac.command{name = "none", sources = "scr/**/*.c", run = "true"}
        rac.command{name = "hidden", sources = {"dots", "!none"}, run = "true"}
        rac.command{name = "either", sources = "{a,b}*", run = "true"}
        """)
    folder.write("1", to: "a")
    folder.write("1", to: "dots/.git/x")
    let check = await raclette("check", in: folder)
    #expect(
      check.notes == [
        "commands.lua:2: 'some' names the sources 'scr/**/*.c', which match no file",
        "commands.lua:3: 'none' names the sources 'scr/**/*.c', which match no file",
        "commands.lua:4: 'hidden' names the sources 'dots', which match no file",
        "commands.lua: 4 commands, 3 notes",
      ])
    let some = await shell("raclette run some; raclette run some", in: folder)
    #expect(
      some.errorLines == [
        "warning: commands.lua:2: 'some' names the sources 'scr/**/*.c', which match no file",
        "raclette: some is up to date",
      ], "\(some)")
    let none = await shell(
      "raclette run none; raclette run -q none; raclette status none", in: folder)
    #expect(none.errors.ranges(of: "which match no file").count == 2, "\(none)")
    #expect(none.lines == ["none: not up to date: no file matches its 'sources'"])
    #expect(
      await shell("raclette run either; raclette run either", in: folder).errors
        == "raclette: either is up to date\n")
  }

  @Test("sources that cannot be read are not told to be missing")
  func unreadable() async {
    let folder = Folder(
      commands: """
        rac.command{name = "build", sources = "locked/*.txt", run = "true"}
        """)
    folder.write("1", to: "locked/a.txt")
    chmod(folder.path, 0o777)
    chmod(folder["locked"], 0)
    defer { chmod(folder["locked"], 0o700) }
    // The superuser may read all.
    let run = await shell(
      "[ $(id -u) != 0 ] || user='setpriv --reuid 65534 --regid 65534 --clear-groups'; "
        + "$user sh -c 'raclette --version; export XDG_STATE_HOME=$PWD; raclette run build'",
      in: folder)
    guard run.output.hasPrefix("raclette") else { return }
    #expect(
      run.errors
        == "warning: 'build' will be executed again: cannot read the folder 'locked/': permission denied\n"
    )
    #expect(run.status == 0)
  }

  @Test("the variables that files set count, unless the environment sets them")
  func variableFiles() async {
    let project = Project(
      fields: #"env_file = {{"v.env", optional = true}},"#, run: #"rac.sh("echo $A-$B | tee out")"#)
    #expect(await project.builds())
    project.folder.write("A=1\n# a comment\nB='x'\n", to: "v.env")
    #expect(
      await project.changes() == [
        "its definition has changed: the variable 'A' in 'env_file' is new",
        "its definition has changed: the variable 'B' in 'env_file' is new",
      ])
    #expect(await project.builds())
    project.folder.write("B=x\nA=1", to: "v.env")
    #expect(await !project.builds())
    project.folder.write("B=y\nA=1", to: "v.env")
    #expect(
      await project.changes() == ["its definition has changed: the variable 'B' in 'env_file'"])
    project.folder.remove("v.env")
    #expect(await project.builds())
  }

  @Test("a depfile of another folder is told, with what to do")
  func depfile() async {
    let project = Project(
      fields: #"depfile = "sub/out.d","#,
      run: #"rac.sh("mkdir -p sub; cd sub; echo 'out: ../inc.h' >out.d; cp ../src/a ../out")"#)
    project.folder.write("1", to: "inc.h")
    let run = await raclette("run", "build", in: project.folder)
    #expect(
      run.errors.contains("its depfile 'sub/out.d' names '../inc.h', which does not exist; if it"),
      "\(run)")
    #expect(run.errors.contains("'cwd'"))
  }

  @Test("parameters that shells cannot tell apart, and an empty list, are told")
  func definitions() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.command{name = "a", params = {{name = "dry-run"}, {name = "dry_run"}}, run = "true"}
        rac.command{name = "b", sources = {}, run = "true"}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:2: parameters 'dry-run' and 'dry_run' differ only by '-' and '_'",
        "commands.lua:3: field 'sources' must be a pattern, a list of patterns or a function, got an empty list",
      ])
  }
}
