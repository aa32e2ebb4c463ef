import Platform
import Testing
import TextFiles

@Suite("raclette doctor", .timeLimit(.minutes(1)))
struct DoctorTests {
  private static let project = [
    "commands.lua": "rac.command{name = 'a', run = function() return 1 end}",
    "lib/one.lua": "", "history/raclette/history/file": "",
  ]

  /// Surroundings in which there is nothing to mend.
  private static func healthy(_ folder: Folder) -> [String: String] {
    [
      "LC_ALL": "C.UTF-8", "TERM": "xterm", "EDITOR": "sh", "VISUAL": "", "HOME": folder.path,
      "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "RACLETTE_JOURNAL": "", "TMPDIR": "",
      "LUA_PATH": folder["lib/?.lua"],
    ]
  }

  private func doctor(
    _ words: [String] = [], after line: String = "true", in folder: Folder,
    _ variables: [String: String] = [:]
  ) async -> Outcome {
    let environment = Self.healthy(folder).merging(variables) { $1 }
    let arguments =
      [
        "-c", "unset LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4; \(line); \"$0\" doctor \"$@\"",
        Program.path,
      ] + words
    let launch = Launch(
      program: "/bin/sh", arguments: arguments, folder: folder.path, environment: environment)
    return await onThread { Running(launch).finish() }
  }

