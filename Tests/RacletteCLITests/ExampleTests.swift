import Testing

@Suite("the examples", .timeLimit(.minutes(5)))
struct ExampleTests {
  private static let build = Program.package + "/examples/build/commands.lua"
  private static let logs = Program.package + "/examples/logs"
  private static let plugins = Program.package + "/examples/plugins"

  @Test("check finds this repository in order, with a line for each kind of source")
  func check() async {
    let run = await raclette("run", "-f", Self.build, "check")
    let checks = run.lines.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(checks.sorted() == ["c", "lua", "shell", "swift"])
    #expect(run.lines.allSatisfy { $0.contains(" ok ") })
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("check tells which check failed, and what the tool said")
  func checkFails() async {
    let folder = Folder([
      "examples/build/commands.lua": "", "scripts/broken": "if\n",
      "Sources/CLuaShims/a.c": "int a;\n",
    ])
    let run = await shell(
      """
      cp '\(Self.build)' examples/build/ && git init -q . && git add . &&
        mkdir -p Tests && raclette run -f examples/build/commands.lua check
      """, in: folder)
    #expect(run.errors.contains("shell: 'sh' exited with status "))
    #expect(run.errors.contains("scripts/broken"))
    #expect(run.status != 0)
  }

  @Test("count lists every module with its lines, the largest first")
  func count() async {
    let run = await raclette("run", "-f", Self.build, "count")
    let counts = run.lines.compactMap { Int($0.split(separator: " ")[0]) }
    #expect(counts == counts.sorted(by: >))
    #expect(run.lines.contains { $0.hasSuffix(" Sources/Reactive/") })
    #expect(run.status == 0)
  }

  @Test("report sums up every log as zcat and awk do one by one")
  func report() async throws {
    let folder = Folder()
    let expected = await shell(
      """
      cd '\(Self.logs)/access' && for f in *.log.gz; do gzip -t "$f" 2>/dev/null && zcat "$f"; done |
        awk '{ n++; b += $10; if ($9 >= 500) e++ } END {
          printf "%d requests, %d server errors, %.1f MB in ", n, e, b / 1e6 }'
      ls *.log.gz | wc -l
      for f in *.log.gz; do gzip -t "$f" 2>/dev/null || echo bad; done | wc -l
      """, in: folder)
    try #require(expected.lines.count == 2)
    let run = await raclette("run", "-f", Self.logs + "/commands.lua", "report")
    let sums = try #require(expected.lines[0].firstRange(of: " in "))
    let files = try #require(Int(expected.lines[0][sums.upperBound...]))
    let damaged = try #require(Int(expected.lines[1]))
    #expect(
      run.lines.last
        == "\(expected.lines[0][..<sums.lowerBound]) in \(files - damaged) files, \(damaged) damaged"
    )
    #expect(run.lines.count == files - damaged + 1)
    #expect(run.errorLines.filter { $0.hasPrefix("warning: ") }.count == damaged)
    #expect(run.status == 0)
  }

  @Test("PAUSE holds the work back while it is there")
  func pause() async {
    let folder = Folder()
    _ = await shell("cp -r '\(Self.logs)/.' . && touch access/PAUSE", in: folder)
    let rejected = await raclette("run", "summarize", "access/2026-11-01.log.gz", in: folder)
    #expect(rejected.output == "")
    #expect(rejected.errors.contains("is not enabled: its condition is false"))
    #expect(rejected.status == 75)

    let launch = Launch(arguments: ["run", "report"], folder: folder.path)
    let resumed = await onThread {
      let running = Running(launch)
      running.waitForErrors("waiting until access/PAUSE is removed")
      folder.remove("access/PAUSE")
      return running.finish()
    }
    let free = await raclette("run", "report", at: Self.logs)
    #expect(resumed.lines.sorted() == free.lines.sorted())
    #expect(resumed.status == 0)
  }

  @Test("plugins are found: one over a module in C, and one of others unchanged")
  func plugins() async {
    let folder = Folder()
    let slow = await raclette("run", "slow", at: Self.plugins)
    let expected = await shell(
      """
      sed -E 's/ms=([0-9]+) status=[0-9]+ path="?([^"]*)"?/\\1 \\2/' '\(Self.plugins)/requests.log' |
        awk '$1 > 500 { ms = $1; sub(/^[0-9]+ /, ""); printf "%5d ms  %s\\n", ms, $0 }'
      """, in: folder)
    #expect(slow.output == expected.output)
    #expect(slow.lines.count == 4)
    let paths = await raclette("run", "paths", at: Self.plugins)
    #expect(paths.lines == [" 30 /", " 15 /search", "  7 /login", "  5 /about", "  3 /my page"])
    let authors = await raclette("run", "authors", at: Self.plugins)
    #expect(authors.status == 0)
  }
}
