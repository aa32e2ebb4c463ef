import Platform

/// The job server that GNU make shares with what it starts: a pipe with a byte for each job that may
/// run beside the first one of every participant. Loop's thread.
///
/// A participant has one job without asking, reads a byte before it starts another, and writes it
/// back when that has ended. make, ninja, cargo, gcc and Raclette take part.
public final class JobServer {
  private let loop: EventLoop
  /// The most jobs that may run at a time, if this process sets the limit; nil for a client.
  public let limit: Int?
  /// The pipe for what is started now.
  private var pipe: TokenPipe
  /// The pipe before it, until all jobs with it have ended.
  private var retired: Retired?
  private var exchange: TokenExchange?
  /// True if more tokens may have been lost since there is a retired pipe.
  private var mayLackMore = false
  /// Called when what is started from now on finds another address.
  public var onNewAddress: (() -> Void)?
  /// Called once when the first job begins, or waits.
  package var onFirstJob: (() -> Void)?
  /// The tokens that were read, which are to be written back.
  private var tokens: [UInt8] = []
  private var running = 0
  private var waiting: [Job] = []
  private var watches: [DescriptorWatch] = []
  /// What tells the process that sets the limit of tokens that others write back.
  private var writes: [PipeWrites] = []
  /// True if nobody can answer any more.
  private var isBroken = false

  /// A job that waits, or runs.
  public final class Job {
    fileprivate enum State { case waiting, running, ended }
    fileprivate var state = State.waiting
    fileprivate let start: () -> Void
    /// The pipe that its processes know, while it runs.
    fileprivate var pipe: TokenPipe?

    fileprivate init(_ start: @escaping () -> Void) { self.start = start }

    /// True if it has not started yet.
    public var isWaiting: Bool { state == .waiting }
  }

  /// A pipe of which tokens may be lost, and the number of running jobs that know it.
  private struct Retired {
    let pipe: TokenPipe
    var jobs: Int
  }

  /// Begins a job server.
  ///
  /// - Parameter jobs: the most jobs that may run at a time, 1 or more. `limit` is lower if a pipe of
  ///   this system has no room for as many tokens.
  /// - Returns: nil if the system has no descriptors for it.
  public init?(jobs: Int, on loop: EventLoop) {
    guard let pipe = TokenPipe(room: jobs - 1) else { return nil }
    self.loop = loop
    self.pipe = pipe
    let limit = min(jobs, pipe.capacity + 1)
    self.limit = limit
    pipe.settle(at: limit - 1)
    followWrites()
  }

  /// Takes part in the job server of the program that has started this one.
  ///
  /// - Returns: nil if there is nothing of that kind at the address.
  public convenience init?(_ address: JobServerAddress, on loop: EventLoop) {
    self.init(TokenPipe(address), on: loop)
  }

  /// Takes part in a job server whose descriptors this process has not inherited.
  ///
  /// - Returns: nil if the process that has it is gone.
  public convenience init?(_ holder: JobServerHolder, on loop: EventLoop) {
    self.init(TokenPipe(holder), on: loop)
  }

  private init?(_ callers: TokenPipe?, on loop: EventLoop) {
    guard let callers else { return nil }
    self.loop = loop
    pipe = callers
    limit = nil
  }

  deinit {
    stopWatching()
    exchange?.end()
  }

  /// The address for what is started.
  public var address: JobServerAddress { pipe.address }

  /// The number of jobs that run.
  public var runningJobs: Int { running }

  /// Calls `start` when one more job may run, at once or later. Every job has to be ended.
  public func begin(_ start: @escaping () -> Void) -> Job {
    onFirstJob.take()?()
    let job = Job(start)
    if waiting.isEmpty, take() { run(job) } else { waiting.append(job) }
    watchForTokens()
    return job
  }

