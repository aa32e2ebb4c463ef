import CLibUV
import Platform

/// The live children of one loop.
struct LiveChildren {
  /// Not keyed by process id: a group that is gone may still wait for its pipe while its id is
  /// reused.
  private var processes: [ObjectIdentifier: ChildProcess] = [:]
  private var childSignal: SignalHandle?
  private var sizeSignal: SignalHandle?
  private var nullDevice: Int32?
  /// True if orphans are adopted even while there is no child.
  private var adopts = false

  var count: Int { processes.count }
  var all: [ChildProcess] { Array(processes.values) }

  mutating func add(_ process: ChildProcess) {
    Orphans.adopt(for: process.processID)
    processes[ObjectIdentifier(process)] = process
  }

  /// Adopts orphans until all children are taken.
  mutating func adopt() {
    if !adopts { Orphans.adopt() }
    adopts = true
  }

  mutating func remove(_ process: ChildProcess) {
    guard processes.removeValue(forKey: ObjectIdentifier(process)) != nil else { return }
    Orphans.leave(for: process.processID)
  }

  /// Starts watching for the end of children, before the first one starts.
  mutating func watch(_ loop: EventLoop) throws(EventLoopError) {
    guard childSignal == nil else { return }
    childSignal = try loop.onSignal(SIGCHLD) { [unowned loop] in
      for process in loop.children.all { process.collect() }
      Orphans.reapEscaped()
    }
  }

  /// Starts passing on changes of the size of the user's terminal, before the first child with a
  /// terminal of its own starts.
  mutating func watchTerminalSize(_ loop: EventLoop) throws(EventLoopError) {
    guard sizeSignal == nil else { return }
    sizeSignal = try loop.onSignal(SIGWINCH) { [unowned loop] in
      let size = TerminalSize.ofUser
      for process in loop.children.all { process.resizeTerminal(size) }
    }
  }

  /// The descriptor of the null device, opened once.
  mutating func nullDescriptor() throws(SystemFailure) -> Int32 {
    if let nullDevice { return nullDevice }
    let number = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard number >= 0 else { throw SystemFailure(errorNumber: errno) }
    let descriptor = FileDescriptor(owning: number).release()
    nullDevice = descriptor
    return descriptor
  }

  /// Removes and returns all children, because the loop ends.
  mutating func takeAll() -> [ChildProcess] {
    defer { self = LiveChildren() }
    if let nullDevice { close(nullDevice) }
    for process in processes.values { Orphans.leave(for: process.processID) }
    if adopts { Orphans.leave() }
    return all
  }
}

extension EventLoop {
  /// The number of children that have not ended. Loop's thread.
  public var liveProcesses: Int {
    confine()
    return children.count
  }

  /// The leaders of the groups of all live children. Loop's thread.
  public var groupLeaders: Set<pid_t> {
    confine()
    return Set(children.all.map(\.processID))
  }

  /// True while a child's group owns the terminal or has not given it back. Loop's thread.
  public var hasLentTerminal: Bool {
    confine()
    return children.all.contains(where: \.ownsTerminal)
  }

  /// True while a child may read what is typed in the user's terminal. Loop's thread.
  public var isTerminalRead: Bool {
    confine()
    return children.all.contains(where: \.readsTerminal)
  }

  /// Lends the terminal to the first child that has stopped because it wants it. Loop's thread.
  public func offerTerminal() {
    confine()
    _ = children.all.first { $0.acceptTerminal() }
  }

  /// Ends the children with some process ids that have ended by themselves, although the loop has
  /// not come to their ends yet. Loop's thread.
  ///
  /// - Returns: true if there were any.
  public func settleChildren(_ ids: Set<pid_t>) -> Bool {
    confine()
    return children.all.filter { ids.contains($0.processID) && $0.settle() }.count > 0
  }

  /// Sends a signal, for example SIGSTOP or SIGCONT, to the groups of all live children. Loop's
  /// thread.
  public func signalAllGroups(_ signal: Int32) {
    confine()
    for process in children.all { process.send(signal) }
  }

  /// Stops the groups of all live children, as Ctrl-Z does. Loop's thread.
  public func stopAllGroups() {
    confine()
    for process in children.all { process.stop() }
  }

  /// Sends SIGKILL to the groups of all live children; each ends as after `kill()`. Loop's thread.
  public func killAllGroups() {
    confine()
    for process in children.all { process.kill() }
  }
}
