import Platform

/// A program that the loop started, with all its descendants that stay in its process group.
///
/// Confined to the loop's thread. It lives until `onEnd`, even without other references; after
/// that, its members do nothing, and its handlers are released.
public final class ChildProcess {
  /// The id of the process that was started and of its group.
  public let processID: pid_t
  /// True until `onEnd` is called.
  public private(set) var isAlive = true

  /// The exit status of the program itself, while processes of its group may still be left; nil
  /// before.
  public var programStatus: ProcessEnd.Status? { group.leaderStatus }
  /// Called once when the program itself has ended, even if processes of its group are left; on the
  /// loop's thread.
  public var onProgramEnd: (() -> Void)?
  /// Called when the grace period is over, before what is left of the group is killed.
  public var onGraceEnd: (() -> Void)?
  /// True if it was lent the terminal because it used it.
  public var isLentTerminal: Bool { terminal.wasLent }

  private let loop: EventLoop
  private let keepAlive: KeepAlive?
  private var group: ProcessGroup
  /// Groups of descendants that were killed with the child.
  private var strays: [ProcessGroup] = []
  private var input: InputPipe?
  private var output: OutputPipe?
  private var errors: OutputPipe?
  private var errorTail = ErrorTail()
  /// That of the user.
  private let terminal: ChildTerminal
  private let hasOwnTerminal: Bool
  /// The child's end of its own terminal, held open. Without it, the terminal would hang up when a
  /// program closes its output before it ends, which would end it by SIGHUP, and libuv would take
  /// the hang-up for the end of output that is still to be read.
  private var ownTerminal: FileDescriptor?
  private var onEnd: ((ProcessEnd) -> Void)?
  private var wasTerminated = false
  /// The signal that has asked the group to end.
  private var endSignal = SIGTERM
  private var graceTimer: (timer: Timer, deadline: Duration)?
  private var groupPoll: (timer: Timer, delay: Duration)?

  init(
    _ loop: EventLoop, pid: pid_t, _ request: ProcessRequest,
    streams: consuming ChildStreams, terminal: LentTerminal? = nil, inputModes: InputModes? = nil,
    onOutput: @escaping (UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd) -> Void
  ) {
    self.loop = loop
    processID = pid
    group = ProcessGroup(leader: pid)
    self.terminal = ChildTerminal(loop, request, terminal, inputModes)
    hasOwnTerminal = if case .terminal = request.output { true } else { false }
    keepAlive = request.keepsLoopAlive ? loop.keepAlive() : nil
    self.onEnd = onEnd
    if let input = streams.input.takeOurs() { self.input = InputPipe(loop, input) }
    // The pipes release this object when they end, as does the loop.
    if let output = streams.output.takeOurs() {
      if hasOwnTerminal {
        ownTerminal = streams.output.number.flatMap(FileDescriptor.init(copying:))
      }
      var onChunk = onOutput
      if case .joinOutput = request.errors {
        onChunk = { chunk in
          self.errorTail.append(chunk)
          onOutput(chunk)
        }
      }
      self.output = OutputPipe(loop, output, onChunk: onChunk) { _ in self.endIfOver() }
    }
    if let errors = streams.errors.takeOurs() {
      let onErrors: ((UnsafeRawBufferPointer) -> Void)? =
        if case .forward(let handler) = request.errors { handler } else { nil }
      self.errors = OutputPipe(
        loop, errors,
        onChunk: { chunk in
          self.errorTail.append(chunk)
          onErrors?(chunk)
        }, onEnd: { _ in self.endIfOver() })
    }
  }

  // MARK: Streams

  /// Sends bytes to the child's standard input, which must be `.pipe`.
  ///
  /// They are copied and queued without limit; `completion`, which is called in a later turn,
  /// signals when to send more.
  public func write(
    _ bytes: UnsafeRawBufferPointer, _ completion: @escaping (InputOutcome) -> Void = { _ in }
  ) {
    loop.confine()
    if let input, input.write(bytes, completion) { return }
    loop.later { completion(.closed) }
  }

