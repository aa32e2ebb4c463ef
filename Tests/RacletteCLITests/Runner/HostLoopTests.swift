import Platform
import Testing

/// Signals that never leave the host: no Lua code runs in which they could be stopped.
@Suite("loops of signals without a pause", .timeLimit(.minutes(5)))
struct HostLoopTests {
  static let endless = [
    "rac.empty():repeated()",
    "rac.error('x'):retry()",
    "rac.range(1, 1e15):ignore_values()",
    "rac.range(1, 1e15):flat_map(rac.just):ignore_values()",
    "rac.from{rac.empty():repeated()}:flatten(1)",
    "rac.range(1, 1e15):map(rac.just):concat():ignore_values()",
    "rac.just(1):repeated():ignore_values()",
  ]

  /// Two commands: one that loops, and one whose clean-up shows that it was run.
  private static func folder(_ body: String, _ options: String = "") -> Folder {
    Folder(
      commands: """
        local mine
        loop = rac.command{name = "loop", \(options) run = function(input, emit) \(body) end}
        rac.command{name = "other", run = function()
          local cleaned <close> = setmetatable({}, {__close = function() print("cleaned") end})
          print("ready")
          rac.sleep(1000)
        end}
        """)
  }

  @Test("the timeout of a command ends them", arguments: endless)
  func commandTimeout(signal: String) async {
    let run = await raclette("run", "loop", in: Self.folder("return \(signal)", "timeout = 0.2,"))
    #expect(run.status == 124, "\(run)")
    #expect(run.errors.contains("loop: the execution took longer than"), "\(run.errors)")
  }

  @Test("--timeout ends them", arguments: endless)
  func timeout(signal: String) async {
    let run = await raclette(
      "run", "--timeout", "200ms", "loop", in: Self.folder("return \(signal)"))
    #expect(run.status == 124, "\(run)")
  }

  @Test("--timeout ends work that schedules itself, past a time limit that cannot end it")
  func immediate() async {
    let folder = Self.folder(
      """
      rac.timer(0.01):deliver_on(rac.scheduler.immediate):subscribe(function()
        local function again() rac.scheduler.immediate:schedule(again) end
        again()
      end)
      return rac.never()
      """)
    let run = await raclette(
      "run", "--time-limit", "100ms", "--timeout", "500ms", "loop", in: folder)
    #expect(run.status == 124, "\(run)")
  }

  @Test("--timeout ends an execution that returns itself")
  func itself() async {
    let folder = Self.folder("emit(1) mine = mine or loop.active_execution_signals[1] return mine")
    let run = await raclette(
      "run", "--timeout", "200ms", "-q", "--output", "quiet", "loop", in: folder)
    #expect(run.status == 124, "\(run.errors)")
  }

  @Test("the operator timeout ends them", arguments: endless)
  func timeoutOperator(signal: String) async {
    let run = await raclette(
      "-e", "print(pcall(function() \(signal):timeout(0.2):wait() end))")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.hasPrefix("false\tthe signal did not end within"), "\(run.output)")
  }

  @Test("--time-limit ends them", arguments: endless)
  func timeLimit(signal: String) async {
    let run = await raclette(
      "run", "--time-limit", "200ms", "loop", in: Self.folder("return \(signal)"))
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("for more than 0.2 s without a pause"), "\(run.errors)")
  }

  @Test(
    "the first signal ends them, and clean-up runs",
    arguments: endless, [SIGINT, SIGTERM])
  func osSignal(signal: String, ending: Int32) async {
    let folder = Self.folder("rac.sleep(0.05) io.open('looping', 'w'):close() return \(signal)")
    let launch = Launch(
      arguments: ["run", "other", ":::", "loop"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      eventually { Folder.isThere(folder["looping"]) }
      running.get(signal: ending)
      return running.finish()
    }
    #expect(run.status == 128 + ending, "\(run)")
    #expect(run.lines.contains("cleaned"), "\(run)")
  }

  @Test("the top level of a script is no different", arguments: endless)
  func script(signal: String) async {
    let folder = Folder([
      "loop.lua": "rac.sleep(0.01) io.open('looping', 'w'):close(); (\(signal)):wait()"
    ])
    let launch = Launch(arguments: ["exec", "loop.lua"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      eventually { Folder.isThere(folder["looping"]) }
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.status == 143, "\(run)")
  }

  @Test("--timeout of a batch ends scripts and commands that loop", arguments: endless)
  func batch(signal: String) async {
    let folder = Self.folder("return \(signal)")
    folder.write("(\(signal)):wait()", to: "loop.lua")
    folder.write(
      """
      {"command": "loop"}
      {"script": "loop.lua"}
      {"command": "loop"}
      """, to: "plan.jsonl")
    let run = await raclette("batch", "--timeout", "200ms", "plan.jsonl", in: folder)
    #expect(run.status == 124 || run.status == 1, "\(run)")
    #expect(run.errors.contains("took longer than"), "\(run)")
  }
}
