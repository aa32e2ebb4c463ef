import Platform

extension Comparison {
  /// The rows of the public page.
  static var all: [Comparison] {
    [start, one, list, many, needs, plan, upToDate, output, lines, digests]
  }

  private static func ours(_ line: String, first: String? = nil) -> Contender {
    Contender(
      name: "raclette", version: [raclettePath(), "--version"], package: "this repository",
      line: "raclette \(line)", first: first.map { "raclette \($0)" })
  }

  private static func lua(_ line: String) -> Contender {
    Contender(name: "lua5.4", version: ["lua5.4", "-v"], package: "Debian: lua5.4", line: line)
  }

  private static func just(_ line: String) -> Contender {
    Contender(
      name: "just", version: ["just", "--version"], package: "PyPI: rust-just", line: "just \(line)"
    )
  }

  private static func task(_ line: String, first: String? = nil) -> Contender {
    Contender(
      name: "task", version: ["task", "--version"], package: "PyPI: go-task-bin",
      line: "task \(line)", first: first)
  }

  private static func make(_ line: String, first: String? = nil) -> Contender {
    Contender(
      name: "make", version: ["make", "--version"], package: "Debian: make", line: "make \(line)",
      first: first)
  }

  private static func ninja(_ line: String, first: String? = nil) -> Contender {
    Contender(
      name: "ninja", version: ["ninja", "--version"], package: "PyPI: ninja", line: "ninja \(line)",
      first: first)
  }

  private static func tool(_ name: String, _ package: String, _ line: String) -> Contender {
    Contender(name: name, version: [name, "--version"], package: package, line: line)
  }

  private static let ninjaRule = "rule t\n  command = true\n"

  private static var start: Comparison {
    Comparison(
      title: "Start", description: "The start of a script that does nothing.", name: "start",
      files: [], ours: ours("exec -e return"), peers: [lua("lua5.4 -e return")])
  }

  private static var one: Comparison {
    Comparison(
      title: "One command", description: "A command that starts one process, `true`.", name: "one",
      files: [
        ("commands.lua", "rac.command{name = \"t\", run = {\"true\"}}\n"),
        ("justfile", "t:\n  @true\n"),
        ("Makefile", "t:\n\t@true\n.PHONY: t\n"), ("build.ninja", ninjaRule + "build t: t\n"),
        ("Taskfile.yml", "version: '3'\nsilent: true\ntasks:\n  t: ['true']\n"),
      ], ours: ours("run t"), peers: [just("t"), make("t"), ninja("t"), task("t")])
  }

  private static var list: Comparison {
    listing(20, "List of 20 commands", "list20")
  }

  private static var many: Comparison {
    listing(2_000, "List of 2,000 commands", "list2000")
  }

  private static func listing(_ count: Int, _ title: String, _ name: String) -> Comparison {
    Comparison(
      title: title, description: "Each command has a summary.", name: name,
      files: [
        (
          "commands.lua",
          (1...count).map {
            "rac.command{name = \"c\($0)\", summary = \"Does \($0)\", run = {\"true\"}}\n"
          }.joined()
        ), ("justfile", (1...count).map { "# Does \($0)\nc\($0):\n  true\n" }.joined()),
      ], ours: ours("list"), peers: [just("--list")])
  }

  private static var needs: Comparison {
    let names = (1...1_000).map { "c\($0)" }
    let targets = names.joined(separator: " ")
    return Comparison(
      title: "1,000 processes that one command needs",
      description: "Each is `true`; at most eight at a time. ninja starts a shell for each.",
      name: "needs",
      files: [
        (
          "commands.lua",
          """
          local all = {}
          for i = 1, 1000 do
            all[i] = "c" .. i
            rac.command{name = all[i], run = {"true"}}
          end
          rac.command{name = "all", needs = all}

          """
        ), ("Makefile", "all: \(targets)\n\(targets):\n\t@true\n.PHONY: all \(targets)\n"),
        ("build.ninja", ninjaRule + names.map { "build \($0): t\n" }.joined()),
      ], ours: ours("run -j8 all"),
      peers: [
        make("-s -j8 all"), ninja("-j8"),
        Contender(
          name: "xargs", version: ["xargs", "--version"], package: "Debian: findutils",
          line: "seq 1000 | xargs -n1 -P8 true"),
      ])
  }