  @Test("tells what it found, a line each, and succeeds if that is well")
  func healthy() async {
    let folder = Folder(Self.project)
    let run = await doctor(in: folder)
    for line in [
      "  ok       command file: \(folder["commands.lua"])",
      "  ok       states of commands: none yet in \(folder[".raclette/state.db"])",
      "  ok       journal: none yet in \(folder[".raclette/journal.db"])",
      "  ok       \(folder["lib"]): 1 module", "  ok       ./.raclette/plugins: not there",
      "  ok       terminal: none", "  ok       TERM: xterm", "  ok       locale: LC_ALL=C.UTF-8",
      "  ok       editor: sh", "  ok       shell: /bin/sh",
      "  ok       machine-wide limits: /tmp/raclette-\(getuid())",
      "  ok       history: none yet in \(folder[".local/state/raclette/history"])",
    ] { #expect(run.lines.contains(line), "\(line) in \(run)") }
    #expect(run.output.contains(#/  ok       version: \d+\.\d+\.\d+, .*commit.*, //#), "\(run)")
    #expect(run.output.contains(#/  ok       Lua: 5\.4\.\d+, /.*lua/#), "\(run)")
    #expect(run.lines.last?.hasPrefix("no problems, ") == true)
    #expect(run.status == 0)
    #expect(Folder.names(in: folder.path) == [".", "..", "commands.lua", "lib", "history"])
  }

  @Test(
    "warns of what works less well, and tells how to mend it",
    arguments: [
      (["TERM": "dumb"], "true", "TERM: dumb: sessions have no line editing", "set TERM"),
      (["LC_ALL": "C"], "true", "locale: LC_ALL=C is not UTF-8", "export LC_ALL=C.UTF-8"),
      (
        ["LC_ALL": "xx_XX.utf8"], "true", "locale: LC_ALL=xx_XX.utf8 is not installed", "export LC_"
      ),
      (
        ["LC_ALL": "", "LC_CTYPE": "", "LANG": ""], "true", "locale: LC_ALL, LC_CTYPE",
        "export LANG"
      ),
      (
        ["LUA_PATH": "/none/all.lua"], "true", "/none/all.lua: a place without '?'",
        "write LUA_PATH"
      ),
      (["LUA_PATH": "./lib/one.lua/?.lua"], "true", "./lib/one.lua: is not a folder", "move"),
      (["LUA_PATH": ""], "true", "LUA_PATH: is set and empty", "unset LUA_PATH"),
      (
        ["EDITOR": "none-such -x"], "true",
        "editor: 'none-such', which C-x C-e starts, was not found", "set VISUAL"
      ),
      (
        ["TMPDIR": "/none"], "true", "temporary files: /none is not a writable folder",
        "set TMPDIR"
      ),
      (
        [:], "export XDG_STATE_HOME=$PWD/history", "history/raclette/history is not a reg", "move /"
      ),
      (["HOME": ""], "true", "history: entries are not kept", "set HOME"),
      (
        ["XDG_STATE_HOME": "history"], "true",
        "history: XDG_STATE_HOME is ignored: 'history' is not a full path", "set XDG_STATE_HOME"
      ),
      (
        [:], "export XDG_STATE_HOME=$PWD/commands.lua", "commands.lua is not a folder",
        "set XDG_STATE_HOME"
      ),
      (
        ["XDG_STATE_HOME": "/proc/x"], "true",
        "history: none yet in /proc/x/raclette/history, and /proc does not accept files",
        "set XDG_STATE_HOME"
      ),
      (
        ["XDG_STATE_HOME": "/dev/null/x"], "true", "and /dev/null is not a folder",
        "set XDG_STATE_HOME"
      ),
      ([:], "chmod 666 commands.lua", "command file: every user may change /", "chmod o-w /"),
      ([:], "chmod 777 lib", "lib: every user may put modules there", "chmod o-w /"),
      ([:], "ulimit -n 100", "open files: at most 100", "ulimit -n 1024"),
      (
        [:],
        "\"$0\" run -q --journal j.db a >/dev/null; mkdir .raclette; mv j.db .raclette/journal.db; "
          + "chmod 644 .raclette/journal.db", "journal: other users may read /", "chmod go= /"
      ),
    ])
  func warnings(variables: [String: String], line: String, text: String, remedy: String) async {
    let folder = Folder(Self.project)
    let run = await doctor(["-q"], after: line, in: folder, variables)
    let index = run.lines.firstIndex { $0.hasPrefix("  warning  ") && $0.contains(text) }
    #expect(index != nil, "\(run)")
    if let index { #expect(run.lines[index + 1].contains("  to fix it: \(remedy)"), "\(run)") }
    #expect(!run.output.contains("  ok "))
    #expect(run.status == 0)
  }

  @Test(
    "fails for what does not work",
    arguments: [
      (
        ["--journal", "commands.lua"], "journal: '",
        "is not a journal: it is not an SQLite database"
      ),
      (["--journal", "lib"], "journal: cannot use the journal '", "is a directory"),
      (["-f", "none.lua"], "command file: cannot read none.lua", "no such file or directory"),
      (["-f", "lib"], "command file: ", "is not a regular file"),
      (["--global"], "command file: cannot read ", "raclette :init"),
    ])
  func problems(words: [String], start: String, end: String) async {
    let folder = Folder(Self.project)
    let run = await doctor(words, in: folder)
    let line = run.lines.first { $0.hasPrefix("  problem  ") }
    #expect(line?.hasPrefix("  problem  \(start)") == true && line?.contains(end) == true, "\(run)")
    #expect(run.lines.last?.hasPrefix("1 problem, ") == true, "\(run)")
    #expect(run.status == 1)
  }

  @Test(
    "a journal that cannot be made is a problem",
    arguments: [
      ("none/j.db", "there is no folder /", "/none", "mkdir -p /"),
      ("/proc/x/j.db", "/proc does not accept files", "", "name another one with --journal"),
      ("commands.lua/j.db", "/commands.lua is not a folder", "", "name another one with --journal"),
      ("", "/.raclette is not a folder", "", "move /"),
    ])
  func journalInNoFolder(path: String, text: String, end: String, remedy: String) async {
    let folder = Folder(Self.project)
    let run = await doctor(
      after: path.isEmpty ? "rm commands.lua; touch .raclette" : "true", in: folder,
      ["RACLETTE_JOURNAL": path])
    let index = run.lines.firstIndex { $0.hasPrefix("  problem  journal: none yet in /") }
    #expect(index != nil, "\(run)")
    guard let index else { return }
    #expect(run.lines[index].contains(text) && run.lines[index].hasSuffix(end), "\(run)")
    #expect(run.lines[index + 1].contains("  to fix it: \(remedy)"), "\(run)")
    #expect(run.lines.last?.hasPrefix("1 problem, ") == true, "\(run)")
    #expect(run.status == 1)
  }

  @Test("a command file that is no Lua code is a problem; it is not executed")
  func syntaxError() async {
    let folder = Folder(Self.project)
    folder.write("io.open('made', 'w')\nrac.command{name = 'a' run = 1}\n", to: "commands.lua")
    let run = await doctor(["-q"], in: folder)
    let index = run.lines.firstIndex { $0.hasPrefix("  problem  command file: commands.lua:2: ") }
    #expect(index != nil, "\(run)")
    if let index {
      #expect(
        run.lines[index + 1].contains("check it with 'raclette :check \(folder["commands.lua"])'"),
        "\(run)")
    }
    #expect(run.status == 1)
    #expect(!Folder.isThere(folder["made"]))
  }

  @Test("what mends is valid where the user is, whatever the folder that -C names")
  func elsewhere() async {
    let folder = Folder(Self.project)
    folder.write("", to: "project/.raclette")
    folder.write("rac.command{name = 'a', run = print}", to: "project/commands.lua")
    folder.write("", to: "project/m/x.lua")
    chmod(folder["project/m"], 0o777)
    let run = await doctor(["-C", "project"], in: folder, ["LUA_PATH": "./m/?.lua"])
    #expect(run.output.contains("to fix it: move \(folder["project/.raclette"]) away"), "\(run)")
    #expect(run.output.contains("to fix it: chmod o-w \(folder["project/m"])"), "\(run)")
  }

  @Test("tells the versions of the files that the runner keeps")
  func versions() async throws {
    let folder = Folder(
      Self.project.merging(
        ["commands.lua": "rac.command{name = 'a', sources = 'lib', run = print}"]) { $1 })
    folder.makeFolder(".raclette")
    let kept = Program.package + "/Tests/JournalTests/Journals/version-5.db"
    #expect(spawnAndWait(["cp", kept, folder[".raclette/journal.db"]]) == 0)
    spawnAndWait(["chmod", "600", folder[".raclette/journal.db"]])
    let run = await doctor(after: "\"$0\" run -q a", in: folder)
    #expect(
      run.lines.contains(
        "  ok       states of commands: \(folder[".raclette/state.db"]), version 2"), "\(run)")
    #expect(run.output.contains("journal.db, version 5\n"), "\(run)")
    #expect(run.status == 0)
  }

