import Platform

/// The instructions of the release executable for work that people wait for, by valgrind's callgrind.
/// They depend neither on the machine's load nor on its clock, so that two builds can be compared to a
/// percent. Instructions of the kernel and of the processes that are started do not count.
func instructionBenchmark() {
  guard system("command -v valgrind >/dev/null 2>&1") == 0 else {
    return print("instructions: skipped, as there is no valgrind (Debian: valgrind)")
  }
  withTemporaryFolder { folder in
    for work in CountedWork.all {
      let place = "\(folder)/\(work.name)"
      mkdir(place, 0o700)
      for (path, text) in work.files { write(text, to: "\(place)/\(path)") }
      let words = [raclettePath(), "-C", place] + work.words
      if work.isRepeated {
        for _ in 0..<2 {
          runProcess(words)
          // Files that are too young to trust are read again.
          sleep(3)
        }
      }
      let log = "\(place)/log"
      runProcess(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)"]
          + words)
      let count = instructions(in: log)
      print(
        "instructions of \(work.title): \(count / 1_000) thousand"
          + (work.count > 1 ? ", \(count / work.count) each" : ""))
    }
  }
}

/// Reads what callgrind has counted; 0 if it has said nothing.
private func instructions(in log: String) -> Int {
  let text = String(decoding: fileContent(log) ?? [], as: UTF8.self)
  let line = text.split(separator: "\n").first { $0.contains("Collected : ") }
  return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
}

/// Work whose instructions are counted.
private struct CountedWork {
  /// The name of its folder.
  let name: String
  let title: String
  let files: [(path: String, text: String)]
  /// What follows the folder.
  let words: [String]
  /// The number of pieces that it consists of.
  var count = 1
  /// True if what counts is the execution after the first ones.
  var isRepeated = false

  static var all: [CountedWork] {
    [
      CountedWork(
        name: "start", title: "exec -e return", files: [], words: ["exec", "-e", "return"]),
      CountedWork(
        name: "one", title: "a command that starts a process",
        files: [("commands.lua", "rac.command{name = \"t\", run = {\"true\"}}\n")],
        words: ["run", "t"]),
      CountedWork(
        name: "list20", title: "list of 20 commands", files: [("commands.lua", commands(20))],
        words: ["list"]),
      CountedWork(
        name: "list", title: "list of 2,000 commands", files: [("commands.lua", commands(2_000))],
        words: ["list"], count: 2_000),
      CountedWork(
        name: "nothing", title: "one of 2,000 commands", files: [("commands.lua", commands(2_000))],
        words: ["run", "c1"], count: 2_000),
      CountedWork(
        name: "needs", title: "1,000 needs that start a process, 8 at once",
        files: [
          (
            "commands.lua",
            """
            local all = {}
            for i = 1, 1000 do rac.command{name = "t" .. i, run = {"true"}}; all[i] = "t" .. i end
            rac.command{name = "all", needs = all}

            """
          )
        ], words: ["run", "-j8", "all"], count: 1_000),
      CountedWork(
        name: "entries", title: "10,000 entries that do nothing", files: entries(10_000),
        words: ["batch", "-q", "plan"], count: 10_000),
      CountedWork(
        name: "traces", title: "10,000 entries that do nothing, with traces that nothing takes",
        files: entries(10_000), words: ["batch", "-q", "--otlp", "http://127.0.0.1:1", "plan"],
        count: 10_000),
      CountedWork(
        name: "journal", title: "10,000 entries that do nothing, with a journal",
        files: entries(10_000), words: ["batch", "-q", "--journal", "j.db", "plan"], count: 10_000),
      CountedWork(
        name: "lines", title: "200,000 lines through map and filter in Lua",
        files: [
          ("lines", (1...200_000).map { "line \($0)\n" }.joined()),
          (
            "commands.lua",
            """
            rac.command{name = "w", run = function()
              return rac.exec{"cat", "lines"}:filter(function(l) return #l ~= 9 end)
                :map(function(l) return l .. "!" end)
            end}

            """
          ),
        ], words: ["run", "w"], count: 200_000),
      CountedWork(
        name: "uptodate", title: "nothing to do over 10,000 sources",
        files: (0..<10_000).map { ("f\($0).c", "int v\($0);\n") } + [
          ("commands.lua", "rac.command{name = \"b\", sources = {\"*.c\"}, run = function() end}\n")
        ], words: ["run", "b"], count: 10_000, isRepeated: true),
      CountedWork(
        name: "execute", title: "10,000 times execute and wait from Lua",
        files: [
          (
            "script.lua",
            """
            local c = rac.command(function(n) return rac.just(n) end)
            for i = 1, 10000 do c:execute(i):wait() end

            """
          )
        ], words: ["exec", "script.lua"], count: 10_000),
    ]
  }

  private static func commands(_ count: Int) -> String {
    (1...count).map {
      "rac.command{name = \"c\($0)\", summary = \"command \($0)\", run = function() end}\n"
    }.joined()
  }

  private static func entries(_ count: Int) -> [(path: String, text: String)] {
    [
      (
        "commands.lua",
        """
        rac.command{name = "n", params = {{name = "i", type = "integer"}}, run = function() end}

        """
      ),
      (
        "plan",
        (1...count).map { "{\"command\":\"n\",\"input\":{\"i\":\($0)}}\n" }.joined()
      ),
    ]
  }
}