  private static var plan: Comparison {
    Comparison(
      title: "A batch of 1,000 processes with a journal",
      description: "A record of what has completed, by which the rest can be done later.",
      name: "plan",
      files: [
        (
          "commands.lua",
          "rac.command{name = \"t\", params = {{name = \"n\", type = \"integer\"}}, run = {\"true\"}}\n"
        ), ("plan", (1...1_000).map { "{\"command\":\"t\",\"input\":{\"n\":\($0)}}\n" }.joined()),
      ],
      ours: Contender(
        name: "raclette", version: [raclettePath(), "--version"], package: "this repository",
        line: "rm -f j.db; raclette batch -q -j8 --journal j.db plan"),
      peers: [
        tool(
          "parallel", "Debian: parallel",
          "rm -f log; seq 1000 | parallel -j8 --joblog log true 2>/dev/null")
      ])
  }

  private static var upToDate: Comparison {
    let sources = (0..<10_000).map { "f\($0).c" }.joined(separator: " ")
    return Comparison(
      title: "Nothing to do over 10,000 sources",
      description:
        "Raclette and task have read the contents before; make and ninja look at times only.",
      name: "uptodate",
      files: [
        (
          "commands.lua",
          "rac.command{name = \"b\", sources = {\"*.c\"}, outputs = {\"made\"},\n  run = {\"touch\", \"made\"}}\n"
        ), ("Makefile", "made: \(sources)\n\ttouch made\n"),
        ("build.ninja", "rule t\n  command = touch $out\nbuild out: t \(sources)\n"),
        (
          "Taskfile.yml",
          "version: '3'\ntasks:\n  b:\n    sources: ['*.c']\n    generates: ['there']\n    cmds: ['touch there']\n"
        ),
      ], preparation: "for i in $(seq 0 9999); do echo \"int v$i;\" >f$i.c; done",
      ours: ours("run -q b", first: "run -q b"),
      peers: [
        ninja("-n", first: "ninja"), make("-q made", first: "make -s made"),
        task("b", first: "task b"),
      ])
  }

  private static var output: Comparison {
    Comparison(
      title: "200 MB of a process's lines to a file", description: "Lines of 40 bytes.",
      name: "output",
      files: [("commands.lua", "rac.command{name = \"c\", run = {\"cat\", \"lines\"}}\n")],
      preparation: bigFile(bytes: 200_000_000),
      ours: ours("run c >copy"),
      peers: [
        Contender(
          name: "cat", version: ["cat", "--version"], package: "Debian: coreutils",
          line: "cat lines >copy"),
        Contender(
          name: "cat | cat", version: ["cat", "--version"], package: "Debian: coreutils",
          line: "cat lines | cat >copy"),
      ])
  }

  private static var lines: Comparison {
    Comparison(
      title: "40 MB of lines through two functions in Lua",
      description: "Each line of 40 bytes is looked at and changed.", name: "lines",
      files: [
        (
          "commands.lua",
          """
          rac.command{name = "c", run = function()
            return rac.exec{"cat", "lines"}
              :filter(function(l) return #l > 9 end)
              :map(function(l) return l .. "!" end)
          end}

          """
        ),
        (
          "loop.lua",
          """
          local function filter(l) return #l > 9 end
          local function map(l) return l .. "!" end
          for l in io.lines() do
            if filter(l) then io.write(map(l), "\\n") end
          end

          """
        ),
      ], preparation: bigFile(bytes: 40_000_000), ours: ours("run c >copy"),
      peers: [lua("cat lines | lua5.4 loop.lua >copy")])
  }

  private static var digests: Comparison {
    let files = (1...20).map { "f\($0)" }.joined(separator: " ")
    return Comparison(
      title: "Digests of 200 MB in 20 files",
      description: "The files are in memory. Raclette's digests are SHA-256.", name: "digests",
      files: [
        (
          "digests.lua", "for i = 1, 20 do print(rac.digest(\"f\" .. i)) end\n"
        )
      ], preparation: "for i in $(seq 20); do head -c 10000000 /dev/urandom >f$i; done",
      ours: ours("exec digests.lua"),
      peers: [
        tool("sha256sum", "Debian: coreutils", "sha256sum \(files)"),
        tool("b3sum", "Debian: b3sum", "b3sum \(files)"),
      ])
  }

  /// Makes `lines`.
  private static func bigFile(bytes: Int) -> String {
    "yes 'a line of text that has its forty bytes' | head -c \(bytes / 42 * 42) >lines"
  }
}
