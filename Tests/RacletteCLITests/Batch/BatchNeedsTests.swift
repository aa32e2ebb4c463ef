import Testing

/// What entries of a batch need, where entries, their work and each other's failures meet.
@Suite struct BatchNeedsTests {
  @Test func aNeedThatFailedInsideAnEntryMayBeExecutedForALaterOne() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local tries = 0
      rac.command {name = "fetch", run = function()
        tries = tries + 1
        if tries == 1 then error("no network") end
      end}
      rac.command {name = "report", needs = "fetch", run = function() end}
      rac.command {name = "probe", run = function()
        pcall(function() rac.commands.report:execute():wait() end)
        return "probed"
      end}
      rac.command {name = "later", needs = "fetch", run = function() return "later" end}
      """,
      plan: [#"{"command": "probe"}"#, #"{"command": "later"}"#])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.lines == ["probed", "later"] && outcome.status == 0, "\(outcome)")
  }

  @Test func thePreconditionOfACompletedNeedIsNotAskedAgain() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local done = false
      rac.command {name = "install", precondition = function() return not done end,
        run = function() done = true return "install" end}
      rac.command {name = "use", needs = function() return {"install"} end,
        run = function() return "use" end}
      """,
      plan: Array(repeating: #"{"command": "use"}"#, count: 3))
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.lines == ["install", "use", "use", "use"] && outcome.status == 0, "\(outcome)")
  }

  @Test func allWhoNeedWhatCannotEndAreToldTheSame() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "stuck", run = function() return rac.never() end}
      rac.command {name = "first", needs = "stuck", run = function() end}
      rac.command {name = "second", needs = "stuck", run = function() end}
      """,
      plan: [#"{"command": "first"}"#, #"{"command": "second"}"#])
    let outcome = await place.batch("plan.jsonl", "-j2")
    for name in ["first", "second"] {
      #expect(
        outcome.errors.contains(
          "\(name): 'stuck' failed: waits for something that nothing can send"), "\(outcome)")
    }
    #expect(outcome.status == 1)
  }

  private static let service = """
    rac.command {name = "db", service = true, ready = {line = "up"},
      run = "sleep 600 & trap 'echo db ends >>log; rm up; exit' TERM; touch up; echo up; wait"}

    """

  @Test func aServiceOutlivesTheWorkOfAnEntryThatIsCancelled() async {
    let place = BatchFolder(
      Self.service + """
        rac.command {name = "user", needs = "db",
          run = "sleep 600 & trap 'sleep 0.2; echo user ends >>log; exit' TERM; touch used; wait"}
        rac.command {name = "fails", run = "while [ ! -e used ]; do sleep 0.01; done; exit 1"}
        """,
      plan: [#"{"command": "user"}"#, #"{"command": "fails"}"#])
    let outcome = await place.batch("plan.jsonl", "-j2", "--fail-fast")
    #expect(outcome.status == 1)
    #expect(place.lines("log") == ["user ends", "db ends"], "\(outcome)")
  }

  @Test(arguments: [
    "needs = function() return {'db'} end",
    "needs = 'db', precondition = function() return true end",
  ])
  func aServiceOfOneEntryEndsWithTheEntry(_ needs: String) async {
    let place = BatchFolder(
      Self.service + """
        rac.command {name = "uses", \(needs), run = "touch used; echo used"}
        rac.command {name = "waits", timeout = 30,
          run = "while [ ! -e used ] || [ -e up ]; do sleep 0.01; done; echo gone"}
        """,
      plan: [#"{"command": "uses"}"#, #"{"command": "waits"}"#])
    let outcome = await place.batch("plan.jsonl", "-j2")
    #expect(outcome.lines == ["used", "gone"], "\(outcome)")
    #expect(outcome.status == 0)
  }

  @Test func aPreconditionThatIsAnsweredAfterTheEndOfTheBatchStartsNoService() async {
    let place = BatchFolder(
      Self.service + """
        rac.command {name = "late", needs = "db", run = "true", precondition = function()
          return rac.sh("touch asked; while [ ! -e ended ]; do sleep 0.01; done; touch answered")
            :and_then(rac.just(true)):first()
        end}
        rac.command {name = "runs", run = [[
          sleep 600 & trap 'touch ended; while [ ! -e answered ]; do sleep 0.01; done; sleep 0.2; exit' TERM
          touch running; wait
        ]]}
        rac.command {name = "fails", run =
          "while [ ! -e asked ] || [ ! -e running ]; do sleep 0.01; done; exit 1"}
        """,
      plan: ["late", "runs", "fails"].map { #"{"command": "\#($0)"}"# })
    let outcome = await place.batch("plan.jsonl", "-j3", "--fail-fast")
    #expect(outcome.status == 1)
    #expect(place.lines("log") == [], "\(outcome)")
    #expect(!outcome.errors.contains("db"), "\(outcome)")
  }

  @Test func aCommandMayNeedItselfWithAnotherInput() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "step", params = {{name = "n", type = "integer"}},
        needs = function(input)
          return input.n > 0 and {{"step", n = input.n - 1}} or {}
        end,
        run = function(input) return input.n end}
      """,
      plan: [#"{"command": "step", "input": {"n": 2}}"#])
    let outcome = await place.batch("plan.jsonl")
    #expect(outcome.lines == ["0", "1", "2"] && outcome.status == 0, "\(outcome)")
  }

  @Test func aBatchWaitsForANeedThatTheWorkOfAnEntryHasStarted() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      local open = rac.subject()
      rac.command {name = "compile", run = function()
        return open:take(1):map(function() print("compile") end)
      end}
      rac.command {name = "link", needs = "compile", run = function() return "link" end}
      rac.command {name = "begin", run = function()
        rac.commands.link:execute():subscribe(function() end)
      end}
      rac.command {name = "pack", needs = {"compile", "broken"}, run = function() end}
      rac.command {name = "broken", run = function()
        rac.timer(0.01):subscribe(function() open:send_next(true) end)
        error("broken")
      end}
      """,
      plan: [#"{"command": "begin"}"#, #"{"command": "pack"}"#])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.lines.contains("compile") && outcome.status == 1, "\(outcome)")
  }

  @Test(arguments: ["-j1", "-j4"])
  func whatAnEntryExecutesIsNotExecutedAgainAsANeed(jobs: String) async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "fetch", params = {{name = "from", default = "here"}}, aliases = {"f"},
        run = "echo fetch $from"}
      rac.command {name = "build", needs = {"f"}, run = "echo build"}
      rac.command {name = "other", needs = function() return {{"fetch", from = "there"}} end,
        run = "echo other"}
      rac.command {name = "tries", run = "echo >>tries; [ $(wc -l <tries) = 2 ]"}
      rac.command {name = "more", needs = "tries", run = "echo more"}
      """,
      plan: [
        #"{"command": "fetch"}"#, #"{"command": "build"}"#, #"{"command": "other"}"#,
        #"{"command": "fetch"}"#,
      ])
    let outcome = await place.batch("plan.jsonl", jobs)
    #expect(
      outcome.lines.sorted()
        == ["build", "fetch here", "fetch here", "fetch there", "other"], "\(outcome)")
    // An entry that has failed does not stand for the need.
    place.folder.write(
      #"{"command": "tries"}"# + "\n" + #"{"command": "more"}"# + "\n", to: "again.jsonl")
    let again = await place.batch("again.jsonl", "-j1")
    #expect(again.lines == ["more"] && again.status == 1, "\(again)")
  }

  @Test func aRefusedNeedIsAskedOnceAndReported() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "login", precondition = function()
        io.stderr:write("asked\\n")
        return false
      end, run = function() end}
      rac.command {name = "pull", needs = "login", run = function() end}
      rac.command {name = "push", needs = "login", run = function() end}
      """,
      plan: [#"{"command": "pull"}"#, #"{"command": "push"}"#])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.errors.components(of: "asked").count == 1, "\(outcome)")
    #expect(outcome.errors.contains("error: the command 'login' is not enabled"), "\(outcome)")
  }
}

extension String {
  fileprivate func components(of word: String) -> [Substring] {
    split(separator: "\n").filter { $0 == word }
  }
}
