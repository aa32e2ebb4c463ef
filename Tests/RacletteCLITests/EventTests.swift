import Testing

@Suite("raclette run --json", .timeLimit(.minutes(5)))
struct EventTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "base", run = function(_, emit) print("by hand") emit({x = 1}) end}
      rac.command{
        name = "top", needs = {"base"}, params = {{name = "n", type = "integer", default = 1}},
        run = function(input) return rac.sh("echo out; echo err >&2") end,
      }
      local tries = 0
      rac.command{name = "flaky", retry = {times = 1}, run = function()
        tries = tries + 1
        if tries == 1 then error("first") end
        return "second"
      end}
      rac.command{name = "fails", needs = {"base"}, run = function() return rac.sh("exit 7") end}
      rac.command{name = "slow", run = function(_, emit) emit("ready") rac.sleep(1000) end}
      """)

  @Test("prints an event a line, in order, numbered, and nothing else")
  func order() async {
    let run = await raclette("run", "--json", "top", in: folder)
    let events = run.lines.map(Event.init)
    #expect(events.map(\.number) == Array(1...events.count))
    #expect(
      events.filter { $0.type != "enabled" && $0.type != "stderr" }.map(\.text) == [
        #"run_started "commands":["top"]"#,
        #"execution_started "command":"base","execution":ID,"input":{}"#,
        #"next "command":"base","execution":ID,"value":{"x":1}"#,
        #"completed "command":"base","execution":ID"#,
        #"execution_started "command":"top","execution":ID,"input":{"n":1}"#,
        #"next "command":"top","execution":ID,"value":"out""#,
        #"completed "command":"top","execution":ID"#,
        #"run_finished "completed":2,"failed":0,"cancelled":0,"duration":SECONDS,"exit_code":0"#,
      ])
    #expect(
      events.filter { $0.type == "stderr" }.map(\.text) == [
        #"stderr "command":"top","execution":ID,"value":"err""#
      ])
    #expect(run.errors == "by hand\n")
    #expect(run.status == 0)
  }

  @Test("tells where each step begins, by what it executes, on one line and without secrets")
  func steps() async {
    let folder = Folder(
      commands: """
        rac.command{name = "pack", run = "echo packed"}
        rac.command{name = "all", secrets = {"key"}, params = {{name = "key"}}, steps = {
          "echo one; echo err >&2", {"echo", "two words", "hunter2secret"}, {command = "pack"},
          function() return "three" end, "\\n  # a comment\\n  exit 3", "echo never",
        }}
        """)
    let run = await raclette("run", "--json", "all", "--key", "hunter2secret", in: folder)
    let events = run.lines.map(Event.init).filter { ["step", "next", "stderr"].contains($0.type) }
    #expect(
      events.map(\.text) == [
        #"step "command":"all","execution":ID,"step":1,"steps":6,"name":"echo one; echo err >&2""#,
        #"next "command":"all","execution":ID,"value":"one""#,
        #"stderr "command":"all","execution":ID,"value":"err""#,
        #"step "command":"all","execution":ID,"step":2,"steps":6,"name":"echo 'two words' ***""#,
        #"next "command":"all","execution":ID,"value":"two words ***""#,
        #"step "command":"all","execution":ID,"step":3,"steps":6,"name":"pack""#,
        #"next "command":"all","execution":ID,"value":"packed""#,
        #"step "command":"all","execution":ID,"step":4,"steps":6,"name":"function at commands.lua:4""#,
        #"next "command":"all","execution":ID,"value":"three""#,
        ##"step "command":"all","execution":ID,"step":5,"steps":6,"name":"# a comment …""##,
      ])
    #expect(run.status == 3)
  }

  @Test("has an input of fields as an object, though it looks like the empty list of length n")
  func inputOfFields() async {
    let folder = Folder(
      commands: """
        rac.command{name = "wait", params = {{name = "n", type = "integer", default = 0}},
          run = function(input) return input.n end}
        """)
    for call in [["wait"], ["wait", "0"], ["wait", "--input", #"{"n": 0}"#]] {
      let launch = Launch(arguments: ["run", "--json"] + call, folder: folder.path)
      let run = await onThread { Running(launch).finish() }
      #expect(
        run.lines.map(Event.init).contains {
          $0.text == #"execution_started "command":"wait","execution":ID,"input":{"n":0}"#
        }, "\(run)")
    }
  }

  @Test("tells each further attempt with what the one before failed with")
  func retry() async {
    let run = await raclette("run", "--json", "flaky", in: folder)
    let events = run.lines.map(Event.init).filter { $0.type != "enabled" }
    #expect(
      events.map(\.type) == [
        "run_started", "execution_started", "retry", "next", "completed", "run_finished",
      ])
    #expect(
      events[2].text.hasPrefix(
        #"retry "command":"flaky","execution":ID,"attempt":2,"delay":0.000,"error":{"kind":"user","#
      )
    )
  }

  @Test("tells the error and the exit status")
  func failure() async {
    let run = await raclette("run", "--json", "fails", in: folder)
    let events = run.lines.map(Event.init)
    let error = events.first { $0.type == "error" }
    #expect(error?.text.contains(#""error":{"kind":"exit","#) == true)
    #expect(error?.text.contains(#""code":7"#) == true)
    #expect(events.last?.text.hasSuffix(#""exit_code":7"#) == true)
    #expect(run.errors == "by hand\n")
    #expect(run.status == 7)
  }

  @Test("an interrupted run tells its cancellation and its end")
  func interruption() async {
    let launch = Launch(arguments: ["run", "--json", "slow"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: 15)
      return running.finish()
    }
    let events = run.lines.map(Event.init).filter { $0.type != "enabled" }
    #expect(events.suffix(2).map(\.type) == ["cancelled", "run_finished"])
    #expect(
      events.last?.text.hasSuffix(#""cancelled":1,"duration":SECONDS,"exit_code":143"#) == true)
    #expect(run.status == 143)
  }
}

/// A line of `--json`, with what differs from run to run taken out.
private struct Event {
  let number: Int
  let type: String
  let text: String

  init(_ line: String) {
    let pattern = /\{"v":1,"seq":(\d+),"ts":\d+\.\d{6},"type":"(\w+)",?(.*)\}/
    guard let match = line.wholeMatch(of: pattern) else {
      (number, type, text) = (0, "", line)
      return
    }
    number = Int(match.1) ?? 0
    type = String(match.2)
    let rest = String(match.3)
      .replacing(/"execution":\d+/, with: #""execution":ID"#)
      .replacing(/"duration":\d+\.\d{3}/, with: #""duration":SECONDS"#)
    text = "\(type) \(rest)"
  }
}
