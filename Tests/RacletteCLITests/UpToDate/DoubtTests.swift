import Testing

@Suite("what is up to date: what --dry-run cannot know", .timeLimit(.minutes(2)))
struct DoubtTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "_cc", fingerprint = function() return rac.sh("echo 12"):first() end, run = "true"}
      rac.command{name = "lib", needs = "_cc", sources = "commands.lua", run = "true"}
      rac.command{name = "app", needs = "lib", sources = "commands.lua", run = "true"}
      rac.command{name = "other", needs = "_cc", sources = "new", run = "true"}
      """)

  @Test("is told as what it depends on, and is no reason to execute")
  func doubt() async {
    _ = await raclette("app", in: folder)
    #expect(await raclette("explain", "app", in: folder).output.hasPrefix("_cc: up to date\n"))
    let plan = await raclette("-n", "app", in: folder)
    #expect(
      plan.lines.filter { !$0.hasPrefix("     ") } == [
        "  1. _cc  up to date or not: a function of its definition starts a process, which is not started",
        "  2. lib  after _cc; up to date if '_cc' is",
        "  3. app  after lib; up to date if '_cc' is",
      ], "\(plan)")
    let json = await raclette("-n", "--json", "app", in: folder)
    #expect(
      json.output.contains(#""up_to_date":null,"changes":["up to date if '_cc' is"]"#), "\(json)")
  }

  @Test("does not hide what has changed")
  func changed() async {
    _ = await raclette("app", in: folder)
    folder.write("x", to: "new")
    let plan = await raclette("-n", "other", in: folder)
    let reason = "not up to date: it was not executed with this input yet"
    #expect(plan.lines.contains("  2. other  after _cc; \(reason)"), "\(plan)")
  }
}
