import CSanitizer
import Testing

/// What a script takes beyond what it is given is an error that says so, never the end of the program.
@Suite("resources", .timeLimit(.minutes(5)))
struct ResourceTests {
  @Test(
    "what the library keeps counts for the memory limit",
    .disabled(if: isSanitized(), "a sanitizer's own allocator does not tell what is in use"),
    arguments: [
      "rac.range(1, 1e12):to_table()",
      "local s = rac.subject() for i = 1, 1e9 do s:subscribe(function() end) end",
      "local r = rac.replay_subject() for i = 1, 1e12 do r:send_next(i) end",
      "pcall(function() for i = 1, 1e9 do rac.timer(1000):subscribe(print) end end) print('caught')",
      "for i = 1, 1e9 do rac.command{name = 'c' .. i, run = print} end",
      "local s = rac.just(1) for i = 1, 1e9 do s = s:skip(0) end",
      "rac.exec{'yes'}:to_table()",
      "local t = {} for i = 1, 60 do t = {t, t} end rac.json.encode(t)",
      "rac.json.decode('[' .. ('1,'):rep(5e6) .. '1]')",
      "local t = {} while true do t[#t + 1] = {t} end",
    ])
  func memory(script: String) async {
    let run = await raclette("--memory-limit", "64M", "-e", script)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("the memory limit of 64 MiB is reached"), "\(run)")
    #expect(!run.output.contains("caught"))
  }

  @Test(
    "a command whose signal keeps too much fails by the limit",
    .disabled(if: isSanitized(), "a sanitizer's own allocator does not tell what is in use"),
    arguments: ["rac.range(1, 1e9):collect()", "rac.range(1, 1e9):buffer(1e9)"])
  func command(signal: String) async {
    let folder = Folder(
      commands: "rac.command{name = 'keep', run = function() return \(signal) end}")
    let run = await raclette("run", "--memory-limit", "64M", "keep", in: folder)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("the memory limit of 64 MiB is reached"), "\(run)")
  }

  @Test(
    "what fits the memory limit is not disturbed by it",
    .disabled(if: isSanitized(), "a sanitizer's own allocator does not tell what is in use"))
  func enough() async {
    let run = await raclette(
      "--memory-limit", "64M", "-e",
      """
      print(#rac.range(1, 1e5):to_table())
      for _ = 1, 20 do rac.json.decode(rac.json.encode(rac.range(1, 1e4):to_table())) end
      for i = 1, 1e6 do local garbage = {i} end
      print("done")
      """)
    #expect(run.output == "100000\ndone\n")
    #expect(run.status == 0, "\(run)")
  }

  /// Holds 8 MiB until six scripts do, and then runs for longer than it takes to look at the memory.
  private static let holder = """
    local held = {}
    for i = 1, 8 do held[i] = ("x"):rep(1 << 20) .. i end
    io.open(arg[0] .. ".here", "w"):close()
    for i = 1, 6 do
      while true do
        local file = io.open(i .. ".lua.here")
        if file then file:close() break end
        rac.sleep(0.01)
      end
    end
    local start = os.clock()
    while os.clock() - start < 0.15 do end
    print(#held)
    """

  @Test("scripts of a batch that keep within the memory limit do not fail for one another")
  func neighbours() async {
    let names = (1...6).map { "\($0).lua" }
    let folder = Folder(Dictionary(uniqueKeysWithValues: names.map { ($0, Self.holder) }))
    let launch = Launch(
      arguments: ["batch", "--jobs", "6", "--memory-limit", "16M", "--progress", "never"] + names,
      folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0, "\(run)")
    #expect(run.lines == Array(repeating: "8", count: 6))
  }

  @Test("a script of a batch that takes too much fails, and no other")
  func greedyNeighbour() async {
    let folder = Folder([
      "modest.lua": """
      local held = {} for i = 1, 8 do held[i] = ("x"):rep(1 << 20) .. i end
      for i = 1, 50 do rac.sleep(0.01) end
      local start = os.clock() while os.clock() - start < 0.15 do end
      print(#held)
      """,
      "greedy.lua": "local r = rac.replay_subject() for i = 1, 1e12 do r:send_next(i) end",
    ])
    let run = await raclette(
      "batch", "--jobs", "2", "--memory-limit", "16M", "--progress", "never", "modest.lua",
      "greedy.lua", in: folder)
    #expect(run.status == 1, "\(run)")
    #expect(run.lines == ["8"])
    #expect(run.errors.contains("the memory limit of 16 MiB is reached"))
    #expect(run.errors.contains("1 completed, 1 failed"))
  }

  @Test("without descriptors there is an error", arguments: 3...16)
  func descriptors(limit: Int) async {
    let run = await shell("ulimit -n \(limit); raclette -e 'print(1)'", in: Folder())
    // The loader needs some for itself.
    #expect(run.status < 128, "\(run)")
    #expect(run.output == "1\n" || !run.errors.isEmpty, "\(run)")
  }

  @Test("a time limit needs no thread that could not be made")
  func time() async {
    let run = await raclette("--time-limit", "0.2s", "-e", "while true do end")
    #expect(run.status == 1)
    #expect(run.errors.contains("the code ran for more than 0.2 s without a pause"))
  }
}