  /// Sends bytes to the child's standard input; see above.
  public func write(
    _ bytes: [UInt8], _ completion: @escaping (InputOutcome) -> Void = { _ in }
  ) {
    bytes.withUnsafeBytes { write($0, completion) }
  }

  /// Closes the child's standard input after all queued writes.
  public func closeInput() {
    loop.confine()
    input?.end()
  }

  /// Stops reading standard output, so that the child blocks as soon as the pipe is full. No
  /// further chunk is delivered until `resumeOutput()`, not even the one after the current chunk.
  public func pauseOutput() {
    loop.confine()
    output?.pause()
  }

  /// The last lines that the child has written to standard error so far, unless that is inherited.
  public var errorsSoFar: [UInt8] {
    loop.confine()
    var tail = errorTail
    return tail.contents()
  }

  /// Resumes reading standard output.
  public func resumeOutput() {
    loop.confine()
    output?.resume()
  }

  /// What identifies the pipes of its output that have not ended.
  var outputInodes: [UInt64] { [output, errors].compactMap { $0?.inode } }

  /// Changes the size of its own terminal, if its output is one.
  func resizeTerminal(_ size: TerminalSize) {
    if hasOwnTerminal { output?.resize(size) }
  }

  /// Stops its group, as Ctrl-Z does. With a terminal of its own it is in a session of its own, in
  /// which nobody could continue it: there the system ignores SIGTSTP.
  func stop() { send(hasOwnTerminal ? SIGSTOP : SIGTSTP) }

  // MARK: Ending

  /// Asks the group to end: a signal now (and SIGCONT, so that stopped processes receive it),
  /// SIGKILL after `grace`. A further call can only shorten the grace period. What SIGINT leaves of
  /// the group when the program has ended gets SIGTERM: shells start what is in the background deaf
  /// to it.
  ///
  /// `onEnd` follows when no process of the group is left. Output that the group has written is
  /// still delivered unless it is paused; a process that left the group (`setsid`) and holds the
  /// pipe open is not waited for.
  public func terminate(grace: Duration, by signal: Int32 = SIGTERM) {
    guard grace > .zero else { return kill() }
    guard beginTermination() else { return }
    endSignal = signal
    group.send(signal)
    if signal != SIGTERM, programStatus != nil { group.send(SIGTERM) }
    group.send(SIGCONT)
    let deadline = EventLoop.now + grace
    if let graceTimer, graceTimer.deadline <= deadline { return }
    graceTimer?.timer.cancel()
    let timer = loop.timer(after: grace) {
      if !self.isGone { self.onGraceEnd?() }
      self.kill()
    }
    graceTimer = (timer, deadline)
  }

  /// Sends SIGKILL to the group at once; otherwise like `terminate`. Descendants with groups of
  /// their own lose the process that would have ended them, so they are killed as well.
  public func kill() {
    guard beginTermination() else { return }
    graceTimer?.timer.cancel()
    let known = Set(strays.map(\.id))
    strays += Descendants.groups(of: processID).subtracting(known).map(ProcessGroup.init)
    group.send(SIGKILL)
    for stray in strays { stray.send(SIGKILL) }
  }

  /// Sends a signal to the group; the program decides how to handle it.
  public func send(_ signal: Int32) {
    loop.confine()
    if isAlive { group.send(signal) }
  }

  /// Returns true if there is a group to send signals to.
  private func beginTermination() -> Bool {
    loop.confine()
    guard isAlive else { return false }
    wasTerminated = true
    // Only the end of output was still pending. It ends now, but not inside this call.
    if isGone { loop.later { self.endIfOver() } }
    return !isGone
  }

  /// Serves the child while the loop does not run because a caller waits for the child: reaps
  /// processes that have ended, and lends the child the terminal.
  public func attend() {
    loop.confine()
    collect()
  }

