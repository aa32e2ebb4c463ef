import Platform
import Testing
import TextFiles

@Suite("resources that commands use", .timeLimit(.minutes(5)))
struct UsedResourceTests {
  /// Commands that fail if two executions that use the same run at once.
  private static let commands = #"""
    rac.defaults{resources = {gpu = 2, memory = "12G"}}
    rac.command{name = "train", concurrency = "unlimited", uses = {gpu = 1, memory = "5G"},
      params = {{name = "n", type = "integer", default = 0}},
      run = [[mkdir gpu-$RACLETTE_GPU && rmdir gpu-$RACLETTE_GPU && echo "train $n"]]}
    rac.command{name = "eval", uses = {gpu = 2},
      run = [[mkdir gpu-0 gpu-1 && rmdir gpu-0 gpu-1 && echo "$RACLETTE_GPU $CUDA_VISIBLE_DEVICES"]]}
    rac.command{name = "device", uses = {gpu = 1, memory = "1.5G"},
      run = [[echo "$RACLETTE_GPU $CUDA_VISIBLE_DEVICES $RACLETTE_MEMORY"]]}
    rac.command{name = "both", uses = {gpu = 2},
      run = function() return rac.commands.eval:execute() end}
    rac.command{name = "more", uses = {gpu = 1},
      run = function() return rac.commands.eval:execute() end}
    rac.command{name = "licensed", uses = {license = 1}, run = "echo licensed"}
    rac.command{name = "nested", uses = {gpu = 1, memory = "2G"}, run = "\"$RACLETTE_UNDER_TEST\" device"}
    rac.command{name = "all", needs = {{"train", n = 1}, {"train", n = 2}, {"train", n = 3}, "eval"}}
    """#

  private let folder = Folder(commands: UsedResourceTests.commands)

  @Test("are named to its processes by their indices and bytes")
  func variables() async {
    let run = await raclette("device", in: folder)
    #expect(run.output == "0 0 1610612736\n", "\(run)")
  }

  @Test("are those of the caller's devices")
  func devices() async {
    let run = await raclette("eval", in: folder, environment: ["CUDA_VISIBLE_DEVICES": "3,5"])
    #expect(run.output == "0,1 3,5\n", "\(run)")
  }

  @Test("are free, or waited for, in a run and in a batch")
  func waiting() async {
    let run = await raclette("all", in: folder)
    #expect(
      run.status == 0 && Set(run.lines) == ["train 1", "train 2", "train 3", "0,1 0,1"], "\(run)")
    let plan =
      (1...20).map { #"{"command": "train", "input": {"n": \#($0)}}"# }.joined(separator: "\n")
      + "\n" + #"{"command": "eval"}"# + "\n"
    let batch = await raclette("batch", "-j", "8", "-", in: folder, input: plan)
    #expect(batch.status == 0, "\(batch)")
    #expect(batch.lines.count == 21)
    let together = await raclette(
      "train", "1", ":::", "train", "2", ":::", "eval", ":::", "train", "3", ":::", "device",
      in: folder)
    #expect(together.status == 0 && together.lines.count == 5, "\(together)")
  }

  @Test("can be a part of those of the execution around it, and no more")
  func inner() async {
    let part = await raclette("both", in: folder)
    #expect(part.output == "0,1 0,1\n", "\(part)")
    let more = await raclette("more", in: folder)
    #expect(more.status == 1)
    #expect(
      more.errors == """
        raclette: error: more: eval: 'eval' uses gpu = 2 inside 'more', which uses gpu = 1: it can \
        only use a part of that

