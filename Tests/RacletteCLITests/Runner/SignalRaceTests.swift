import Platform
import Testing

/// A signal that arrives just before Lua code that never ends, or inside a finaliser, ends the run like
/// any other.
@Suite("signal races", .timeLimit(.minutes(30)))
struct SignalRaceTests {
  private static let races = getenv("RACLETTE_LONG") == nil ? 4 : 75

  /// Runs a program that says that it is ready, and sends it SIGTERM at moments that differ.
  private func races(_ words: [String], in folder: Folder, within milliseconds: Double) async {
    for race in 0..<Self.races {
      // Spread evenly, whatever the number is.
      let moment = (Double(race) * 0.618_034).truncatingRemainder(dividingBy: 1) * milliseconds
      let launch = Launch(arguments: words, folder: folder.path)
      let run = await onThread {
        let running = Running(launch)
        running.waitForOutput("ready")
        usleep(UInt32(moment * 1_000))
        running.get(signal: SIGTERM)
        return running.finish()
      }
      #expect(run.status == 143, "after \(moment) ms: \(run)")
    }
  }

  @Test("timers")
  func timers() async {
    let script = """
      for i = 1, 40 do
        rac.timer(i / 2000):subscribe(function() local stop = os.clock() + 0.0003 while os.clock() < stop do end end)
      end
      rac.timer(0.02):subscribe(function() while true do end end)
      io.write("ready\\n") io.flush()
      """
    await races(["-e", script], in: Folder(), within: 24)
  }

  @Test("a batch")
  func batch() async {
    let folder = Folder(
      commands: """
        io.write("ready\\n") io.flush()
        rac.command{name = "spin", concurrency = "unlimited", run = function(input)
          rac.sleep(input.after)
          while true do end
        end}
        """)
    let plan = (1...60).map { #"{"command": "spin", "input": {"after": \#(Double($0) / 3000)}}"# }
    folder.write(plan.joined(separator: "\n") + "\n", to: "plan.jsonl")
    await races(["batch", "--jobs", "8", "plan.jsonl"], in: folder, within: 24)
  }

  @Test("finalisers that never end")
  func finalisers() async {
    let script = """
      io.write("ready\\n") io.flush()
      while true do setmetatable({}, {__gc = function() while true do end end}) end
      """
    await races(["-e", script], in: Folder(), within: 4)
  }

  @Test("a signal right behind the loading of a command file", arguments: ["batch", "run"])
  func loading(verb: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "spin", concurrency = "unlimited", run = function()
          print("begins")
          while true do end
        end}
        -- Of a tail call nothing is left that could be interrupted.
        return io.popen("kill -TERM " .. io.open("/proc/self/stat"):read("n")):close()
        """)
    folder.write(String(repeating: #"{"command": "spin"}"# + "\n", count: 60), to: "plan.jsonl")
    let run = await raclette(verb, verb == "batch" ? "plan.jsonl" : "spin", in: folder)
    #expect(run.status == 143, "\(run)")
    #expect(run.output == "")
  }

  @Test("all clean-up has five seconds altogether")
  func cleanUpOfMany() async {
    let script = """
      for i = 1, 4 do
        rac.async(function()
          local held <close> = setmetatable({}, {__close = function() print(i) while true do end end})
          rac.sleep(1000)
        end):subscribe()
      end
      rac.timer(0.01):subscribe(function() print("ready") end)
      """
    let launch = Launch(arguments: ["-e", script], folder: "/")
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.status == 143)
    #expect(run.output == "ready\n1\n2\n3\n4\n")
    #expect(run.errors.ranges(of: "the code still ran 5.0 s").count == 1, "\(run)")
    #expect(!run.errors.contains("without a pause"))
  }

  @Test("clean-up that never ends is stopped after the first signal already")
  func cleanUp() async {
    let script = """
      local held <close> = setmetatable({}, {__close = function() while true do end end})
      print("ready")
      rac.sleep(1000)
      """
    let launch = Launch(arguments: ["-e", script], folder: "/")
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.waitUntilItIsIdle()
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.status == 143)
    #expect(run.errors.contains("the code still ran 5.0 s after everything was asked to end"))
  }
}
