import Platform

/// The job server that GNU make shares with what it starts: a pipe with a byte for each job that may
/// run beside the first one of every participant. Loop's thread.
///
/// A participant has one job without asking, reads a byte before it starts another, and writes it
/// back when that has ended. make, ninja, cargo, gcc and Raclette take part.
public final class JobServer {
  private let loop: EventLoop
  /// The most jobs that may run at a time, if this process sets the limit; nil for a client.
  private let limit: Int?
  /// Not blocking, whatever the others do with theirs.
  private let reading: Int32
  private let writing: Int32
  /// The ends that what is started inherits; nil for a client, whose own are inherited already.
  private let inherited: (reading: Int32, writing: Int32)?
  /// The bytes that were read, which are to be written back.
  private var tokens: [UInt8] = []
  private var running = 0
  private var waiting: [Job] = []
  private var watch: DescriptorWatch?
  /// True if nobody can answer any more.
  private var isBroken = false

  /// A job that waits, or runs.
  public final class Job {
    fileprivate enum State { case waiting, running, ended }
    fileprivate var state = State.waiting
    fileprivate let start: () -> Void

    fileprivate init(_ start: @escaping () -> Void) { self.start = start }

    /// True if it has not started yet.
    public var isWaiting: Bool { state == .waiting }
  }

  /// The lowest number of an inherited end: scripts of a shell use the lower ones for themselves.
  private static let lowestNumber: Int32 = 100
  private static let token = UInt8(ascii: "+")

  /// Begins a job server.
  ///
  /// - Parameter jobs: the most jobs that may run at a time, 1 or more.
  /// - Returns: nil if the system has no descriptors for it.
  public init?(jobs: Int, on loop: EventLoop) {
    self.loop = loop
    limit = jobs
    guard let pipe = try? Pipe.open() else { return nil }
    let ends = (
      fcntl(pipe.readEnd.number, F_DUPFD, Self.lowestNumber),
      fcntl(pipe.writeEnd.number, F_DUPFD, Self.lowestNumber)
    )
    inherited = ends
    reading = reopen(ends.0, O_RDONLY)
    writing = reopen(ends.1, O_WRONLY)
    guard ends.0 >= 0, ends.1 >= 0, reading >= 0, writing >= 0 else { return nil }
    put(Array(repeating: Self.token, count: jobs - 1))
  }

  /// Takes part in the job server of the program that has started this one.
  ///
  /// - Returns: nil if there is nothing of that kind at the address.
  public init?(_ address: JobServerAddress, on loop: EventLoop) {
    self.loop = loop
    limit = nil
    inherited = nil
    switch address {
    case .fifo(let path):
      reading = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      writing = reading
    case .descriptors(let readEnd, let writeEnd):
      guard isPipe(readEnd), isPipe(writeEnd) else {
        (reading, writing) = (-1, -1)
        return nil
      }
      reading = reopen(readEnd, O_RDONLY)
      writing = reopen(writeEnd, O_WRONLY)
    }
    guard isPipe(reading), isPipe(writing) else { return nil }
  }

  deinit {
    for end in Set([reading, writing] + (inherited.map { [$0.reading, $0.writing] } ?? []))
    where end >= 0 { closeDescriptor(end) }
  }

  /// The address for what is started; nil for a client.
  public var address: JobServerAddress? {
    inherited.map { .descriptors(reading: $0.reading, writing: $0.writing) }
  }

  /// The number of jobs that run.
  public var runningJobs: Int { running }

  /// Calls `start` when one more job may run, at once or later. Every job has to be ended.
  public func begin(_ start: @escaping () -> Void) -> Job {
    let job = Job(start)
    if waiting.isEmpty, take() { run(job) } else { waiting.append(job) }
    lookOut()
    return job
  }

  /// Ends a job, which starts no more if it waits.
  public func end(_ job: Job) {
    switch job.state {
    case .waiting: waiting.removeAll { $0 === job }
    case .running: running -= 1
    case .ended: return
    }
    job.state = .ended
    // When nothing runs, the tokens are made right before the next job takes its own.
    if running == 0 { putBack() }
    startWaiting()
    putBack()
  }

  /// Gives everything back and waits for nothing more, before the loop ends.
  public func close() {
    waiting = []
    running = 0
    putBack()
    lookOut()
  }

  // MARK: Tokens

  private func run(_ job: Job) {
    job.state = .running
    running += 1
    job.start()
  }

  /// Gets the right to run one more job, if there is one.
  private func take() -> Bool {
    // The first job needs no token.
    guard !isBroken, running > tokens.count else { return true }
    var byte: UInt8 = 0
    let count = read(reading, &byte, 1)
    // Somebody has written back more than was read.
    if count == 1, let limit, running >= limit { return false }
    if count == 1 {
      tokens.append(byte)
      return true
    }
    // A pipe whose other ends are all closed is left to itself.
    isBroken = count == 0 || (errno != EAGAIN && errno != EINTR)
    return isBroken
  }

  private func startWaiting() {
    while !waiting.isEmpty, take() { run(waiting.removeFirst()) }
    lookOut()
  }

  private func putBack() {
    let surplus = tokens.count - max(0, running - 1)
    if surplus > 0 {
      put(Array(tokens.suffix(surplus)))
      tokens.removeLast(surplus)
    }
    if running == 0, let limit { settle(at: limit - 1) }
  }

  /// Makes the number of tokens right while no job runs: one that was killed has not written back
  /// what it read, and others write back too much.
  private func settle(at count: Int) {
    var space = [UInt8](repeating: 0, count: 4096)
    while read(reading, &space, space.count) > 0 {}
    put(Array(repeating: Self.token, count: count))
  }

  private func put(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    _ = bytes.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
  }

  /// Watches for tokens while jobs wait for them.
  private func lookOut() {
    guard waiting.isEmpty || isBroken else {
      if watch == nil {
        watch = try? loop.watchDescriptor(reading) { [weak self] in self?.startWaiting() }
      }
      return
    }
    watch?.cancel()
    watch = nil
  }
}

/// Opens the pipe of a descriptor anew, so that the mode of others is not changed.
private func reopen(_ number: Int32, _ mode: Int32) -> Int32 {
  number < 0 ? -1 : open("/proc/self/fd/\(number)", mode | O_NONBLOCK | O_CLOEXEC)
}

private func isPipe(_ number: Int32) -> Bool {
  var information = stat()
  return number >= 0 && fstat(number, &information) == 0
    && information.st_mode & S_IFMT == S_IFIFO
}