        """)
    let nested = await raclette(
      "nested", in: folder,
      environment: ["RACLETTE_UNDER_TEST": Program.path, "CUDA_VISIBLE_DEVICES": "3,5"])
    #expect(nested.output == "0 3 1610612736\n", "\(nested)")
  }

  @Test("are told to the processes of an execution inside that uses none itself")
  func inside() async {
    let folder = Folder(
      commands: #"""
        rac.defaults{resources = {gpu = 2}}
        rac.command{name = "part", run = "echo $RACLETTE_GPU $CUDA_VISIBLE_DEVICES $RACLETTE_USES"}
        rac.command{name = "whole", uses = {gpu = 1}, run = function()
          return rac.commands.part:execute()
        end}
        """#)
    let run = await raclette("whole", in: folder)
    #expect(run.output == #"0 0 {"gpu":1}"# + "\n", "\(run)")
  }

  @Test("of a nested run are those of its caller, whatever its own file offers")
  func nested() async {
    let outer = Folder(
      commands: #"""
        rac.defaults{resources = {gpu = 2}}
        local function sub(name) return [[cd sub && "$RACLETTE_UNDER_TEST" -q ]] .. name end
        rac.command{name = "offers", uses = {gpu = 1}, run = sub("device")}
        rac.command{name = "more", uses = {gpu = 1}, run = sub("sized")}
        """#)
    outer.write(
      #"""
      rac.command{name = "device", uses = {gpu = 1}, run = "echo $RACLETTE_GPU"}
      rac.command{name = "sized", uses = {memory = "9G"}, run = "true"}
      """#, to: "sub/commands.lua")
    let environment = ["RACLETTE_UNDER_TEST": Program.path]
    let offers = await raclette("offers", in: outer, environment: environment)
    #expect(offers.output == "0\n" && offers.status == 0, "\(offers)")
    for defaults in ["", #"rac.defaults{resources = {memory = "12G"}}"# + "\n"] {
      let text = String(decoding: fileContent(outer["sub/commands.lua"]) ?? [], as: UTF8.self)
      outer.write(defaults + text, to: "sub/commands.lua")
      let more = await raclette("-q", "more", in: outer, environment: environment)
      let problem =
        defaults.isEmpty
        ? #"nothing offers 'memory': --resource memory=9G, or rac.defaults{resources = {memory = "9G"}}"#
        : "there is only memory = 0B"
      #expect(
        more.errors.hasPrefix(
          "raclette: error: sized: 'sized' uses memory = 9G, but \(problem); the execution that has "
            + "started this process uses gpu = 1, which is all that its processes may use\n"),
        "\(more)")
      #expect(more.status == 1)
    }
  }

  @Test(
    "are the devices that CUDA_VISIBLE_DEVICES leaves, up to the first that there cannot be",
    arguments: [("", 0), ("-1", 0), ("NoDevFiles", 0), ("4,-1,5", 1), ("4,4", 1), ("4, 6,7", 2)])
  func visible(_ names: String, count: Int) async {
    let run = await raclette(
      "--resource", "gpu=2", "eval", in: folder, environment: ["CUDA_VISIBLE_DEVICES": names])
    if count == 2 {
      #expect(run.output == "0,1 4,6\n", "\(run)")
    } else {
      #expect(
        run.errors == """
          raclette: error: eval: 'eval' uses gpu = 2, but there is only gpu = \(count); \
          CUDA_VISIBLE_DEVICES names \(count) device\(count == 1 ? "" : "s")

          """)
    }
  }

  @Test("are those of the command line for check, too")
  func checked() async {
    let folder = Folder(
      commands: #"rac.command{name = "dump", uses = {license = 2}, run = "true"}"#)
    let missing = await raclette("check", in: folder)
    #expect(
      missing.errors == """
        raclette: commands.lua:1: 'dump': uses license = 2, but nothing offers 'license': --resource \
        license=2, or rac.defaults{resources = {license = 2}}
        raclette: commands.lua: 1 command, 1 note

