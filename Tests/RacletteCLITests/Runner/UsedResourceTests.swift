import Platform
import Testing

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
    rac.command{name = "nested", uses = {gpu = 1}, run = "\"$RACLETTE_UNDER_TEST\" device"}
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
    #expect(check.status == 1)
    #expect(
      (check.output + check.errors).contains(
        "commands.lua:13: 'licensed': uses license = 1, but nothing offers 'license'"), "\(check)")
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
