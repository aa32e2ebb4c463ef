import Platform

/// Lists of adopted files beside those of their tools: a justfile and a Taskfile with 50 recipes, when
/// they are listed the first time and afterwards. Tools that are not installed are left out; PyPI has
/// them as `rust-just` and `go-task-bin`.
func adoptionBenchmark() {
  withTemporaryFolder { folder in
    setenv("XDG_CACHE_HOME", "\(folder)/cache", 1)
    justfile(in: folder)
    taskfile(in: folder)
  }
}

private let recipeCount = 50

private func justfile(in folder: String) {
  guard isInstalled("just") else {
    return print("the list of a justfile: skipped, as there is no just (PyPI: rust-just)")
  }
  let (adopted, own) = ("\(folder)/just", "\(folder)/own")
  for place in [adopted, own] { mkdir(place, 0o755) }
  write(
    texts { "# Do what \($0) does\nrecipe\($0) target mode=\"debug\":\n  @echo \($0)\n" },
    to: "\(adopted)/justfile")
  write(
    texts {
      """
      rac.command{name = "recipe\($0)", summary = "Do what \($0) does", run = {"echo", "\($0)"},
        params = {{name = "target", required = true}, {name = "mode", default = "debug"}}}

      """
    }, to: "\(own)/commands.lua")
  let list = [raclettePath(), "-C", adopted, "list", "--adopt"]
  let just = ["just", "--justfile", "\(adopted)/justfile", "--list"]
  let first = alternatingTimes(
    40,
    {
      runProcess(["rm", "-rf", "\(folder)/cache"])
      return elapsed { runProcess(list) }
    }, { elapsed { runProcess(just) } })
  reportRatio("the first list of a justfile", first, "just --list", atMost: "1.3")
  let ownList = [raclettePath(), "-C", own, "list"]
  let again = alternating(100, { runProcess(list) }, { runProcess(ownList) })
  reportRatio("the list of a justfile", again, "the same commands of ours", atMost: "1.5")
}

private func taskfile(in folder: String) {
  guard isInstalled("task") else {
    return print("the list of a Taskfile: skipped, as there is no task (PyPI: go-task-bin)")
  }
  let adopted = "\(folder)/task"
  mkdir(adopted, 0o755)
  write(
    "version: '3'\ntasks:\n"
      + texts { "  task\($0):\n    desc: Do what \($0) does\n    cmds: ['echo \($0)']\n" },
    to: "\(adopted)/Taskfile.yml")
  let list = [raclettePath(), "-C", adopted, "list", "--adopt"]
  runProcess(list)
  let times = alternating(
    40, { runProcess(list) }, { runProcess(["task", "-d", adopted, "--list"]) })
  reportRatio("the list of a Taskfile", times, "task --list", atMost: "0.2")
}

private func texts(_ text: (Int) -> String) -> String {
  (1...recipeCount).map(text).joined()
}
