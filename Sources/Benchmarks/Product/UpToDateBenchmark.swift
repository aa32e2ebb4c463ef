import Platform

/// Work that is left out against tools that people know: ninja and go-task with nothing to do, the
/// digest of a large file, and the cost beside a list. go-task is not in Debian 12; PyPI has it as
/// `go-task-bin`.
func upToDateBenchmark() {
  let folder = "/tmp/raclette-benchmark-uptodate-\(getpid())"
  mkdir(folder, 0o755)
  defer { runProcess(["rm", "-rf", folder]) }
  nothingToDo(folder)
  fewSources(folder)
  digests(folder)
}

private let sourceCount = 10_000

/// A tool that is measured with nothing to do.
private struct Peer {
  let name: String
  /// The package that has it.
  let package: String
  /// Its file for the same work.
  let file: (path: String, text: String)
  /// What brings its work up to date, and then finds nothing to do.
  let first: [String]
  let again: [String]
  let bound: String
}

/// One command, one task, or one edge of ninja's graph, with many sources.
private func nothingToDo(_ folder: String) {
  let many = "\(folder)/many"
  mkdir(many, 0o755)
  for index in 0..<sourceCount {
    if index % 100 == 0 { mkdir("\(many)/d\(index / 100)", 0o755) }
    write("int v\(index);\n", to: "\(many)/d\(index / 100)/f\(index).c")
  }
  write(
    """
    rac.command{name = "touch", sources = {"**/*.c"}, outputs = {"made"},
      run = function() return rac.exec{"touch", "made"} end}
    """, to: "\(many)/commands.lua")
  let ours = [raclettePath(), "-C", many, "run", "-q", "touch"]
  runProcess(ours)
  // Files that are too young to trust are read again once.
  sleep(3)
  runProcess(ours)
  let inputs = (0..<sourceCount).map { "d\($0 / 100)/f\($0).c" }.joined(separator: " ")
  let ninja = Peer(
    name: "ninja", package: "Debian: ninja-build",
    file: (
      "build.ninja", "rule touch\n  command = touch $out\nbuild out: touch \(inputs)\n"
    ), first: ["ninja", "-C", many], again: ["ninja", "-C", many, "-n"], bound: "2")
  let task = Peer(
    name: "task", package: "PyPI: go-task-bin",
    file: (
      "Taskfile.yml",
      """
      version: '3'
      tasks:
        touch:
          method: checksum
          sources: ['**/*.c']
          generates: ['there']
          cmds: ['touch there']

      """
    ), first: ["task", "-d", many, "touch"], again: ["task", "-d", many, "touch"], bound: "0.5")
  for peer in [ninja, task] {
    guard system("command -v \(peer.name) >/dev/null 2>&1") == 0 else {
      print("nothing to do: skipped, as there is no \(peer.name) (\(peer.package))")
      continue
    }
    write(peer.file.text, to: "\(many)/\(peer.file.path)")
    runProcess(peer.first)
    let times = alternating(20, { runProcess(ours) }, { runProcess(peer.again) })
    print(
      "nothing to do over \(sourceCount) sources: \(micros(times.one)) µs, \(peer.name) "
        + "\(micros(times.other)) µs, ratio \(twoDigits(times.one / times.other)) "
        + "(at most \(peer.bound))")
  }
}

/// A command with ten sources that is up to date against the list of the same file, and against that of
/// a file without sources, which has nothing to look at.
private func fewSources(_ folder: String) {
  mkdir("\(folder)/few", 0o755)
  for index in 0..<10 { write("int v\(index);\n", to: "\(folder)/few/f\(index).c") }
  write(
    """
    rac.command{name = "build", sources = {"*.c"}, outputs = {"made"},
      run = function() return rac.exec{"touch", "made"} end}
    """, to: "\(folder)/few/commands.lua")
  write(
    "rac.command{name = 'build', run = function() return rac.exec{'touch', 'made'} end}\n",
    to: "\(folder)/few/plain.lua")
  let ours = [raclettePath(), "-C", "\(folder)/few", "run", "-q", "build"]
  runProcess(ours)
  sleep(3)
  runProcess(ours)
  for (name, options) in [("list", []), ("list without sources", ["-f", "plain.lua"])] {
    let list = [raclettePath(), "-C", "\(folder)/few", "list"] + options
    let times = alternating(200, { runProcess(ours) }, { runProcess(list) })
    print(
      "nothing to do over 10 sources: \(micros(times.one)) µs, \(name) \(micros(times.other)) µs, "
        + "ratio \(twoDigits(times.one / times.other)) (list: at most 1.5)")
  }
}

/// A gigabyte that is in memory already.
private func digests(_ folder: String) {
  let file = "\(folder)/gigabyte"
  runProcess(["sh", "-c", "head -c 1000000000 /dev/urandom >'\(file)' && cat '\(file)' >/dev/null"])
  let ours = [raclettePath(), "exec", "-e", "print(rac.digest('\(file)'))"]
  for peer in ["sha256sum", "b3sum"] {
    guard system("command -v \(peer) >/dev/null 2>&1") == 0 else {
      print("the digest of 1 GB against \(peer): skipped, as there is none")
      continue
    }
    let times = alternating(3, { runProcess(ours) }, { runProcess([peer, file]) })
    print(
      "the digest of 1 GB: \(micros(times.one) / 1000) ms, \(peer) \(micros(times.other) / 1000) ms, "
        + "ratio \(twoDigits(times.one / times.other)) (at most 1.3 to sha256sum)")
  }
}

private func micros(_ duration: Duration) -> Int { Int(duration / .microseconds(1)) }
