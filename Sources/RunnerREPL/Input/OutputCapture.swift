import Platform
import RunnerCore
import Synchronization

/// Holds back everything that is written to standard output and standard error while the user types
/// a line: by the runner, by scripts, by their libraries, and by programs that they start.
///
/// Meanwhile the descriptors lead to a pipe. A separate thread drains it, so that no writer blocks,
/// and keeps the end of the output: more than a screen is never shown.
final class OutputCapture {
  /// The maximum number of bytes kept.
  static let capacity = 128 * 1024

  private let drain: Drain?
  /// The write end of the pipe.
  private let entrance: Int32
  /// The redirected descriptors, and their original destinations.
  private let streams: [(number: Int32, terminal: Int32)]
  private var isActive = false
  private var isDraining = false

  /// - Parameter onOutput: called on another thread when output is available.
  init(onOutput: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    if Self.makePipe(&ends) {
      (drain, entrance) = (Drain(ends[0], onOutput), ends[1])
    } else {
      (drain, entrance) = (nil, -1)
    }
    streams = [STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }.map {
      ($0, fcntl($0, F_DUPFD_CLOEXEC, 10))
    }
  }

  /// Creates a pipe with descriptor numbers that no program expects; programs do not inherit it,
  /// and its read end is non-blocking.
  private static func makePipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    for index in ends.indices {
      let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 10)
      close(ends[index])
      ends[index] = moved
    }
    return ends.allSatisfy { $0 >= 0 } && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0
  }

  deinit {
    end()
    for stream in streams { close(stream.terminal) }
    if entrance >= 0 { close(entrance) }
  }

  func begin() {
    guard !isActive, drain != nil else { return }
    fflush(standardOutput)
    for stream in streams { dup2(entrance, stream.number) }
    isActive = true
  }

  /// Begins to drain the pipe, which then never fills up. After the prompt, which need not wait for
  /// a new thread.
  func start() {
    guard !isDraining else { return }
    isDraining = true
    drain?.start()
  }

  func end() {
    guard isActive else { return }
    fflush(standardOutput)
    for stream in streams { dup2(stream.terminal, stream.number) }
    isActive = false
  }

  /// True if output is available.
  var hasOutput: Bool {
    if isActive { fflush(standardOutput) }
    return drain?.hasOutput ?? false
  }

  /// Returns the output since the last call.
  func take() -> CapturedOutput {
    if isActive { fflush(standardOutput) }
    return drain?.take() ?? CapturedOutput()
  }
}

/// Output that was written while the user typed a line.
struct CapturedOutput {
  var bytes: [UInt8] = []
  /// The number of earlier lines that were dropped.
  var skippedLines = 0

  /// Drops whole lines from the front when the output exceeds the limit by far.
  fileprivate mutating func trim() {
    guard bytes.count > 2 * OutputCapture.capacity else { return }
    let cut = bytes.count - OutputCapture.capacity
    let start = bytes[cut...].firstIndex(of: 10).map { $0 + 1 } ?? cut
    skippedLines += bytes[..<start].count { $0 == 10 }
    bytes.removeFirst(start)
  }
}

/// Drains a pipe continuously.
private final class Drain: Sendable {
  private let descriptor: Int32
  private let output = Mutex(CapturedOutput())
  private let onOutput: @Sendable () -> Void

  init(_ descriptor: Int32, _ onOutput: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.onOutput = onOutput
  }

  var hasOutput: Bool {
    output.withLock {
      read(into: &$0)
      return !$0.bytes.isEmpty
    }
  }

  func take() -> CapturedOutput {
    output.withLock { output in
      read(into: &output)
      defer { output = CapturedOutput() }
      return output
    }
  }

  /// Reads the current content of the pipe. The reader holds the lock, which keeps the order.
  private func read(into output: inout CapturedOutput) {
    // Do not wait for a writer that never pauses.
    for _ in 0..<16 {
      let count = output.bytes.count
      let added = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
        let count = readBytes(from: descriptor, into: space)
        if count > 0 { output.bytes += UnsafeRawBufferPointer(rebasing: space[..<count]) }
        return count > 0
      }
      guard added, output.bytes.count > count else { return }
      output.trim()
    }
  }

  /// Begins to read in the background, until the program ends: programs that scripts started may write until then.
  func start() {
    // Ctrl-C must interrupt the main thread and the call in which it waits.
    var all = sigset_t()
    var former = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { this in
        guard let this else { return nil }
        Unmanaged<Drain>.fromOpaque(this).takeRetainedValue().run()
        return nil
      }, this)
    if code == 0 { pthread_detach(thread) } else { Unmanaged<Drain>.fromOpaque(this).release() }
  }

  private func run() {
    while true {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&state, 1, -1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, state.revents & Int16(POLLIN) != 0 else { return }
      let isNews = output.withLock { output in
        let wasEmpty = output.bytes.isEmpty
        read(into: &output)
        return wasEmpty && !output.bytes.isEmpty
      }
      if isNews { onOutput() }
    }
  }
}
