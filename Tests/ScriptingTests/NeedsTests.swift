import Testing

@Suite("Needs") struct NeedsTests {
  private let prelude = """
    local function command(name, needs, body)
      return rac.command{name = name, needs = needs, run = body or function() print(name) end}
    end

    """

  @Test func eachNeededCommandRunsOnceBeforeThoseThatNeedIt() throws {
    let lines = try Script.lines(
      prelude + """
        command("all", {"left", "right"})
        command("left", {"base"})
        command("right", {"base"})
        command("base")
        rac.commands.all:execute():wait()
        """)
    try #require(lines.count == 4)
    #expect(lines.first == "base")
    #expect(Set(lines[1...2]) == ["left", "right"])
    #expect(lines[3...] == ["all"])
  }

  @Test func independentNeedsRunSideBySide() throws {
    let lines = try Script.lines(
      prelude + """
        local meet = rac.subject()
        command("a", nil, function() meet:wait(); print("a") end)
        command("b", nil, function() print("b"); meet:send_completed() end)
        command("both", {"a", "b"})
        rac.commands.both:execute():wait()
        """)
    #expect(lines == ["b", "a", "both"])
  }

  @Test func anotherRunRunsThemAgain() throws {
    let lines = try Script.lines(
      prelude + """
        command("base")
        local top = command("top", {"base"})
        top:execute():wait()
        top:execute():wait()
        """)
    #expect(lines == ["base", "top", "base", "top"])
  }

  @Test func aFailureIsOfKindDependencyAndNamesTheCommand() throws {
    let lines = try Script.lines(
      prelude + """
        command("base", nil, function() error("broken", 0) end)
        local top = command("top", {"base"})
        local ok, e = pcall(function() top:execute():wait() end)
        print(e.kind, e.message, e.command)
        """)
    #expect(lines == ["dependency\t'base' failed: broken\tbase"])
  }

  @Test func circlesAreReportedWithTheirPath() throws {
    let lines = try Script.lines(
      prelude + """
        command("a", {"b"}) command("b", {"c"}) command("c", {"b"})
        local ok, e = pcall(function() rac.commands.a:execute():wait() end)
        print(e.kind, e.message)
        """)
    #expect(lines == ["dependency\tthe needs of 'a' form a cycle: b -> c -> b"])
  }

  @Test func anUnknownNameIsReported() throws {
    let lines = try Script.lines(
      prelude + """
        local ok, e = pcall(function() command("a", {"nowhere"}):execute():wait() end)
        print(e.kind, e.message)
        """)
    #expect(lines == ["dependency\t'a' needs 'nowhere', which is not defined"])
  }

  @Test func cancellationReachesThem() throws {
    let lines = try Script.lines(
      prelude + """
        local started = rac.replay_subject()
        command("base", nil, function()
          started:send_next()
          local guard <close> = setmetatable({}, {__close = function() print("base closed") end})
          rac.never():wait()
        end)
        local e = command("top", {"base"}):execute()
        started:first()
        e:cancel()
        rac.commands.base.executing:filter(function(v) return not v end):first()
        print(e.state, rac.commands.base.executing:first())
        """)
    #expect(lines.prefix(2) == ["base closed", "cancelled\tfalse"])
  }
}
