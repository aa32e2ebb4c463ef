import Platform

/// The command runner against those that people know: lists, many short commands, much output, and
/// long chains of needs.
func runnerBenchmark() {
  withTemporaryFolder { folder in
    listing(folder)
    manyCommands(folder)
    output(folder)
    planning(folder)
  }
}

/// `raclette list` of 20 commands against `just --list` of 20 recipes.
private func listing(_ folder: String) {
  write(
    (1...20).map { "rac.command{name = 'c\($0)', summary = 'Does \($0)', run = print}\n" }.joined(),
    to: "\(folder)/list.lua")
  write((1...20).map { "# Does \($0)\nc\($0):\n  true\n" }.joined(), to: "\(folder)/justfile")
  // Version managers put a script in front of it, whose time is not just's.
  let just = getenv("JUST").map { String(cString: $0) } ?? "just"
  guard isInstalled(just) else {
    return print("list: skipped, as there is no just; pip install rust-just, or set JUST")
  }
  let times = alternating(
    200, { runProcess([raclettePath(), "list", "-f", "\(folder)/list.lua"]) },
    { runProcess([just, "--justfile", "\(folder)/justfile", "--list"]) })
  print(
    "list of 20 commands: \(micros(times.one)) µs, just --list \(micros(times.other)) µs, ratio "
      + "\(twoDigits(times.one / times.other)) (at most 1.2)")
}

/// A thousand independent commands, eight at a time, against make.
private func manyCommands(_ folder: String) {
  let count = 1_000
  write(
    """
    local needs = {}
    for i = 1, \(count) do
      needs[i] = "c" .. i
      rac.command{name = needs[i], run = function() return rac.exec{"/bin/true"} end}
    end
    rac.command{name = "all", needs = needs, run = function() end}
    """, to: "\(folder)/many.lua")
  let targets = (1...count).map { "c\($0)" }.joined(separator: " ")
  write(
    "all: \(targets)\n\(targets):\n\t@/bin/true\n.PHONY: all \(targets)\n", to: "\(folder)/Makefile"
  )
  let times = alternating(
    5, { runProcess([raclettePath(), "run", "-f", "\(folder)/many.lua", "-j", "8", "all"]) },
    { runProcess(["make", "-s", "-j8", "-f", "\(folder)/Makefile", "all"]) })
  print(
    "\(count) × /bin/true, 8 at a time: \(micros(times.one) / 1000) ms, make -j8 "
      + "\(micros(times.other) / 1000) ms, ratio \(twoDigits(times.one / times.other)) (at most 1.5)"
  )
}

/// A gigabyte of a child's output to a file, against cat.
private func output(_ folder: String) {
  let line = String(repeating: "0123456789", count: 10).dropLast() + "\n"
  let lines = String(repeating: String(line), count: 1_000)
  for _ in 0..<1_000 { write(lines, to: "\(folder)/lines", mode: "ae") }
  let files = Array(repeating: "'\(folder)/lines'", count: 10).joined(separator: ",")
  write(
    "rac.command{name = 'cat', run = function() return rac.exec{'cat', \(files)} end}",
    to: "\(folder)/cat.lua")
  let words = Array(repeating: "\(folder)/lines", count: 10).joined(separator: " ")
  let target = "\(folder)/copy"
  let ours = ["sh", "-c", "exec '\(raclettePath())' run -f '\(folder)/cat.lua' cat >\(target)"]
  // In a run of its own, as looking takes time.
  let peak = peakMemory(of: ours)
  let times = alternating(
    3, { runProcess(ours) }, { runProcess(["sh", "-c", "exec cat \(words) >\(target)"]) })
  print(
    "1 GB of output to a file: \(micros(times.one) / 1000) ms, cat \(micros(times.other) / 1000) "
      + "ms, ratio \(twoDigits(times.one / times.other)) (at most 1.5); at most \(peak / 1024) MB")
  // A child's output comes through a pipe, which costs a second copy in any program.
  let piped = alternating(
    3, { runProcess(ours) }, { runProcess(["sh", "-c", "cat \(words) | cat >\(target)"]) })
  print(
    "the same against cat | cat: \(micros(piped.one) / 1000) ms, "
      + "\(micros(piped.other) / 1000) ms, ratio \(twoDigits(piped.one / piped.other))")
}

/// The plan of a chain of 10,000 commands against one of 1,000.
private func planning(_ folder: String) {
  let chain = { (count: Int) -> String in
    let path = "\(folder)/chain\(count).lua"
    write(
      """
      for i = 1, \(count) do
        rac.command{name = "c" .. i, needs = i > 1 and {"c" .. i - 1} or nil, run = print}
      end
      """, to: path)
    return path
  }
  let (long, short) = (chain(10_000), chain(1_000))
  let times = alternating(
    7, { runProcess([raclettePath(), "run", "-n", "-f", long, "c10000"]) },
    { runProcess([raclettePath(), "run", "-n", "-f", short, "c1000"]) })
  print(
    "plan of 10,000 commands in a chain: \(micros(times.one) / 1000) ms, of 1,000 "
      + "\(micros(times.other) / 1000) ms, ratio \(twoDigits(times.one / times.other)) (linear: 10)"
  )
}

private func micros(_ duration: Duration) -> Int { Int(duration / .microseconds(1)) }
