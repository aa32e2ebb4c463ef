import Platform

/// From start to prompt: `raclette repl` against the bare Lua interpreter, each at a terminal.
func replBenchmark() {
  let raclette = raclettePath()
  let prompt = { (words: [String], prompt: String) in
    let session = BenchmarkTerminal(words)
    session.read(upTo: prompt)
    session.end()
  }
  let times = alternating(
    100, { prompt([raclette, "repl"], "rac> ") }, { prompt(["lua5.4", "-i"], "> ") })
  print(
    "prompt: raclette repl \(Int(times.one / .microseconds(1))) µs, lua5.4 -i "
      + "\(Int(times.other / .microseconds(1))) µs, ratio \(twoDigits(times.one / times.other)) "
      + "(at most 1.4)")
  typingBenchmark(raclette)
  longEntryBenchmark(raclette)
  completionBenchmark(raclette)
  historyBenchmark(raclette)
  evaluationBenchmark(raclette)
}

/// How soon a key shows while jobs print 10,000 lines a second.
private func typingBenchmark(_ raclette: String) {
  let session = BenchmarkTerminal([raclette, "repl"])
  session.read(upTo: "rac> ")
  session.type(
    "s = rac.interval(0.001):subscribe(function(n) for i = 1, 10 do print(n, i) end end)\r")
  session.read(upTo: "1\t10")
  let clock = ContinuousClock()
  var delays: [Duration] = []
  for count in 1...200 {
    // A text that stands nowhere else: what is typed so far, on the line.
    let place = (count - 1) % 60
    let typed = String(repeating: "x", count: place + 1)
    let start = clock.now
    session.type(place == 0 ? "\u{15}x" : "x")
    session.read(upTo: typed)
    delays.append(clock.now - start)
    usleep(5_000)
  }
  session.end()
  delays.sort()
  print(
    "echo of a key under 10,000 lines a second: median \(Int(delays[100] / .microseconds(1))) µs, "
      + "99th percentile \(Int(delays[198] / .microseconds(1))) µs (at most 20000)")
}

/// What a key in an entry of 200 lines costs, with highlighting.
private func longEntryBenchmark(_ raclette: String) {
  let session = BenchmarkTerminal([raclette, "repl"])
  session.read(upTo: "rac> ")
  let lines = (1...200).map {
    "local value_\($0) = {name = 'row \($0)', count = \($0) + 1} -- \($0)"
  }
  session.type("\u{1B}[200~" + lines.joined(separator: "\n") + "\nlast_one = 1\u{1B}[201~")
  session.read(upTo: "last_one")
  let before = session.processorTime
  let count = 100
  for number in 1...count {
    let letter = number % 2 == 0 ? "a" : "b"
    session.type(letter)
    session.read(upTo: letter)
  }
  let each = Int((session.processorTime - before) / .microseconds(1)) / count
  session.end()
  print("a key in an entry of 200 lines: \(each) µs of processor time (at most 2000)")
}

/// How soon Tab completes a name among 10,000 globals.
private func completionBenchmark(_ raclette: String) {
  let session = BenchmarkTerminal([raclette, "repl"])
  session.read(upTo: "rac> ")
  session.type("for i = 1, 10000 do _G['value_' .. i] = i end; unique_name = 'made'\r")
  session.type("unique_name\r")
  session.read(upTo: "made")
  session.read(upTo: "rac> ")
  let clock = ContinuousClock()
  var delays: [Duration] = []
  for _ in 1...50 {
    session.type("uniq")
    // In grey.
    session.read(upTo: "ue_name")
    let start = clock.now
    session.type("\t")
    session.read(upTo: "ue_name")
    delays.append(clock.now - start)
    session.type("\u{15}")
    usleep(20_000)
  }
  session.end()
  delays.sort()
  print(
    "completion among 10,000 globals: median \(Int(delays[25] / .microseconds(1))) µs "
      + "(at most 10000)")
}

/// How much a history of 300,000 entries delays the prompt.
private func historyBenchmark(_ raclette: String) {
  let folder = "/tmp/raclette-benchmark-\(getpid())"
  for path in [folder, "\(folder)/raclette"] { mkdir(path, 0o700) }
  setenv("XDG_STATE_HOME", folder, 1)
  defer { unsetenv("XDG_STATE_HOME") }
  let path = "\(folder)/raclette/history"
  let entries = (1...300_000).map { "print('an entry of some length', \($0))\n" }.joined()
  let clock = ContinuousClock()
  var times: [Duration] = []
  for _ in 1...5 {
    guard let file = fopen(path, "we") else { return print("cannot write \(path)") }
    fputs(entries, file)
    fclose(file)
    let start = clock.now
    let session = BenchmarkTerminal([raclette, "repl"])
    session.read(upTo: "rac> ")
    times.append(clock.now - start)
    session.end()
  }
  unlink(path)
  for path in ["\(folder)/raclette", folder] { rmdir(path) }
  times.sort()
  print(
    "prompt with 300,000 entries of history: median \(Int(times[2] / .milliseconds(1))) ms "
      + "(at most 200)")
}

/// What lines from a pipe cost in time and memory, the first and the last of a million.
private func evaluationBenchmark(_ raclette: String) {
  let measure = { (count: Int) -> (Duration, Int) in
    let lines = (1...count).map { "x = {\($0)}; local y = \($0); return x[1] + y\n" }.joined()
    var result = (Duration.zero, 0)
    withTemporaryFile(lines) { path in
      let clock = ContinuousClock()
      let start = clock.now
      let peak = peakMemory(of: ["/bin/sh", "-c", "exec '\(raclette)' repl < '\(path)'"])
      result = (clock.now - start, peak)
    }
    return result
  }
  let (few, many) = (measure(100_000), measure(1_000_000))
  print(
    "lines from a pipe: \(Int(few.0 / .microseconds(100_000))) µs each of 100,000, "
      + "\(Int(many.0 / .microseconds(1_000_000))) µs each of 1,000,000; peak memory "
      + "\(few.1 / 1024) MiB and \(many.1 / 1024) MiB, ratio "
      + "\(twoDigits(Double(many.1) / Double(few.1))) (at most 1.2)")
}
