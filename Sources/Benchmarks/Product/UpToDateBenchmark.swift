import Platform

/// Work that is left out against tools that people know: ninja with nothing to do, the digest of a
/// large file, and the cost beside a list. go-task is not in Debian 12, so that it is not measured.
func upToDateBenchmark() {
  let folder = "/tmp/raclette-benchmark-uptodate-\(getpid())"
  mkdir(folder, 0o755)
  defer { runProcess(["rm", "-rf", folder]) }
  nothingToDo(folder)
  fewSources(folder)
  digests(folder)
}

private let sourceCount = 10_000

/// One command, or one edge of ninja's graph, with many sources.
private func nothingToDo(_ folder: String) {
  guard system("command -v ninja >/dev/null 2>&1") == 0 else {
    return print("nothing to do: skipped, as there is no ninja (Debian: ninja-build)")
  }
  mkdir("\(folder)/many", 0o755)
  for index in 0..<sourceCount {
    if index % 100 == 0 { mkdir("\(folder)/many/d\(index / 100)", 0o755) }
    write("int v\(index);\n", "\(folder)/many/d\(index / 100)/f\(index).c")
  }
  let inputs = (0..<sourceCount).map { "d\($0 / 100)/f\($0).c" }.joined(separator: " ")
  write(
    "rule touch\n  command = touch $out\nbuild out: touch \(inputs)\n", "\(folder)/many/build.ninja"
  )
  write(
    """
    rac.command{name = "touch", sources = {"**/*.c"}, outputs = {"made"},
      run = function() return rac.exec{"touch", "made"} end}
    """, "\(folder)/many/commands.lua")
  let ours = [raclettePath(), "-C", "\(folder)/many", "run", "-q", "touch"]
  let theirs = ["ninja", "-C", "\(folder)/many", "-n"]
  runProcess(["ninja", "-C", "\(folder)/many"])
  runProcess(ours)
  // Files that are too young to trust are read again once.
  sleep(3)
  runProcess(ours)
  let times = alternating(20, { runProcess(ours) }, { runProcess(theirs) })
  print(
    "nothing to do over \(sourceCount) sources: \(micros(times.one)) µs, ninja -n "
      + "\(micros(times.other)) µs, ratio \(twoDigits(times.one / times.other)) (at most 2)")
}

/// A command with ten sources that is up to date against the list of the same file.
private func fewSources(_ folder: String) {
  mkdir("\(folder)/few", 0o755)
  for index in 0..<10 { write("int v\(index);\n", "\(folder)/few/f\(index).c") }
  write(
    """
    rac.command{name = "build", sources = {"*.c"}, outputs = {"made"},
      run = function() return rac.exec{"touch", "made"} end}
    """, "\(folder)/few/commands.lua")
  write(
    "rac.command{name = 'build', run = function() return rac.exec{'touch', 'made'} end}\n",
    "\(folder)/few/plain.lua")
  let ours = [raclettePath(), "-C", "\(folder)/few", "run", "-q", "build"]
  runProcess(ours)
  sleep(3)
  runProcess(ours)
  let list = [raclettePath(), "-C", "\(folder)/few", "list", "-f", "plain.lua"]
  let times = alternating(200, { runProcess(ours) }, { runProcess(list) })
  print(
    "nothing to do over 10 sources: \(micros(times.one)) µs, raclette list \(micros(times.other)) µs, "
      + "ratio \(twoDigits(times.one / times.other)) (at most 1.5)")
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

private func write(_ text: String, _ path: String) {
  guard let file = fopen(path, "we") else { return print("cannot write \(path)") }
  fputs(text, file)
  fclose(file)
}
