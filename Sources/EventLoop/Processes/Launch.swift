import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One start of a program through `posix_spawn`.
///
/// `posix_spawn` shares the parent's memory until the program is executed, so that a large heap
/// costs nothing; a fork, as in `uv_spawn`, copies the page tables. The child leads a process group
/// of its own, and starts with default signal actions and an empty mask, whatever ours are.
struct Launch {
  let request: ProcessRequest
  /// What the child gets as its standard streams; nil leaves ours.
  let streams: (input: Int32?, output: Int32?, errors: Int32?)

  func start() throws(SpawnError) -> pid_t {
    guard let program = request.argv.first, !program.isEmpty else { throw .noProgram }
    try rejectNulBytes()
    let lookup = ProgramLookup(request, program: program)
    let path = try lookup.path()

    var pid: pid_t = 0
    let code = withSpawnArguments { actions, attributes in
      path.withCString { path in
        withVector(request.argv) { argv in
          guard let environment = request.environment else {
            return posix_spawn(&pid, path, actions, attributes, argv, clibuv_environment())
          }
          return withVector(environment) { environment in
            posix_spawn(&pid, path, actions, attributes, argv, environment)
          }
        }
      }
    }
    guard code == 0 else { throw lookup.error(code, path: path) }
    return pid
  }

  private func rejectNulBytes() throws(SpawnError) {
    for part in request.argv where part.contains(0) { throw .nulByte(in: part.text) }
    for part in request.environment ?? [] where part.contains(0) { throw .nulByte(in: part.text) }
    if let part = request.directory, part.contains(0) { throw .nulByte(in: part.text) }
  }

  private func withSpawnArguments(
    _ body: (UnsafePointer<posix_spawn_file_actions_t>, UnsafePointer<posix_spawnattr_t>) -> Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var failure: Int32 = 0
    if let input = streams.input {
      failure |= posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    }
    if let output = streams.output {
      failure |= posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    }
    if let errors = streams.errors {
      failure |= posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    }
    if let directory = request.directory {
      failure |= directory.withCString { clibuv_spawn_in_directory(&actions, $0) }
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    failure |= posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    failure |= posix_spawnattr_setsigdefault(&attributes, &signals)
    failure |= posix_spawnattr_setpgroup(&attributes, 0)
    failure |= posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    // All of these fail for lack of memory only.
    return failure == 0 ? body(&actions, &attributes) : ENOMEM
  }

  /// A NULL-ended vector of C strings that live in one block.
  private func withVector(
    _ strings: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let size = strings.reduce(0) { $0 + $1.count + 1 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(1, size)) { block in
      withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<CChar>?.self, capacity: strings.count + 1
      ) { vector in
        guard var next = block.baseAddress, let start = vector.baseAddress else { return ENOMEM }
        for (index, string) in strings.enumerated() {
          (start + index).initialize(to: next)
          for byte in string {
            next.initialize(to: CChar(bitPattern: byte))
            next += 1
          }
          next.initialize(to: 0)
          next += 1
        }
        (start + strings.count).initialize(to: nil)
        return body(start)
      }
    }
  }
}

extension [UInt8] {
  fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // Never empty: the terminator is always there.
        body(characters.baseAddress.unsafelyUnwrapped)
      }
    }
  }
}
