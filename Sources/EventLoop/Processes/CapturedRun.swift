import CLibUV
import Platform

/// A short run of a program to its end, which blocks the calling thread. For questions that are asked
/// before there is work on the loop, as what another tool has in its file.
public struct CapturedRun: Sendable {
  /// The exit status; nil if a signal has ended it.
  public let status: Int32?
  /// What it has written to standard output.
  public let output: [UInt8]
  /// What it has written to standard error.
  public let errors: [UInt8]

  /// The reason why there is no output.
  public enum Problem: Error, Sendable {
    /// It cannot start.
    case start(SpawnError)
    /// The system has no files in memory, from which it would read its input.
    case input
    /// It ran for longer than the limit, and was ended.
    case timeout
  }

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - argv: the program, which PATH is searched for, and its arguments.
  ///   - directory: its folder.
  ///   - input: what it reads from standard input.
  ///   - limit: the seconds that it may take.
  public init(
    _ argv: [String], in directory: String, input: [UInt8] = [], within limit: Int
  ) throws(Problem) {
    var start = try Start(argv, in: directory, input: input)
    self = try start.end(within: limit)
  }

  fileprivate init(status: Int32?, output: [UInt8], errors: [UInt8]) {
    (self.status, self.output, self.errors) = (status, output, errors)
  }

  /// A run that has begun, whose end can be waited for once.
  public struct Start: Sendable {
    private let child: pid_t
    private var output: Pipe
    private var errors: Pipe

    /// Starts a program; the kernel ends it with this process.
    public init(
      _ argv: [String], in directory: String, input: [UInt8] = []
    ) throws(Problem) {
      let source = try Self.descriptor(of: input)
      var (output, errors) = (Pipe(), Pipe())
      var request = ProcessRequest(argv: argv.map(\.exactBytes))
      request.directory = Array(directory.utf8)
      let launch = Launch(request: request, streams: (source, output.writer, errors.writer))
      let start = Result { () throws(SpawnError) in try launch.start() }
      Platform.close(source)
      output.closeWriter()
      errors.closeWriter()
      do { child = try start.get() } catch {
        output.closeReader()
        errors.closeReader()
        throw .start(error)
      }
      (self.output, self.errors) = (output, errors)
    }

    /// Waits for its end.
    ///
    /// - Parameter limit: the seconds that it may take from now on.
    public mutating func end(within limit: Int) throws(Problem) -> CapturedRun {
      let end = Self.now() + limit * 1000
      var isLate = false
      while output.isOpen || errors.isOpen {
        var watched = [
          pollfd(fd: output.reader, events: Int16(POLLIN), revents: 0),
          pollfd(fd: errors.reader, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&watched, 2, Int32(max(end - Self.now(), 0)))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          isLate = true
          kill(-child, SIGKILL)
          break
        }
        if watched[0].revents != 0 { output.read() }
        if watched[1].revents != 0 { errors.read() }
      }
      output.closeReader()
      errors.closeReader()
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      if isLate { throw .timeout }
      return CapturedRun(
        status: status & 0x7f == 0 ? (status >> 8) & 0xff : nil, output: output.content,
        errors: errors.content)
    }

    /// Opens a file with an input at its start.
    private static func descriptor(of input: [UInt8]) throws(Problem) -> Int32 {
      if input.isEmpty { return open("/dev/null", O_RDONLY | O_CLOEXEC) }
      guard let descriptor = openMemoryFile() else { throw .input }
      guard writeAll(input, to: descriptor) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        Platform.close(descriptor)
        throw .input
      }
      return descriptor
    }

    private static func now() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
  }

  /// The pipe of one of its streams.
  fileprivate struct Pipe: Sendable {
    private(set) var reader: Int32 = -1
    private(set) var writer: Int32 = -1
    private(set) var content: [UInt8] = []

    var isOpen: Bool { reader >= 0 }

    init() {
      var ends: (Int32, Int32) = (-1, -1)
      withUnsafeMutableBytes(of: &ends) { bytes in
        _ = clibuv_private_pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
      }
      (reader, writer) = ends
    }

    mutating func read() {
      withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { space in
        let count = readBytes(from: reader, into: space)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { return closeReader() }
        content += UnsafeRawBufferPointer(rebasing: space[..<count])
      }
    }

    mutating func closeReader() {
      if reader >= 0 { Platform.close(reader) }
      reader = -1
    }

    mutating func closeWriter() {
      if writer >= 0 { Platform.close(writer) }
      writer = -1
    }
  }
}
