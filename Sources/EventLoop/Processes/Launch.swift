import CLibUV
import Platform

/// A launch of a program, through `clone` on Linux and `posix_spawn` elsewhere.
///
/// Both share the parent's memory until the program is executed, so that a large heap costs
/// nothing; a fork, as in `uv_spawn`, copies the page tables. On Linux `posix_spawn` is not
/// sufficient: it cannot make the kernel end the child when the parent dies. The child leads a
/// process group or a session of its own, and starts with default signal actions and an empty mask,
/// regardless of ours.
struct Launch {
  let request: ProcessRequest
  /// The child's standard streams; nil for a stream it inherits from us.
  let streams: (input: Int32?, output: Int32?, errors: Int32?)

  /// Where the child records itself before its program begins; nil for nowhere.
  var record: Int32?

  /// The kind of group or session that the child leads.
  var leads = clibuv_leads_group
  /// The terminal that the child's group will own, or the controlling one of its session.
  var terminal: Int32?

  func start() throws(SpawnError) -> pid_t {
    guard let program = request.argv.first, !program.isEmpty else { throw .noProgram }
    try rejectNulBytes()
    let lookup = ProgramLookup(request, program: program)
    let path = try lookup.path()

    var pid: pid_t = 0
    var files = OpenFiles.inherited ?? rlimit()
    let restoresFiles = OpenFiles.inherited != nil
    let code = withCString(path) { path in
      withCString(request.directory) { directory in
        withVector(request.argv) { argv in
          withVector(request.environment) { environment in
            withUnsafePointer(to: &files) { files in
              clibuv_spawn_leader(
                &pid, path, argv, environment ?? clibuv_environment(), directory, leads,
                terminal ?? -1,
                streams.input ?? -1, streams.output ?? -1, streams.errors ?? -1,
                restoresFiles ? files : nil, record ?? -1, Self.ignoredSignals)
            }
          }
        }
      }
    }
    guard code == 0 else { throw lookup.error(code, path: path) }
    return pid
  }

  /// The signals that this process ignores and a child does not: read once, because that takes a system
  /// call for each signal. SIGPIPE is ignored from when a reader of our output has gone. A shell without
  /// job control starts what is in the background with SIGINT ignored, which the user of `&` has not asked
  /// for; the user of `nohup` has, so that SIGHUP stays ignored.
  private static let ignoredSignals =
    (clibuv_ignored_signals() | 1 << UInt64(SIGPIPE - 1)) & ~(1 << UInt64(SIGHUP - 1))

  private func rejectNulBytes() throws(SpawnError) {
    for part in request.argv where part.hasNulByte { throw .nulByte(in: part.text) }
    for part in request.environment ?? [] where part.hasNulByte { throw .nulByte(in: part.text) }
    if let part = request.directory, part.hasNulByte { throw .nulByte(in: part.text) }
  }

  private func withCString(
    _ bytes: [UInt8]?, _ body: (UnsafePointer<CChar>?) -> Int32
  ) -> Int32 {
    guard let bytes else { return body(nil) }
    return (bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress) }
    }
  }

  /// A NULL-ended vector of C strings that live in one block; NULL for nil.
  private func withVector(
    _ strings: [[UInt8]]?,
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32
  ) -> Int32 {
    guard let strings else { return body(nil) }
    let size = strings.reduce(0) { $0 + $1.count + 1 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(1, size)) { block in
      withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<CChar>?.self, capacity: strings.count + 1
      ) { vector in
        guard var next = block.baseAddress, let start = vector.baseAddress else { return ENOMEM }
        for (index, string) in strings.enumerated() {
          (start + index).initialize(to: next)
          memcpy(next, string, string.count)
          next += string.count
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
  fileprivate var hasNulByte: Bool { memchr(self, 0, count) != nil }
}
