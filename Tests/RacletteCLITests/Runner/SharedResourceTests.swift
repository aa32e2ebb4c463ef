import Platform
import Testing
import TextFiles

/// What independent runs of one command file use, and the services in its hub.
@Suite("resources of a project", .timeLimit(.minutes(5)))
struct SharedResourceTests {
  /// A command whose executions wait for each other.
  private static let meeting = """
    rac.command{name = "train", params = {{name = "own"}, {name = "other"}}, uses = {gpu = 1},
      run = [[echo $CUDA_VISIBLE_DEVICES > $own; until test -s $other; do sleep 0.01; done]]}
    """

  /// The devices of two runs at once.
  private func devices(
    in folder: Folder, resources: String, _ environments: [[String: String]]
  ) async -> [String] {
    let runs = [["a", "b"], ["b", "a"]].enumerated().map { index, names in
      Launch(
        arguments: ["-q", "--resource", resources, "train"] + names, folder: folder.path,
        environment: environments[index])
    }
    let ends = await onThread { runs.map { Running($0) }.map { $0.finish() } }
    for end in ends { #expect(end.status == 0 && end.errors == "", "\(end)") }
    return ["a", "b"].map { (try? TextFile(folder[$0]).lines.first) ?? "" }
  }

  @Test("are divided among the runs of several terminals")
  func terminals() async {
    let folder = Folder(commands: Self.meeting)
    let devices = await devices(in: folder, resources: "gpu=2", [[:], [:]])
    #expect(devices.sorted() == ["0", "1"])
  }

  @Test("are others if the callers see other devices")
  func otherDevices() async {
    let folder = Folder(commands: Self.meeting)
    let devices = await devices(
      in: folder, resources: "gpu=1",
      [["CUDA_VISIBLE_DEVICES": "4"], ["CUDA_VISIBLE_DEVICES": "5"]])
    #expect(devices == ["4", "5"])
  }

  @Test("that another terminal uses are waited for")
  func waiting() async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", uses = {gpu = 1}, run = "echo begun; until test -e end; do sleep 0.01; done"}
        rac.command{name = "eval", uses = {gpu = 1}, run = "echo evaluated"}
        """)
    let (train, eval) = await onThread {
      let train = Running(Launch(arguments: ["train"], folder: folder.path))
      train.waitForOutput("begun")
      let eval = Running(Launch(arguments: ["eval"], folder: folder.path))
      eval.waitForErrors("has gpu = 1\n")
      folder.write("", to: "end")
      return ((train.pid, train.finish()), eval.finish())
    }
    #expect(train.1.status == 0)
    #expect(eval.output == "evaluated\n" && eval.status == 0)
    #expect(
      eval.errors
        == "raclette: 'eval' waits for gpu = 1: 'train' (process \(train.0)) has gpu = 1\n",
      "\(eval)")
  }

  @Test("that another terminal uses are shown")
  func shown() async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", uses = {gpu = 1}, run = "echo begun; until test -e end; do sleep 0.01; done"}
        rac.command{name = "eval", uses = {gpu = 1}, run = "echo evaluated"}
        """)
    let (outputs, pid) = await onThread {
      let train = Running(Launch(arguments: ["train"], folder: folder.path))
      train.waitForOutput("begun")
      let calls = ["list", "show eval", "-n eval", "list --json", "-n --json eval"]
      let outputs = calls.map { call in
        Running(Launch(arguments: call.split(separator: " ").map(String.init), folder: folder.path))
          .finish().output
      }
      folder.write("", to: "end")
      _ = train.finish()
      return (outputs, train.pid)
    }
    let holder = "'train' (process \(pid)) has gpu = 1"
    #expect(outputs[0] == "  train  (busy: \(holder))\n  eval   (busy: \(holder))\n")
    #expect(outputs[1].contains(/\nBusy: +/.ignoresCase()) && outputs[1].contains(holder + "\n"))
    for output in outputs[2...] { #expect(output.contains(holder), "\(output)") }
    #expect(
      await raclette("list", in: folder).output == "  train\n  eval\n")
  }

  @Test(
    "are not free before what a killed run has left running was ended",
    arguments: ["LINE", "function() rac.sh(LINE):wait() end"])
  func survivors(work: String) async {
    // The inner shell is none of the runner's own children, which end with it.
    let line = #""sh -c 'echo $$ >inner; exec sleep 1000'; echo over""#
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", uses = {gpu = 1}, run = \(work.replacing("LINE", with: line))}
        rac.command{name = "eval", uses = {gpu = 1},
          run = "cat /proc/$(cat inner)/stat 2>/dev/null; echo evaluated"}
        """)
    let (eval, group) = await onThread {
      let train = Running(Launch(arguments: ["train"], folder: folder.path))
      let inner = { (try? TextFile(folder["inner"]).lines.first).flatMap { pid_t($0) } }
      eventually { inner() != nil }
      let group = inner().map { getpgid($0) } ?? 0
      // By then it has recorded what it has started.
      train.waitUntilItIsIdle()
      train.get(signal: SIGKILL)
      _ = train.finish()
      return (Running(Launch(arguments: ["eval"], folder: folder.path)).finish(), group)
    }
    #expect(eval.status == 0 && eval.output.hasSuffix("evaluated\n"), "\(eval)")
    // Nobody may have taken its status.
    let state = eval.output.split(separator: "\n").first ?? ""
    #expect(state == "evaluated" || state.contains(") Z "), "\(eval)")
    // It may have waited for a second.
    #expect(
      eval.errorLines.filter { !$0.hasPrefix("raclette: 'eval' waits for gpu = 1: 'train'") } == [
        "raclette: 'train': ended processes that a killed execution had left running: process "
          + "group \(group)"
      ], "\(eval)")
  }

  @Test("count for a nested run of another command file with those of that file")
  func otherFile() async {
    let folder = Folder([
      "a/commands.lua": """
      rac.defaults{resources = {license = 1}}
      rac.command{name = "call", run = [["$RACLETTE_UNDER_TEST" -f ../b/commands.lua train]]}
      """,
      "b/commands.lua": """
      rac.defaults{resources = {gpu = 1}}
      rac.command{name = "train", uses = {gpu = 1}, run = "echo begun; until test -e end; do sleep 0.01; done"}
      """,
    ])
    let (train, call) = await onThread {
      let train = Running(Launch(arguments: ["train"], folder: folder["b"]))
      train.waitForOutput("begun")
      let call = Running(
        Launch(
          arguments: ["-q", "call"], folder: folder["a"],
          environment: ["RACLETTE_UNDER_TEST": Program.path]))
      call.waitForErrors(
        "'train' waits for gpu = 1: 'train' (process \(train.pid)) has gpu = 1\n")
      folder.write("", to: "b/end")
      return (train.finish(), call.finish())
    }
    #expect(train.status == 0, "\(train)")
    #expect(call.status == 0 && call.output == "begun\n", "\(call)")
  }

  private static let services = #"""
    rac.defaults{resources = {gpu = 2, memory = "4G"}}
    local function service(name, uses, needs)
      rac.command{name = name, service = true, uses = uses, needs = needs, ready = {line = "up"},
        run = "echo $CUDA_VISIBLE_DEVICES > " .. name .. "; echo up on $CUDA_VISIBLE_DEVICES; exec sleep 600"}
    end
    service("model", {gpu = 1})
    service("store", {memory = "3G"})
    service("index", {memory = "2G"}, "store")
    rac.command{name = "test", uses = {gpu = 1}, needs = "model",
      run = "echo $(cat model) $CUDA_VISIBLE_DEVICES"}
    rac.command{name = "bench", uses = {gpu = 2}, needs = "model", run = "echo never"}
    rac.command{name = "query", needs = "index", run = "echo never"}
    rac.command{name = "inner", needs = "model", run = "echo never"}
    rac.command{name = "outer", uses = {gpu = 2}, run = function()
      return rac.commands.inner:execute()
    end}
    """#

  @Test("are not those of a service that an execution needs")
  func beside() async {
    let folder = HubFolder(commands: Self.services)
    let test = await folder.call("-q", "test")
    #expect(test.output == "0 1\n" && test.status == 0, "\(test)")
  }

  @Test(
    "that an execution had are there for a service once it has ended, also for what it has left")
  func leftBehind() async {
    let folder = HubFolder(
      commands: Self.services + #"""

        rac.command{name = "left", needs = "model", run = "echo executed"}
        rac.command{name = "bg", uses = {gpu = 2}, run = [[
          setsid sh -c 'while [ ! -e go ]; do sleep 0.01; done
            \#(Program.path) -q left >out 2>&1; touch done' >/dev/null 2>&1 &
        ]]}
        """#)
    #expect(await folder.call("-q", "bg").status == 0)
    await onThread {
      folder.folder.write("", to: "go")
      eventually { Folder.isThere(folder.folder["done"]) }
    }
    let output = fileContent(folder.folder["out"]).map { String(decoding: $0, as: UTF8.self) }
    #expect(output == "executed\n")
  }

  @Test("that services leave too little of are an error before anything starts")
  func tooLittle() async {
    let folder = HubFolder(commands: Self.services)
    let problem =
      "needs services that do not leave it enough: 'bench' uses gpu = 2, 'model' uses gpu = 1, but there "
      + "is only gpu = 2"
    let bench = await folder.call("bench")
    #expect(bench.errors == "raclette: error: commands.lua:11: 'bench' \(problem)\n", "\(bench)")
    #expect(bench.status == 2)
    let query = await folder.call("query")
    #expect(
      query.errors == """
        raclette: error: commands.lua:12: 'query' needs services that cannot have what they use at \
        once: 'index' uses memory = 2G, 'store' uses memory = 3G, but there is only memory = 4G

        """, "\(query)")
    let check = await folder.call("check")
    #expect(check.status == 0)
    #expect(
      check.errors.contains("raclette: commands.lua:11: 'bench': \(problem)\n"), "\(check)")
    #expect(await folder.call("ps").lines == [], "nothing was started")
  }

  @Test("that an execution has are not waited for by a service inside it")
  func inside() async {
    let folder = HubFolder(commands: Self.services)
    let outer = await folder.call("outer")
    #expect(
      outer.errors == """
        raclette: error: outer: model: 'model' failed: 'outer' does not leave enough for its service: 'outer' \
        uses gpu = 2, 'model' uses gpu = 1, but there is only gpu = 2

        """, "\(outer)")
    #expect(outer.status == 1)
  }

  @Test(
    "that an execution has are not waited for by a service that a process inside it needs",
    arguments: ["inner", "model"])
  func insideProcess(words: String) async {
    let folder = HubFolder(
      commands: Self.services + #"""

        rac.command{name = "part", uses = {gpu = 1}, run = [[\#(Program.path) -q \#(words)]]}
        rac.command{name = "process", uses = {gpu = 2}, run = [[\#(Program.path) -q part]]}
        """#)
    let process = await folder.call("-q", "process")
    #expect(
      process.errors.contains(
        "'process' does not leave enough for its service: 'process' uses gpu = 2, 'model' uses gpu = 1, but "
          + "there is only gpu = 2\n"), "\(process)")
    #expect(process.status == 1)
    #expect(await folder.call("ps").lines == [], "nothing was started")
  }
}
