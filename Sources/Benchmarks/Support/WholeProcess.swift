import Platform

/// Runs a program with its output thrown away and waits for it. Ends the benchmark if it fails, for
/// then its time means nothing.
func runProcess(_ words: [String]) {
  let pid = startProcess(words)
  var status: Int32 = 0
  guard waitpid(pid, &status, 0) == pid, status == 0 else { giveUp(words) }
}

/// True if a shell finds the program.
func isInstalled(_ program: String) -> Bool {
  system("command -v '\(program)' >/dev/null 2>&1") == 0
}

/// Runs a program as `runProcess` does.
///
/// - Returns: the most memory that the program itself had at a time, in KiB. `ru_maxrss` would be at
///   least what the processes that it waited for had, and what this one had before.
func peakMemory(of words: [String]) -> Int { costOfProcess(words).peak }

/// What a program takes.
struct ProcessCost {
  /// The time from its start to its end, and the processor's time, with that of the processes that it
  /// waited for, in seconds.
  var elapsed = 0.0
  var processor = 0.0
  /// The most memory that the program itself had at a time, in KiB.
  var peak = 0
}

/// Runs a program as `runProcess` does, and looks at its memory meanwhile.
func costOfProcess(_ words: [String]) -> ProcessCost {
  var cost = ProcessCost()
  var usage = rusage()
  cost.elapsed =
    elapsed {
      let pid = startProcess(words)
      var status: Int32 = 0
      // The kernel keeps the peak; what is missed is the growth of the last millisecond.
      while wait4(pid, &status, WNOHANG, &usage) == 0 {
        cost.peak = peakMemory(of: pid) ?? cost.peak
        usleep(1_000)
      }
      guard status == 0 else { giveUp(words) }
    } / .seconds(1)
  for time in [usage.ru_utime, usage.ru_stime] {
    cost.processor += Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
  return cost
}

/// The peak that the kernel has kept of a process since it executed its program, in KiB; nil once the
/// process has ended.
func peakMemory(of pid: pid_t) -> Int? {
  guard let file = fopen("/proc/\(pid)/status", "re") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, Int32(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    if text.hasPrefix("VmHWM:") {
      return text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
  }
  return nil
}

/// Starts a program with its output thrown away.
func startProcess(_ words: [String]) -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  defer { for argument in arguments { free(argument) } }
  arguments.append(nil)
  var pid: pid_t = 0
  guard posix_spawnp(&pid, words[0], &actions, nil, arguments, environ) == 0 else { giveUp(words) }
  return pid
}

private func giveUp(_ words: [String]) -> Never {
  print("'\(words.joined(separator: " "))' failed; its time means nothing")
  exit(1)
}

/// The path of the program under test: the release executable beside this one.
func raclettePath() -> String {
  let own = CommandLine.arguments[0]
  let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
  // Some are started in another folder.
  guard let real = realpath(folder, nil) else { return "\(folder)/raclette" }
  defer { free(real) }
  return String(cString: real) + "/raclette"
}

/// A number of a process's status in `/proc`, such as its memory in KiB; 0 if there is none.
func statusNumber(_ name: Substring, in status: [Substring: Substring]) -> Int {
  status[name]?.split(separator: " ").first.flatMap { Int($0) } ?? 0
}