  /// Ends a job, which starts no more if it waits.
  public func end(_ job: Job) {
    switch job.state {
    case .waiting: waiting.removeAll { $0 === job }
    case .running:
      running -= 1
      if let retired, job.pipe === retired.pipe { self.retired?.jobs -= 1 }
    case .ended: return
    }
    job.state = .ended
    // When nothing runs, the tokens are made right before the next job takes its own.
    if running == 0 { putBack() }
    replaceLost()
    startWaiting()
    putBack()
    dropSurplus()
  }

  /// Finds out whether tokens are lost, as a job that has ended in failure may not have written back all
  /// that it had read.
  ///
  /// A pipe does not show who has the tokens that are not in it. What is started from now on gets
  /// another pipe, and both share the tokens that come back. When all jobs that know the former one have
  /// ended, nobody has tokens of it any more: those that are missing then are lost, and replaced.
  public func mayHaveLostTokens() {
    guard let limit, pipe.lacksTokens else { return }
    guard retired == nil else {
      mayLackMore = true
      return
    }
    guard let next = TokenPipe(room: limit - 1), next.capacity >= limit - 1 else { return }
    retired = Retired(pipe: pipe, jobs: running)
    exchange = TokenExchange(between: pipe, and: next, on: loop)
    pipe = next
    followWrites()
    stopWatching()
    watchForTokens()
    onNewAddress?()
  }

  /// Gives everything back and waits for nothing more, before the loop ends.
  public func close() {
    waiting = []
    running = 0
    putBack()
    endExchange()
    writes = []
    watchForTokens()
  }

  // MARK: Tokens

  private func run(_ job: Job) {
    job.state = .running
    job.pipe = pipe
    running += 1
    job.start()
  }

  /// Gets the right to run one more job, if there is one.
  private func take() -> Bool {
    // The first job needs no token.
    guard !isBroken, running > tokens.count else { return true }
    dropSurplus()
    // More may have been written since.
    if let limit, running >= limit { return false }
    for pipe in pipes {
      switch pipe.take() {
      case .token(let token):
        tokens.append(token)
        return true
      case .empty: continue
      // A pipe whose other ends are all closed is left to itself.
      case .broken:
        isBroken = true
        return true
      }
    }
    return false
  }

  private var pipes: [TokenPipe] { [pipe] + (retired.map { [$0.pipe] } ?? []) }

  /// Drops what others have written back without having read it. Whoever waits for a token may read it
  /// first, so it is dropped at once.
  private func dropSurplus() {
    guard limit != nil else { return }
    for pipe in pipes { pipe.dropSurplus() }
  }

  private func followWrites() {
    writes = pipes.compactMap { pipe in
      PipeWrites(pipe.reading, on: loop) { [weak self] in self?.dropSurplus() }
    }
  }

  /// Replaces the tokens that are lost, once nobody can have tokens of the retired pipe.
  private func replaceLost() {
    guard let limit, retired?.jobs == 0 else { return }
    stopWatching()
    endExchange()
    pipe.add(limit - 1 - tokens.count - pipe.given)
    guard mayLackMore else { return }
    mayLackMore = false
    mayHaveLostTokens()
  }

  private func endExchange() {
    exchange?.end()
    (exchange, retired) = (nil, nil)
    if limit != nil { followWrites() }
  }

  private func startWaiting() {
    while !waiting.isEmpty, take() { run(waiting.removeFirst()) }
    watchForTokens()
  }

  private func putBack() {
    let surplus = tokens.count - max(0, running - 1)
    if surplus > 0 {
      pipe.put(tokens.suffix(surplus))
      tokens.removeLast(surplus)
    }
    // No job runs: one that was killed has not written back what it read, and others write back too
    // much.
    if running == 0, let limit { pipe.settle(at: limit - 1) }
  }

  /// Watches for tokens while jobs wait for them.
  private func watchForTokens() {
    guard !waiting.isEmpty, !isBroken else { return stopWatching() }
    guard watches.isEmpty else { return }
    watches = pipes.compactMap { pipe in
      try? loop.watchDescriptor(pipe.reading) { [weak self] in self?.startWaiting() }
    }
  }

  private func stopWatching() {
    for watch in watches { watch.cancel() }
    watches = []
  }
}
