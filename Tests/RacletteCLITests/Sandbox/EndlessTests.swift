import Platform
import Testing
import TextFiles

/// Loops in which no function runs for long, but all of them together never end.
@Suite("what never ends is ended", .timeLimit(.minutes(5))) struct EndlessTests {
  private static let immediate =
    "local function f() rac.scheduler.immediate:schedule(f) end f()"

  /// Code that runs while virtual time is advanced.
  private static func virtual(_ code: String) -> String {
    "local clock = rac.test_scheduler() \(code) clock:advance(2) return 'done'"
  }

  @Test("a file whose loading never ends does not load", arguments: ["check", "list"])
  func loading(_ word: String) async {
    let folder = Folder(
      commands: "rac.command{name = 'a', run = function() end}\n\(Self.immediate)")
    let run = await raclette(word, "--time-limit", "1s", in: folder)
    #expect(run.status == 3, "\(run)")
    #expect((run.output + run.errors).contains("the code ran for more than 1.0 s without a pause"))
    #expect(!run.errors.contains("no problems"))
  }

  @Test(
    "a loop without a place in the code names the file that loads",
    arguments: [
      (
        """
        local c = rac.test_scheduler()
        local function f() rac.scheduler.main:after(0, f) end f() c:advance(1)
        """, "more than 100000 timers ran at one moment; does one restart itself?", "5m"
      ),
      (
        """
        local c = rac.test_scheduler() rac.interval(1e-9):subscribe(function() end) c:advance(10)
        """, "the signals ran for more than 1 s without a pause", "1s"
      ),
      (
        "rac.just(1):repeated():subscribe(function() end)",
        "the signals ran for more than 1 s without a pause", "1s"
      ),
      (
        "local function f() rac.scheduler.main:schedule(f) end f() rac.never():wait()",
        "functions that schedule each other ran for more than 1 s without a pause", "1s"
      ),
    ])
  func loadingSignals(code: String, message: String, limit: String) async {
    let run = await raclette("check", "--time-limit", limit, in: Folder(commands: code))
    #expect(run.status == 3, "\(run)")
    let lines = (run.output + run.errors).split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix("commands.lua: \(message)") }, "\(run)")
  }

  @Test(
    "the time limit holds for functions that schedule each other",
    arguments: [
      (
        EndlessTests.immediate, "(command line):1: the code ran for more than 1.0 s without a pause"
      ),
      (
        "local function f() rac.scheduler.main:schedule(f) end f()",
        "functions that schedule each other ran for more than 1 s without a pause"
      ),
      (
        "local function f() rac.scheduler.main:after(0, f) end f()",
        "functions that schedule each other ran for more than 1 s without a pause"
      ),
      (
        """
        local c = rac.test_scheduler() rac.interval(1e-9):subscribe(function() end) c:advance(1)
        """, "the signals ran for more than 1 s without a pause"
      ),
    ])
  func timeLimit(_ code: String, _ message: String) async {
    let run = await raclette("exec", "--time-limit", "1s", "-e", code)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains(message), "\(run)")
  }

  @Test("a timer that starts itself at one moment of virtual time is an error") func oneMoment()
    async
  {
    let run = await raclette(
      "exec", "-e",
      """
      local c = rac.test_scheduler()
      local function f() rac.scheduler.main:after(0, f) end f() c:advance(1)
      """)
    #expect(
      run.errors.contains("more than 100000 timers ran at one moment; does one restart itself?"),
      "\(run)")
    #expect(run.status == 1)
  }

  @Test(
    "what the timeout of an entry ends has failed, whatever the script catches, and is executed again",
    arguments: [
      "return rac.defer(function() while true do end end):catch_to(rac.just('done'))",
      "return rac.defer(function() while true do end end):catch(function() return rac.just('done') end)",
      """
      return rac.just(1):map(function() while true do end end)
        :catch(function() return rac.just('done') end)
      """,
      "rac.just(1):subscribe(function() while true do end end) return 'done'",
      """
      rac.timer(0):subscribe(function() while true do end end)
      return rac.timer(0.01)
      """,
      "return rac.defer(function() while true do end end):materialize():map(function() return 1 end)",
      EndlessTests.immediate,
      "local function f() rac.scheduler.main:schedule(f) end f() return rac.never()",
      EndlessTests.virtual("rac.scheduler.main:after(1, function() while true do end end)"),
      EndlessTests.virtual("rac.scheduler.main:schedule(function() while true do end end)"),
      EndlessTests.virtual("rac.timer(1):subscribe(function() while true do end end)"),
      EndlessTests.virtual(
        "rac.timer(1):subscribe(function() rac.just(1):repeated():subscribe() end)"),
      """
      rac.test_scheduler():dispose()
      rac.scheduler.main:after(0.01, function() while true do end end)
      return rac.timer(0.05)
      """,
    ])
  func timeout(_ body: String) async {
    let place = BatchFolder(
      "rac.command{name = 'c', run = function() \(body) end}", plan: [#"{"command": "c"}"#])
    for words in [[], ["--resume"]] {
      let run = await place.batch(
        ["plan.jsonl", "--timeout", "300ms", "--journal", "j.db"] + words)
      #expect(run.status == 1, "\(run)")
      #expect(run.errors.contains("c: the execution took longer than"), "\(run)")
      #expect(run.errors.contains("1 failed"), "\(run)")
    }
    let history = await raclette("history", "--journal", "j.db", "--json", in: place.folder)
    #expect(history.output.contains(#""state":"failed""#), "\(history)")
    #expect(!history.output.contains(#""state":"completed""#), "\(history)")
    #expect(history.output.contains(#""kind":"timeout""#), "\(history)")
  }

  @Test("a late completion names the limit that it has passed")
  func limitAround() async {
    let folder = Folder(
      commands: """
        local inner = rac.command{name = "inner", timeout = "1h", run = function()
          return rac.defer(function() while true do end end):catch_to(rac.just("done"))
        end}
        rac.command{name = "outer", timeout = 0.2, run = function() return inner:execute() end}
        """)
    let run = await raclette("outer", in: folder)
    #expect(run.output.isEmpty)
    #expect(!run.errors.contains("1 h"), "\(run)")
    #expect(run.status == 124)
  }

  @Test("a function that is scheduled for later runs after the timeout of what scheduled it")
  func scheduled() async {
    let folder = Folder()
    let run = await raclette(
      "exec", "-e",
      """
      local done = rac.subject()
      rac.command{timeout = 2, run = function()
        rac.scheduler.main:after(2.3, function() done:send_next("late") end)
        return "ok"
      end}:execute():wait()
      print(done:first())
      """, in: folder)
    #expect(run.output == "late\n" && run.status == 0, "\(run)")
  }

  @Test("an execution's timeout is caught outside of it")
  func caught() async {
    let folder = Folder(
      commands: """
        local slow = rac.command{name = "slow", timeout = 0.1, run = function() while true do end end}
        rac.command{name = "c", run = function()
          return slow:execute():catch(function(e) return rac.just(e.kind) end)
        end}
        """)
    let run = await raclette("c", in: folder)
    #expect(run.output == "timeout\n" && run.status == 0, "\(run)")
  }
}