  @Test("tells of a journal of a later version")
  func later() async {
    let folder = Folder(Self.project)
    let number = "printf '\\000\\000\\000\\143' | dd of=j.db bs=1 seek=60 conv=notrunc status=none"
    let run = await doctor(
      ["--journal", "j.db"], after: "\"$0\" run -q --journal j.db a >/dev/null; \(number)",
      in: folder)
    #expect(run.output.contains("was written by a newer raclette: it has version 99"), "\(run)")
    #expect(run.status == 1)
  }

  @Test("prints the same as an object of JSON, with paths that are not UTF-8")
  func json() async {
    let folder = Folder(Self.project)
    let run = await doctor(
      ["--json"], after: #"d=$(printf 'x\377'); mkdir "$d"; cd "$d""#, in: folder, ["TERM": "dumb"])
    #expect(run.lines.count == 1)
    #expect(run.output.hasPrefix(#"{"v":1,"problems":0,"warnings":"#), "\(run)")
    #expect(
      run.output.contains(
        #"{"topic":"terminal","name":"TERM","state":"warning","text":"dumb: "#), "\(run)")
    #expect(run.output.contains(#","remedy":"set TERM to"#), "\(run)")
    let shown = await doctor(after: #"cd "$(printf 'x\377')"; rm ../commands.lua"#, in: folder)
    #expect(shown.output.contains(#"\xff/.raclette/journal.db"#), "\(shown)")
    #expect(shown.output.contains("command file: none here or in a folder above"), "\(shown)")
  }

  @Test("takes no arguments")
  func surplus() async {
    let run = await raclette("doctor", "x")
    #expect(
      run.errors == "raclette: error: unexpected argument 'x'; usage: raclette :doctor [OPTIONS]\n")
    #expect(run.status == 2)
  }
}
