import CLibUV
import Platform
import Synchronization

/// A thread's event loop: jobs, timers, OS signals and child processes, on libuv.
///
/// The loop belongs to the thread that creates it. `enqueue`, `stop`, `keepAlive`, `now` and
/// `isOnLoopThread` may be used from any thread. Everything else, including all objects that the
/// loop hands out, may be used only on the loop's thread, which is checked. Callbacks run on that
/// thread, one at a time, and never from inside the call that registers them.
///
/// A process may have several loops, one per thread.
public final class EventLoop: @unchecked Sendable {
  // Unchecked because libuv's handles belong to a thread and not to an isolation that Swift knows.
  // Other threads reach only the `inbox`, behind its mutex; `confine()` guards everything else.

  let raw: UnsafeMutablePointer<uv_loop_t>
  /// The buffer that every pipe reads into; a chunk is valid only while its callback runs.
  var readBuffer: UnsafeMutableRawBufferPointer {
    if let madeBuffer { return madeBuffer }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    madeBuffer = buffer
    return buffer
  }
  private var madeBuffer: UnsafeMutableRawBufferPointer?
  let inbox = Mutex(Inbox())
  let wakeUp = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  let nextTurn = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  /// An emptied batch, kept for its capacity.
  var spareBatch: [Job] = []
  var children = LiveChildren()
  var postponed = PostponedStarts()
  /// The watches that `FolderEvents` share, by the folders' paths.
  var folderEvents: [String: FolderEventSource] = [:]
  /// True while this process uses the terminal itself, so that children that want it have to wait.
  /// Loop's thread.
  ///
  /// Before setting it, wait until `hasLentTerminal` is false: a process that reads a terminal
  /// owned by another group is stopped, or gets a hang-up error.
  public var keepsTerminal = false

  /// A descriptor to which each child that does not outlive us writes its line of `/proc/self/stat`
  /// before its program begins, on Linux; nil for none. Loop's thread.
  public var startsRecord: Int32?

  /// The variable that each child has that is started with an environment of its own and does not outlive
  /// us; nil for none. Loop's thread.
  public var mark: ProcessMark?

  private let thread = LoopThread()
  private var phase = Phase.idle
  /// True if the loop runs for one turn only.
  var isSingleTurn = false

  private enum Phase {
    case idle
    case running
    case stopping
    case closed
  }

  /// Creates a loop that belongs to the calling thread.
  ///
  /// A process whose SIGPIPE still has its default action ignores the signal from now on: writing
  /// to a child that closed its input must fail without ending the process. Children get the
  /// default action back.
  ///
  /// - Throws: `EventLoopError.cannotStart` if the system is out of descriptors or memory.
  public init() throws(EventLoopError) {
    raw = .allocate(capacity: 1)
    let code = hasFreeDescriptors(12) ? uv_loop_init(raw) : -EMFILE
    guard code == 0 else { throw abandon(code) }
    let asyncCode = uv_async_init(raw, wakeUp) { handle in
      guard let data = handle?.pointee.data else { return }
      EventLoop.behind(data).drain()
    }
    guard asyncCode == 0 else {
      uv_loop_close(raw)
      throw abandon(asyncCode)
    }
    uv_idle_init(raw, nextTurn)
    // The loop outlives its own two handles, so they need not retain it.
    let me = Unmanaged.passUnretained(self).toOpaque()
    wakeUp.pointee.data = me
    nextTurn.pointee.data = me
    uv_unref(HandleMemory.generic(wakeUp))
    BrokenPipe.ignoreUnlessHandled()
  }

  /// Frees the allocated parts of a loop that could not be set up and is about to be released.
  private func abandon(_ code: Int32) -> EventLoopError {
    phase = .closed
    raw.deallocate()
    wakeUp.deallocate()
    nextTurn.deallocate()
    return .cannotStart(code: code)
  }

  deinit {
    if phase != .closed { tearDown() }
  }

