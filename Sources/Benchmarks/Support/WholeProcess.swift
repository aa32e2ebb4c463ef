#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a program with its output thrown away and waits for it. Ends the benchmark if it fails, for
/// then its time means nothing.
func runProcess(_ words: [String]) {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  defer { posix_spawn_file_actions_destroy(&actions) }
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  defer { for argument in arguments { free(argument) } }
  arguments.append(nil)
  var pid: pid_t = 0
  var status: Int32 = 0
  guard posix_spawnp(&pid, words[0], &actions, nil, arguments, environ) == 0,
    waitpid(pid, &status, 0) == pid, status == 0
  else {
    print("'\(words.joined(separator: " "))' failed; its time means nothing")
    exit(1)
  }
}

/// The path of the program under test: the release executable beside this one.
func raclettePath() -> String {
  let own = CommandLine.arguments[0]
  let folder = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
  return "\(folder)raclette"
}

/// A file with a text, for the time of a measurement.
func withTemporaryFile(_ text: String, _ body: (String) -> Void) {
  let path = "/tmp/raclette-benchmark-\(getpid()).lua"
  guard let file = fopen(path, "we") else { return print("cannot write \(path)") }
  fputs(text, file)
  fclose(file)
  body(path)
  unlink(path)
}
