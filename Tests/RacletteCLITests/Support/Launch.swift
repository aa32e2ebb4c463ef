import CLibUV
import CVTerm
import Platform

/// What to run, and where its streams go.
struct Launch: Sendable {
  enum Input: Sendable {
    /// These bytes, then the end.
    case text(String)
    /// A stream that stays open until the test ends it.
    case open
    case closed
  }

  enum Output: Sendable {
    case captured
    case file(String)
    case closed
    /// The writing end of a pipe of the test.
    case descriptor(Int32)
  }

  var program = Program.path
  var arguments: [String] = []
  var folder = "/"
  /// Added to the environment of the test, from which what changes the runner's behaviour is taken.
  var environment: [String: String] = [:]
  var input = Input.text("")
  var output = Output.captured
  /// Whether it leads a process group, which signals are then sent to as from a terminal.
  var leadsGroup = false
  /// Descriptors of the test by the numbers that they get in the program, beside the standard streams.
  var descriptors: [Int32: Int32] = [:]

  /// Starts the program. The descriptors given become its standard streams; nil closes one.
  func start(_ streams: (Int32?, Int32?, Int32?), terminal: String? = nil) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    if let terminal {
      // The first terminal that the leader of a session opens becomes its own.
      flags |= newSession
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    } else {
      for (number, stream) in [streams.0, streams.1, streams.2].enumerated() {
        if let stream {
          posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        } else {
          posix_spawn_file_actions_addclose(&actions, Int32(number))
        }
      }
    }
    // Copies with higher numbers: one that is placed must not replace one that is yet to be.
    let copies = descriptors.mapValues { fcntl($0, F_DUPFD_CLOEXEC, 64) }
    for (number, copy) in copies { posix_spawn_file_actions_adddup2(&actions, copy, number) }
    defer { copies.values.forEach { close($0) } }
    if leadsGroup { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    // `env` changes the folder and the environment on all systems alike.
    let words = ["/usr/bin/env", "-C", folder] + variables + [program] + arguments
    var pid: pid_t = 0
    var vector: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { vector.forEach { free($0) } }
    let code = posix_spawn(
      &pid, words[0], &actions, &attributes, &vector, clibuv_environment())
    precondition(code == 0, "cannot start \(program): \(code)")
    return pid
  }

  private var variables: [String] {
    ["NO_COLOR", "FORCE_COLOR"].flatMap { ["-u", $0] }
      // The collector of a test may be slow to answer.
      + ["OTEL_EXPORTER_OTLP_TIMEOUT=600000"] + environment.map { "\($0.key)=\($0.value)" }
  }
}

/// POSIX_SPAWN_SETSID, which Glibc hides behind a macro.
#if canImport(Glibc)
  private let newSession: Int32 = 0x80
#else
  private let newSession: Int32 = 0x400
#endif

/// A pipe that no other child inherits, whoever starts one at this moment.
func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  precondition(clibuv_private_pipe(&ends) == 0, "no pipe could be made")
  return (ends[0], ends[1])
}

/// A terminal that no other child inherits, and the path by which a program opens it.
func makeTerminal() -> (descriptor: Int32, name: String) {
  var name = [CChar](repeating: 0, count: 128)
  let terminal = cvterm_open_terminal(&name, name.count)
  precondition(terminal >= 0, "no terminal could be made")
  return (terminal, String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
}
