import Platform

/// A program at a terminal of its own.
final class BenchmarkTerminal {
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

  /// The processor time that the program's main thread has used.
  var processorTime: Duration {
    guard let file = fopen("/proc/\(pid)/schedstat", "re") else { return .zero }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    fgets(&line, Int32(line.count), file)
    return .nanoseconds(strtoll(line, nil, 10))
  }

  /// The memory that the program has now, in KiB.
  var residentMemory: Int {
    guard let file = fopen("/proc/\(pid)/statm", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    fgets(&line, Int32(line.count), file)
    let pages = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
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
