import Platform

/// Batches with a journal: against bare executions of the same command, and against `xargs` and GNU
/// parallel.
func batchBenchmark() {
  let folder = "/tmp/raclette-benchmark-\(getpid())"
  mkdir(folder, 0o700)
  defer { runProcess(["rm", "-rf", folder]) }
  write(commands, to: "\(folder)/commands.lua")
  write(
    commands + "\nfor _ = 1, \(entries) do noop:execute():wait() end", to: "\(folder)/bare.lua")
  write(
    (0..<entries).map { "{\"command\": \"noop\", \"input\": {\"n\": \($0)}}\n" }.joined(),
    to: "\(folder)/noop.jsonl")
  write(
    (0..<processes).map { "{\"command\": \"true\", \"input\": {\"n\": \($0)}}\n" }.joined(),
    to: "\(folder)/true.jsonl")
  let raclette = raclettePath()
  func batch(_ plan: String) {
    for ending in ["", "-wal", "-shm"] { unlink("\(folder)/journal.db\(ending)") }
    runProcess([
      raclette, "-C", folder, "batch", "-q", "--jobs", "8", "--journal", "journal.db", plan,
    ])
  }

  let noop = alternating(
    5, { batch("noop.jsonl") }, { runProcess([raclette, "exec", "\(folder)/bare.lua"]) })
  print(
    "\(entries) entries with a journal: \(microseconds(noop.one, entries)) µs each, bare executions "
      + "\(microseconds(noop.other, entries)) µs, ratio \(twoDigits(noop.one / noop.other)) (at most 3)"
  )

  let xargs = "seq \(processes) | xargs -P8 -n1 /bin/true"
  let spawned = alternating(
    5, { batch("true.jsonl") }, { runProcess(["sh", "-c", xargs]) })
  print(
    "\(processes) × /bin/true, 8 at a time with a journal: \(microseconds(spawned.one, processes)) µs "
      + "each, xargs -P8 \(microseconds(spawned.other, processes)) µs, ratio "
      + "\(twoDigits(spawned.one / spawned.other)) (at most 1.3)")

  guard isInstalled("parallel") else { return print("GNU parallel is not installed") }
  let parallel = elapsed {
    runProcess(["sh", "-c", "seq \(processes) | parallel -j8 -n1 /bin/true"])
  }
  // No runner can be faster than the system starts processes.
  let floor = alternating(5, { spawn(processes, atATime: 8) }, {}).one
  print(
    "the same by GNU parallel: \(microseconds(parallel, processes)) µs each, "
      + "\(twoDigits(parallel / spawned.one)) times as long (at least 10); a bare loop of "
      + "posix_spawn and wait takes \(microseconds(floor, processes)) µs, which leaves "
      + "\(twoDigits(parallel / floor)) times at most")
}

/// What a C program would do that wants nothing but to have run the processes.
private func spawn(_ count: Int, atATime limit: Int) {
  var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
  defer { free(arguments[0]) }
  var left = count
  var running = 0
  while left > 0 || running > 0 {
    if left > 0, running < limit {
      var pid: pid_t = 0
      guard posix_spawn(&pid, "/bin/true", nil, nil, &arguments, environ) == 0 else { exit(1) }
      left -= 1
      running += 1
    } else {
      var status: Int32 = 0
      wait(&status)
      running -= 1
    }
  }
}

private let entries = 10_000
private let processes = 2_000

private let commands = """
  local rac = require "rac"
  local noop = rac.command {name = "noop", concurrency = "unlimited", run = function() end}
  rac.command {name = "true", concurrency = "unlimited",
    run = function() return rac.exec{"/bin/true"} end}
  """

private func microseconds(_ duration: Duration, _ count: Int) -> Int {
  Int(duration / .microseconds(count))
}