  static func behind(_ data: UnsafeMutableRawPointer) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
  }

  /// True if the caller runs on the loop's thread.
  public var isOnLoopThread: Bool { thread.isCurrent }

  /// The monotonic clock: time since an arbitrary start, with nanoseconds. From any thread.
  public static var now: Duration { .nanoseconds(Int64(bitPattern: uv_hrtime())) }

  /// The next whole second of the clock, or the one after if that is less than a quarter of a second
  /// away. Work that is done once a second is done there, so that a process with much of it wakes once.
  ///
  /// - Parameter now: the present time of the clock.
  public static func nextSecond(after now: Duration = now) -> Duration {
    let next = Duration.seconds(now.components.seconds + 1)
    return next - now < .milliseconds(250) ? next + .seconds(1) : next
  }

  /// Stops the program when loop-confined state is used on another thread or after `close()`.
  func confine(_ caller: StaticString = #function) {
    precondition(isOnLoopThread, "EventLoop.\(caller) belongs to the loop's thread")
    precondition(phase != .closed, "EventLoop.\(caller) was called on a closed loop")
  }

  // MARK: Running

  /// Runs the loop on the calling thread until nothing is left to wait for, or until `stop()`.
  ///
  /// The loop waits for queued jobs, timers, live child processes, and `KeepAlive` tokens. OS
  /// signal handlers alone do not keep it running.
  public func run() {
    enter()
    while true {
      uv_run(raw, UV_RUN_DEFAULT)
      if phase == .stopping || !hasWork { break }
      drain()
      if phase == .stopping { break }
    }
    phase = .idle
  }

  /// Runs one turn: handles pending events, or if there are none, waits for the next event and
  /// handles what has arrived.
  public func runOnce() {
    turn(UV_RUN_ONCE)
  }

  /// Runs one turn that handles pending events without waiting.
  public func poll() {
    turn(UV_RUN_NOWAIT)
  }

  /// Waits until the next turn would have something to do, but at most for a time, or until a
  /// signal interrupts the wait.
  ///
  /// It handles nothing itself; the next turn does. Call `poll()` first, so that the system knows
  /// what to wait for.
  ///
  /// - Returns: true if a turn would have something to do.
  public func waitForEvent(atMost limit: Duration) -> Bool {
    confine()
    let hasJobs = inbox.withLock { !$0.jobs.isEmpty }
    if hasJobs { return true }
    // Without this, the next timer would seem as far away as at the last turn.
    uv_update_time(raw)
    let due = uv_backend_timeout(raw)
    if due == 0 { return true }
    let (seconds, attoseconds) = limit.components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    let isTimerNext = due > 0 && due <= milliseconds
    var events = pollfd(fd: uv_backend_fd(raw), events: Int16(POLLIN), revents: 0)
    let found = pollDescriptor(&events, isTimerNext ? due : milliseconds)
    return found > 0 || found == 0 && isTimerNext
  }

  /// Makes `run()` return after the current turn. From any thread; has no effect on a loop that is
  /// not running.
  public func stop() {
    guard isOnLoopThread else { return enqueue { self.stop() } }
    guard phase == .running else { return }
    phase = .stopping
    uv_stop(raw)
  }

  private func enter(_ caller: StaticString = #function) {
    confine(caller)
    precondition(phase == .idle, "EventLoop.\(caller) was called from inside the running loop")
    phase = .running
    alignKeepAlive()
  }

  /// Keeps a single turn from waiting after a timer that was due at its beginning.
  func timerFired() {
    if isSingleTurn { uv_idle_start(nextTurn, EventLoop.drainOnIdle) }
  }

  private func turn(_ mode: uv_run_mode) {
    enter()
    // Jobs are due at once; a token only keeps the loop waiting.
    if hasJobs { uv_idle_start(nextTurn, EventLoop.drainOnIdle) }
    isSingleTurn = true
    uv_run(raw, mode)
    isSingleTurn = false
    if !hasJobs { uv_idle_stop(nextTurn) }
    phase = .idle
  }

  // MARK: Closing

  /// Ends the loop: kills the groups of live children, cancels timers and signal handlers, drops
  /// queued jobs, and frees everything. No callback follows, including `onEnd` of children. A
  /// second call does nothing.
  public func close() {
    if phase == .closed { return }
    confine()
    precondition(phase == .idle, "EventLoop.close() was called from inside the running loop")
    tearDown()
  }

  private func tearDown() {
    for process in children.takeAll() { process.abandon() }
    phase = .closed
    let dropped = inbox.withLock { inbox in
      inbox.isClosed = true
      defer { inbox.jobs = [] }
      return inbox.jobs
    }
    uv_walk(
      raw,
      { handle, _ in
        guard let handle, uv_is_closing(handle) == 0 else { return }
        guard handle.pointee.type != UV_ASYNC, handle.pointee.type != UV_IDLE else {
          return uv_close(handle, nil)
        }
        LoopHandle.behind(handle.pointee.data)?.close()
      }, nil)
    uv_run(raw, UV_RUN_DEFAULT)
    uv_loop_close(raw)
    raw.deallocate()
    wakeUp.deallocate()
    nextTurn.deallocate()
    madeBuffer?.deallocate()
    spareBatch = []
    _ = consume dropped
  }
}

/// Returns true if the process may open `count` more descriptors: libuv aborts the process if it
/// cannot open its pipes.
private func hasFreeDescriptors(_ count: Int) -> Bool {
  var limit = rlimit()
  let resource = descriptorLimit
  // A process with a high limit never comes near it.
  guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 200 else { return true }
  guard
    let one = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].first(where: { fcntl($0, F_GETFD) >= 0 })
  else { return true }
  let opened = (0..<count).map { _ in dup(one) }
  for descriptor in opened where descriptor >= 0 { close(descriptor) }
  return !opened.contains(-1)
}

/// Calls the system's `poll` for one descriptor; a method of the loop shadows its name.
private func pollDescriptor(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
  poll(&descriptor, 1, milliseconds)
}