  /// Reaps processes that have ended, and ends the child if that was the last one.
  func collect() {
    guard isAlive, !isGone else { return }
    let hadEnded = programStatus != nil
    var members = collectMembers()
    while case .stopped(let signal) = members {
      terminal.childHasStopped(by: signal, group)
      members = collectMembers()
    }
    if !hadEnded, programStatus != nil { programHasEnded() }
    switch members {
    case .stopped: stopPolling()
    // SIGCHLD announced the program's end, but nothing announces a process that leaves the group.
    case .children: if programStatus == nil { stopPolling() } else { pollAgain() }
    case .strangers: pollAgain()
    case .nobody:
      stopPolling()
      endIfOver()
    }
  }

  /// Ends it now if all processes of its group have ended by themselves and only that, or the last
  /// output, is still to be seen. Output is left alone while its reading is paused.
  ///
  /// - Returns: true if it has ended.
  func settle() -> Bool {
    collect()
    guard isAlive, isGone, !wasTerminated, output?.isPaused != true else { return !isAlive }
    output?.drainAndClose()
    errors?.drainAndClose()
    endIfOver()
    return !isAlive
  }

  private func programHasEnded() {
    terminal.programHasEnded(leavesScreen: leavesScreen)
    if endSignal != SIGTERM { group.send(SIGTERM) }
    let handler = onProgramEnd
    onProgramEnd = nil
    handler?()
  }

  /// True if it ends by itself, and so leaves the screen of the terminal as the user is to see it.
  private var leavesScreen: Bool { !wasTerminated && programStatus?.isSignalled != true }

  /// True while its group owns the terminal.
  var ownsTerminal: Bool { terminal.isOwned }

  /// True while it reads the user's terminal, whose owner it may be or not.
  var readsTerminal: Bool { ownsTerminal || terminal.isRead && programStatus == nil }

  /// Lends it the terminal if it waits for it.
  ///
  /// - Returns: true if it owns the terminal now.
  func acceptTerminal() -> Bool { terminal.lendIfAwaited(to: group) }

  /// True if no process of the group, nor of the groups killed with it, is left.
  private var isGone: Bool { group.isGone && strays.allSatisfy(\.isGone) }

  private func collectMembers() -> ProcessGroup.Members {
    var left = group.collect()
    for index in strays.indices {
      guard case .nobody = left else { break }
      left = strays[index].collect()
    }
    return left
  }

  /// Polls, ever less often: nothing announces the end of processes that are not our children, or
  /// that leave the group.
  private func pollAgain() {
    let delay = min((groupPoll?.delay ?? .milliseconds(1)) * 2, .milliseconds(256))
    groupPoll?.timer.cancel()
    let timer = loop.timer(after: delay) { self.collect() }
    if keepAlive == nil { timer.unref() }
    groupPoll = (timer, delay)
  }

  private func stopPolling() {
    groupPoll?.timer.cancel()
    groupPoll = nil
  }

  private func endIfOver() {
    guard isAlive, isGone else { return }
    if wasTerminated {
      output?.drainAndClose()
      errors?.drainAndClose()
    }
    if hasOwnTerminal {
      output?.readToEnd()
      guard isAlive else { return }
    }
    if output?.isOpen == true || errors?.isOpen == true { return }
    terminal.childHasEnded(leavesScreen: leavesScreen)
    let end = ProcessEnd(
      status: group.leaderStatus ?? .unknown, errorTail: errorTail.contents(),
      wasTerminated: wasTerminated)
    let handler = onEnd
    release()
    let loop = loop
    loop.children.remove(self)
    handler?(end)
    loop.tryPostponedStarts()
  }

  /// Releases everything without calling any handler, because the loop ends.
  func abandon() {
    guard isAlive else { return }
    group.killAndReapLeader()
    release()
  }

  private func release() {
    isAlive = false
    terminal.release()
    (onEnd, onProgramEnd, onGraceEnd) = (nil, nil, nil)
    input?.close()
    output?.close()
    errors?.close()
    ownTerminal = nil
    graceTimer?.timer.cancel()
    graceTimer = nil
    stopPolling()
    keepAlive?.release()
  }
}
