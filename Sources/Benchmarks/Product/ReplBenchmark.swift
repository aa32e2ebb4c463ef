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
      + "(at most 3)")
  typingBenchmark(raclette)
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
      + "99th percentile \(Int(delays[198] / .microseconds(1))) µs (at most 50000)")
}

/// A program at a terminal of its own.
private final class BenchmarkTerminal {
  private var terminal: Int32 = -1
  private var pid: pid_t = 0

  init(_ words: [String]) {
    var end: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&terminal, &end, &name, nil, &size) == 0 else {
      print("no terminal could be made")
      exit(1)
    }
    _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
    close(end)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    // POSIX_SPAWN_SETSID: the terminal that the leader of a session opens becomes its own.
    posix_spawnattr_setflags(&attributes, 0x80)
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    guard posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ) == 0 else {
      print("'\(words[0])' cannot be started")
      exit(1)
    }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  func type(_ text: String) {
    _ = write(terminal, text, text.utf8.count)
  }

  /// Reads until a text has been shown.
  func read(upTo text: String) {
    let wanted = Array(text.utf8)
    var shown: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = space.withUnsafeMutableBytes { readBytes(from: terminal, into: $0) }
      guard count > 0 else {
        print("the program ended before it showed '\(text)'")
        exit(1)
      }
      shown += space[..<count]
      if String(decoding: shown, as: UTF8.self).contains(text) { return }
      shown = shown.suffix(wanted.count)
    }
  }

  func end() {
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    close(terminal)
  }
}
