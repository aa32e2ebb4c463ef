import Platform
import Testing

/// A condition that says nothing, or nothing that is a boolean, never enables its command.
@Suite("conditions", .timeLimit(.minutes(5)))
struct ConditionTests {
  private static func folder(_ condition: String) -> Folder {
    Folder(
      commands: """
        rac.command{name = "c", enabled = \(condition), run = function() return "executed" end}
        """)
  }

  @Test(
    "that does not pause has no more time than one that sends nothing",
    arguments: [
      "function() while true do end end", "rac.just(1):map(function() while true do end end)",
      "rac.range(1, 1e15):ignore_values()",
    ])
  func loop(condition: String) async {
    let folder = Self.folder(condition)
    for words in [["run"], ["run", "-n"], ["list"], ["show"]] {
      let names = words == ["list"] ? [] : ["c"]
      let launch = Launch(
        arguments: words + ["--condition-timeout", "200ms"] + names, folder: folder.path,
        input: .text(""))
      let run = await onThread { Running(launch).finish() }
      let text = run.output + run.errors
      #expect(text.contains(": its condition fails: "), "\(words): \(run)")
      #expect(text.contains("ran for more than 0.2 s without a pause"), "\(words): \(run)")
      #expect(run.status == (words == ["run"] ? 75 : 0), "\(words): \(run)")
    }
  }

  @Test("tells what a process that it asks has said", arguments: [true, false])
  func standardError(isFunction: Bool) async {
    let process = #"rac.exec{"sh", "-c", "echo the why >&2; exit 3", stderr = "capture"}"#
    let condition = isFunction ? "function() return \(process):first() end" : process
    let run = await raclette("run", "c", in: Self.folder(condition))
    #expect(run.errors.contains("its condition fails: 'sh' exited with status 3"), "\(run)")
    #expect(run.errors.contains("the why"), "\(run)")
  }