        """)
    #expect(missing.status == 0)
    let offered = await raclette("check", "--resource", "license=2", in: folder)
    #expect(offered.errors == "raclette: commands.lua: 1 command, no problems\n", "\(offered)")
    #expect(offered.output == "" && offered.status == 0)
  }

  @Test("do not keep a busy command from refusing, joining or replacing executions")
  func policies() async {
    let folder = Folder(
      commands: #"""
        rac.defaults{resources = {gpu = 1}}
        local function command(policy)
          rac.command{name = policy, uses = {gpu = 1}, when_busy = policy,
            params = {{name = "name", default = "x"}},
            run = function(input, emit) emit("start " .. input.name) rac.sleep(1) emit("end " .. input.name) end}
        end
        for _, policy in ipairs{"reject", "restart", "join"} do command(policy) end
        """#)
    let refused = await raclette("-q", "reject", ":::", "reject", in: folder)
    #expect(refused.output == "start x\nend x\n", "\(refused)")
    #expect(refused.status == 75)
    let restarted = await raclette("-q", "restart", "a", ":::", "restart", "b", in: folder)
    #expect(restarted.output.hasSuffix("start b\nend b\n"), "\(restarted)")
    #expect(!restarted.output.contains("end a"), "\(restarted)")
    let joined = await raclette("-q", "join", ":::", "join", in: folder)
    #expect(joined.status == 0, "\(joined)")
    let plan = String(repeating: #"{"command": "join"}"# + "\n", count: 3)
    let batch = await raclette("batch", "-q", "-", in: folder, input: plan)
    #expect(batch.status == 0, "\(batch)")
    for run in [joined, batch] {
      #expect(run.lines == ["start x", "end x"], "\(run)")
    }
    let note = Folder(
      commands: #"""
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "note", uses = {gpu = 1}, when_busy = "join",
          run = "echo executed >>notes; sleep 1"}
        """#)
    _ = await raclette("-q", "note", ":::", "note", in: note)
    #expect(fileContent(note["notes"]) == Array("executed\n".utf8))
  }

  @Test("are not tried again if they can never be had")
  func retried() async {
    let folder = Folder(
      commands: #"""
        rac.defaults{retry = {times = 3, delay = 1000}}
        rac.command{name = "eval", uses = {gpu = 2}, run = "true"}
        """#)
    let run = await raclette("--resource", "gpu=1", "eval", in: folder)
    #expect(
      run.errors
        == "raclette: error: eval: 'eval' uses gpu = 2, but there is only gpu = 1\n", "\(run)")
    #expect(run.status == 1)
    let plan = await raclette("-n", "--resource", "gpu=1", "eval", in: folder)
    #expect(
      plan.lines.first?.hasSuffix("; not enabled: 'eval' uses gpu = 2, but there is only gpu = 1")
        == true, "\(plan)")
  }

  @Test(
    "that included files offer do not change what their includer offers", arguments: [true, false])
  func included(first: Bool) async {
    let lines = [#"rac.include("more", "more.lua")"#, "rac.defaults{resources = {gpu = 2}}"]
    let folder = Folder(
      commands: (first ? lines : lines.reversed()).joined(separator: "\n") + "\n"
        + #"rac.command{name = "all", uses = {gpu = 3}, run = "true"}"#)
    folder.write("rac.defaults{resources = {gpu = 4, license = 1}}\n", to: "more.lua")
    let run = await raclette("all", in: folder)
    #expect(
      run.errors.contains("(field 'uses' has gpu = 3, but there is only gpu = 2)"), "\(run)")
    let licensed = Folder(
      commands: #"""
        rac.include("more", "more.lua")
        rac.command{name = "licensed", uses = {license = 1, gpu = 4}, run = "echo $RACLETTE_GPU"}
        """#)
    licensed.write("rac.defaults{resources = {gpu = 4, license = 1}}\n", to: "more.lua")
    let other = await raclette("licensed", in: licensed)
    #expect(other.output == "0,1,2,3\n", "\(other)")
  }

  @Test("are an error if nothing offers them, or too little")
  func impossible() async {
    let run = await raclette("licensed", in: folder)
    #expect(run.status == 1)
    #expect(
      run.errors == """
        raclette: error: licensed: 'licensed' uses license = 1, but nothing offers 'license': \
        --resource license=1, or rac.defaults{resources = {license = 1}}

        """)
    let offered = await raclette("--resource", "license=1", "licensed", in: folder)
    #expect(offered.output == "licensed\n" && offered.status == 0, "\(offered)")
    let less = await raclette("--resource", "gpu=1", "eval", in: folder)
    #expect(less.status == 1)
    #expect(
      less.errors == """
        raclette: error: eval: 'eval' uses gpu = 2, but there is only gpu = 1

        """)
    let contradiction = Folder(
      commands: #"""
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "eval", uses = {gpu = 2}, run = "true"}
        """#)
    let loaded = await raclette("eval", in: contradiction)
    #expect(loaded.status == 3)
    #expect(
      loaded.errors == """
        raclette: error: commands.lua:2: bad argument #1 to 'command' (field 'uses' has gpu = 2, but \
        there is only gpu = 1)

        """)
    let unclear = await raclette("--resource", "gpu", "device", in: folder)
    #expect(unclear.status == 2)
    #expect(
      unclear.errors == """
        raclette: error: --resource takes NAME=N, such as gpu=2 or memory=12G, not 'gpu'

        """)
    let check = await raclette("check", in: folder)
    #expect(check.status == 0)
    #expect(
      check.errors.contains(
        "commands.lua:13: 'licensed': uses license = 1, but nothing offers 'license'"), "\(check)")
  }

  @Test(
    "are divided among the nested runs of one execution, and of one that uses nothing",
    arguments: ["both", "any"])
  func nestedSideBySide(command: String) async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 2}}
        rac.command{name = "train", params = {{name = "own"}, {name = "other"}}, uses = {gpu = 1},
          run = [[echo $CUDA_VISIBLE_DEVICES > $own; until test -s $other; do sleep 0.01; done]]}
        local run = [["$RACLETTE_UNDER_TEST" train a b & "$RACLETTE_UNDER_TEST" train b a & wait]]
        rac.command{name = "both", uses = {gpu = 2}, run = run}
        rac.command{name = "any", run = run}
        """)
    let launch = Launch(
      arguments: [command], folder: folder.path,
      environment: ["RACLETTE_UNDER_TEST": Program.path])
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0 && run.errors == "", "\(run)")
    let devices = ["a", "b"].map { (try? TextFile(folder[$0]).lines.first) ?? "" }
    #expect(devices.sorted() == ["0", "1"])
  }

  @Test("do not stay with one that waits for the job of a nested run's caller")
  func nestedBesideIdle() async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", uses = {gpu = 1}, run = "echo trained"}
        rac.command{name = "nested", run = [[sleep 0.1; "$RACLETTE_UNDER_TEST" train]]}
        """)
    let launch = Launch(
      arguments: ["-j", "1", "nested", ":::", "train"], folder: folder.path,
      environment: ["RACLETTE_UNDER_TEST": Program.path])
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0 && run.output.contains("trained"), "\(run)")
  }

  @Test("are shown by --dry-run and show")
  func shown() async {
    let plan = await raclette("-n", "train", in: folder)
    #expect(plan.lines.first == "  1. train n=0  concurrency unlimited; uses gpu = 1, memory = 5G")
    let shown = await raclette("show", "--json", "train", in: folder)
    #expect(shown.output.contains(#""uses":{"gpu":1,"memory":"5G"}"#), "\(shown)")
  }

  @Test("the number of its place is at most that of the jobs")
  func slot() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "place", concurrency = "unlimited",
          params = {{name = "n", type = "integer"}},
          run = {"sh", "-c", "mkdir slot-$RACLETTE_SLOT && rmdir slot-$RACLETTE_SLOT && echo $RACLETTE_SLOT"}}
        rac.command{name = "inside", run = function()
          return rac.sh("echo $RACLETTE_SLOT"):map(function(line) return line .. " " .. rac.slot end)
        end}
        """#)
    let plan = (1...30).map { #"{"command": "place", "input": {"n": \#($0)}}"# }
    let batch = await raclette(
      "batch", "-j", "3", "-", in: folder, input: plan.joined(separator: "\n"))
    #expect(batch.status == 0, "\(batch)")
    #expect(batch.lines.count == 30 && Set(batch.lines).isSubset(of: ["1", "2", "3"]), "\(batch)")
    let inside = await raclette("inside", in: folder)
    #expect(inside.output == "1 1\n", "\(inside)")
    let outside = await raclette("-e", "print(rac.slot)", in: folder)
    #expect(outside.output == "nil\n", "\(outside)")
  }
}
