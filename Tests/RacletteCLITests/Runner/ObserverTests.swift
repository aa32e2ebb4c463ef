import Platform
import Testing

/// What happens to a command reaches its observers before the program ends, and what they start is
/// awaited.
@Suite("observers of commands", .timeLimit(.minutes(5)))
struct ObserverTests {
  /// A file whose command fails, with an observer of one of its signals.
  private static func failing(_ observer: String) -> Folder {
    Folder(
      commands: """
        local c = rac.command{name = "c", run = function() rac.sleep(0.01) error("broken", 0) end}
        rac.command{name = "notify", run = function(input) return rac.sh("sleep 0.1; echo told " .. input.text .. " >> log") end}
        local function note(line) local file = io.open("log", "a") file:write(line, "\\n") file:close() end
        \(observer)
        """)
  }

  private static let observers: [(name: String, code: String, log: String)] = [
    ("a function", "c.errors:subscribe(function(e) note(tostring(e)) end)", "broken\n"),
    (
      "the last executing", "c.executing:subscribe(function(on) note(tostring(on)) end)",
      "false\ntrue\nfalse\n"
    ),
    (
      "a process",
      "c.errors:subscribe(function(e) rac.sh('sleep 0.2; echo ' .. tostring(e) .. ' >> log'):subscribe() end)",
      "broken\n"
    ),
    (
      "a process by an operator",
      "c.errors:flat_map(function(e) return rac.sh('sleep 0.2; echo ' .. tostring(e) .. ' >> log') end):subscribe()",
      "broken\n"
    ),
    (
      "an execution",
      "c.errors:subscribe(function(e) rac.commands.notify:execute{text = tostring(e)} end)",
      "told broken\n"
    ),
    (
      "a coroutine",
      "c.errors:subscribe(function(e) rac.async(function() rac.sleep(0.1) rac.sh('sleep 0.1; echo x >> log'):wait() note('end') end):subscribe() end)",
      "x\nend\n"
    ),
    ("a timer", "c.errors:delay(0.2):subscribe(function(e) note(tostring(e)) end)", "broken\n"),
    (
      "one after the other",
      "c.errors:subscribe(function() rac.sh('sleep 0.1'):subscribe(nil, nil, function() rac.timer(0.1):subscribe(function() rac.sh('sleep 0.1; echo third >> log'):subscribe() end) end) end)",
      "third\n"
    ),
    (
      "the executions",
      "c.execution_signals:subscribe(function(e) e:subscribe(nil, function() rac.sh('sleep 0.1; echo end >> log'):subscribe() end, function() rac.sh('sleep 0.1; echo end >> log'):subscribe() end) end)",
      "end\n"
    ),
  ]

  @Test("are told, and awaited by run", arguments: observers.map(\.name))
  func run(name: String) async throws {
    let (_, code, log) = try #require(Self.observers.first { $0.name == name })
    let folder = Self.failing(code)
    let run = await raclette("run", "c", in: folder)
    #expect(text(of: "log", in: folder) == log)
    #expect(run.status == 1)
    // On a busy machine it says after a second that it waits.
    #expect(
      run.errorLines.filter { !$0.contains("waiting for what observers of commands have started") }
        == ["raclette: error: c: broken"])
  }

  @Test("are awaited by batch, exec and a session in a pipe too")
  func others() async {
    let observer =
      "c.errors:subscribe(function(e) rac.sh('sleep 0.2; echo ' .. tostring(e) .. ' >> log'):subscribe() end)"
    let batch = Self.failing(observer)
    batch.write("{\"command\": \"c\"}\n", to: "plan.jsonl")
    #expect(await raclette("batch", "plan.jsonl", in: batch).status == 1)
    #expect(text(of: "log", in: batch) == "broken\n")
    let exec = Self.failing("\(observer) c:execute():catch_to(rac.empty()):wait()")
    #expect(await raclette("exec", "commands.lua", in: exec).status == 0)
    #expect(text(of: "log", in: exec) == "broken\n")
    let repl = Self.failing(observer)
    #expect(await raclette("repl", in: repl, input: ":run c\n").status == 1)
    #expect(text(of: "log", in: repl) == "broken\n")
  }

  @Test("a script of a batch that only observes has ended")
  func script() async {
    let folder = Folder([
      "s.lua": """
      local c = rac.command{name = "c", run = function() return 1 end}
      c.executing:subscribe(function(on) print(on) end)
      c:execute():wait()
      """
    ])
    let run = await raclette("batch", "s.lua", in: folder)
    #expect(run.lines == ["false", "true", "false"])
    #expect(run.status == 0, "\(run)")
  }

  @Test("one that fails is told and fails the run")
  func failure() async {
    let folder = Folder(
      commands: """
        local c = rac.command{name = "c", run = function() return "done" end}
        c.executing:subscribe(function(on)
          if not on and was then error("cannot notify", 0) end
          was = on
        end)
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(run.output == "done\n")
    #expect(run.errors == "raclette: error: cannot notify\n")
    #expect(run.status == 1)
  }

  @Test("nothing else is awaited: neither what the file started nor what the command has let go")
  func others_are_not() async {
    let folder = Folder(
      commands: """
        rac.interval(0.01):subscribe(function() end)
        local c = rac.command{name = "c", run = function()
          local beside <close> = rac.sh("sleep 1000"):subscribe()
          return 1
        end}
        local server = rac.command{name = "server", run = function() return rac.sh("sleep 1000") end}
        rac.command{name = "both", run = function()
          local beside <close> = server:execute():subscribe()
          return c:execute()
        end}
        c.errors:subscribe(print)
        server.executing:subscribe(function(on) print("server", on) end)
        """)
    let run = await raclette("run", "both", in: folder)
    // The server is cancelled with the run, and its observers are told so.
    #expect(run.lines == ["server\tfalse", "server\ttrue", "1", "server\tfalse"])
    #expect(run.status == 0, "\(run)")
  }

  @Test("the wait is told of, and ends with Ctrl-C")
  func interrupt() async {
    let folder = Self.failing("c.errors:subscribe(function() rac.sh('sleep 1000'):subscribe() end)")
    let outcome = await onThread {
      let running = Running(Launch(arguments: ["run", "c"], folder: folder.path))
      running.waitForErrors("waiting for what observers of commands have started")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(outcome.status == 130, "\(outcome)")
  }
}

/// The text of a file, which must be there.
func text(of name: String, in folder: Folder) -> String {
  guard let content = fileContent(folder[name]) else {
    Issue.record("cannot read '\(name)': \(systemErrorText(errno))")
    return ""
  }
  return String(decoding: content, as: UTF8.self)
}