  @Test(
    "is not enabled, with the reason and status 75",
    arguments: [
      ("rac.empty()", endText),
      ("rac.error('no')", "its condition fails: no"),
      ("rac.just('yes')", "its condition sent a string, not a boolean"),
      ("rac.just(1)", "its condition sent a number, not a boolean"),
      ("rac.just(nil)", "its condition sent nil, not a boolean"),
      ("rac.sh('echo true')", "its condition sent a string, not a boolean"),
      ("rac.sh('exit 3')", "its condition fails: 'exit 3' exited with status 3"),
      (
        "rac.sh('echo at first >&2; echo why >&2; exit 3', {stderr = 'capture'})",
        "its condition fails: 'echo at first >&2; echo why >&2; exit 3' exited with status 3: why"
      ),
      (
        "rac.never()",
        "its condition sent no value, and nothing remains that could make it do so"
      ),
      ("function() end", "its condition is false"),
      ("function() return 'yes' end", "its condition returned a string, not a boolean"),
      ("function() return rac.empty() end", endText),
      (
        "function() return rac.subject():first() end",
        "its condition did not answer, and nothing remains that could make it do so"
      ),
      ("function() rac.sleep(0.01) return false, 'not today' end", "not today"),
      ("function() rac.sleep(0.01) error('no answer', 0) end", "its condition fails: no answer"),
    ])
  func reason(condition: String, reason: String) async {
    let folder = Self.folder(condition)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "raclette: error: the command 'c' is not enabled: \(reason)\n")
    #expect(run.output == "")
    #expect(run.status == 75)
    let list = await raclette("list", in: folder)
    #expect(list.output == "  c  (not enabled: \(reason))\n")
    let plan = await raclette("run", "-n", "c", in: folder)
    if !condition.contains("rac.sh") {
      #expect(plan.output == "  1. c  not enabled: \(reason)\n")
    }
    // There the patience with a command that is not enabled is for the answer too.
    guard !["rac.sh", "sleep", "subject", "never"].contains(where: condition.contains) else {
      return
    }
    folder.write("{\"command\": \"c\"}\n", to: "plan.jsonl")
    let batch = await raclette("batch", "--enabled-timeout", "10ms", "plan.jsonl", in: folder)
    #expect(batch.errors.contains("the command 'c' is not enabled: \(reason)"), "\(batch)")
    #expect(batch.output == "")
  }

  @Test(
    "is waited for, whatever its form",
    arguments: [
      "rac.timer(0.2):map_replace(true)", "rac.sh('sleep 0.2; echo'):map_replace(true)",
      "function() rac.sleep(0.2) return true end",
      "function() return rac.sh('sleep 0.1; echo yes'):first() == 'yes' end",
      "function() return rac.timer(0.1):map_replace(true) end",
    ])
  func wait(condition: String) async {
    let folder = Self.folder(condition)
    let run = await raclette("run", "c", in: folder)
    #expect(run.output == "executed\n" && run.status == 0, "\(run)")
    #expect(await raclette("list", in: folder).output == "  c\n")
    #expect(await raclette("repl", in: folder, input: ":run c\n").output == "executed\n")
    let nested = Folder(
      commands: """
        local c = rac.command{name = "c", enabled = \(condition), run = function() return "executed" end}
        rac.command{name = "outer", run = function() return c:execute() end}
        """)
    #expect(await raclette("run", "outer", in: nested).output == "executed\n")
  }

  @Test("the wait is told of after a second, and has a limit if one is given")
  func limit() async {
    let folder = Self.folder("rac.timer(1000):map_replace(true)")
    let run = await raclette("run", "--condition-timeout", "1500ms", "c", in: folder)
    #expect(
      run.errors == """
        raclette: waiting for the condition of 'c' (commands.lua:1)
        raclette: error: the command 'c' is not enabled: its condition sent no value within 1.5 s

        """)
    #expect(run.status == 75)
    let list = await raclette("list", "--condition-timeout", "10ms", in: folder)
    #expect(list.output == "  c  (not enabled: its condition sent no value within 0.01 s)\n")
    let show = await raclette("show", "--condition-timeout", "10ms", "c", in: folder)
    #expect(show.output.contains("Enabled: no: its condition sent no value within 0.01 s"))
    let plan = await raclette("run", "-n", "--condition-timeout", "10ms", "c", in: folder)
    #expect(plan.output == "  1. c  not enabled: its condition sent no value within 0.01 s\n")
    let function = Self.folder("function() rac.sleep(1000) return true end")
    let asked = await raclette("run", "--condition-timeout", "10ms", "c", in: function)
    #expect(asked.errors.contains("its condition did not answer within 0.01 s"))
    #expect(asked.status == 75)
  }

  @Test("the wait ends with Ctrl-C")
  func interrupt() async {
    let folder = Self.folder("rac.timer(1000):map_replace(true)")
    let outcome = await onThread {
      let running = Running(Launch(arguments: ["run", "c"], folder: folder.path))
      running.waitForErrors("waiting for the condition of 'c'")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(outcome.status == 130 && outcome.output == "", "\(outcome)")
  }

  @Test("a step waits for its condition when its needs are done, and holds up no other")
  func steps() async {
    let folder = Folder(
      commands: """
        local built = rac.subject()
        rac.command{name = "build", run = function() built:send_next(true) return "built" end}
        rac.command{name = "deploy", needs = {"build"}, enabled = built, run = function() return "deployed" end}
        """)
    let run = await raclette("run", "deploy", in: folder)
    #expect(run.lines == ["built", "deployed"] && run.status == 0, "\(run)")
  }

  @Test("run subscribes only the conditions of what it executes")
  func deferred() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function() return "executed" end}
        rac.command{name = "other", enabled = rac.sh("touch asked; echo"):map_replace(true),
          run = function() return "other" end}
        rac.command{name = "caller", run = function() return rac.commands.other:execute() end}
        """)
    #expect(await raclette("run", "c", in: folder).output == "executed\n")
    #expect(!Folder.isThere(folder["asked"]))
    #expect(await raclette("run", "caller", in: folder).output == "other\n")
    #expect(Folder.isThere(folder["asked"]))
  }

  @Test("what a subject has sent while the file was loaded is not lost")
  func subjects() async {
    let folder = Folder(
      commands: """
        local gate = rac.subject()
        rac.command{name = "c", enabled = gate:map(function(on) return on end):start_with(false),
          run = function() return "executed" end}
        rac.command{name = "caller", run = function() return rac.commands.c:execute() end}
        gate:send_next(true)
        """)
    #expect(await raclette("run", "c", in: folder).output == "executed\n")
    #expect(await raclette("run", "caller", in: folder).output == "executed\n")
  }

  @Test("an execution from Lua fails when the answer comes and is no")
  func nested() async {
    let folder = Folder(
      commands: """
        local c = rac.command{name = "c", enabled = function() rac.sleep(0.05) return false end,
          run = function() return "executed" end}
        rac.command{name = "outer", run = function()
          local ok, failure = pcall(function() c:execute():wait() end)
          return failure.kind .. ": " .. failure.message
        end}
        """)
    let run = await raclette("run", "outer", in: folder)
    #expect(run.output == "not_enabled: the command 'c' is not enabled: its condition is false\n")
  }

  @Test("a rejected call beside another names what to write")
  func busy() async {
    let folder = Folder(
      commands: "rac.command{name = 'c', run = function() rac.sleep(0.01) return 'once' end}")
    let run = await raclette("run", "c", ":::", "c", in: folder)
    #expect(
      run.errors == """
        raclette: error: the command 'c' is not enabled: it is executing; in its definition, \
        when_busy = "queue" runs such calls one after the other, concurrency = 2 side by side

        """)
    #expect(run.status == 75)
  }
}

private let endText =
  "its condition ended without a value: a condition sends true or false, as rac.file_exists(PATH) "
  + "does, or is a function that returns one"
