import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Turns chunks of a process's output into values for one subscription, and stops reading while too
/// many of them are queued. Confined to the loop's thread.
final class ProcessOutput {
  private unowned(unsafe) let host: ScriptHost
  private let options: ProcessOptions
  private let purpose: Purpose
  private var execution: ScriptExecution? { purpose.execution }
  /// True if an observer of a command has started the process.
  private let isObserverWork: Bool
  private let observer: Observer<LuaValue>
  private let weighed: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private var splitter: LineSplitter?
  private let unfinished: UnfinishedOutput
  /// Bytes that were read but not yet sent, while the process is held.
  private var rest: [UInt8] = []
  private var backlog: Backpressure?
  /// What receives it after the end of the process was asked for.
  private var late: LateOutput?
  /// True if standard error comes with it.
  let joinsErrors: Bool
  /// True if the process is being ended because it timed out.
  var isTimedOut = false
  /// The part of its captured standard error that has been reported.
  private var toldErrors: [UInt8] = []
  /// Set right after the process has started.
  weak var process: ChildProcess?

  init(
    _ host: ScriptHost, _ options: ProcessOptions, _ purpose: Purpose,
    _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    self.host = host
    self.options = options
    self.purpose = purpose
    isObserverWork = host.observerWork.isCurrent
    self.observer = observer
    weighed = observer.weighing
    self.subscription = subscription
    // Asked in any case: the question also shows the receivers that a process sends the values.
    let joinsStreams = JoinedStreams.areWanted(by: observer)
    joinsErrors = joinsStreams && options.errors == .inherit
    splitter =
      options.output == .lines
      ? LineSplitter(limit: longestLine, openEnd: Secrets.openEnd) : nil
    unfinished = UnfinishedOutput(host.loop, observer)
    backlog = Backpressure(host) { [weak self] in self?.goOn() }
  }

  func receive(_ chunk: UnsafeRawBufferPointer) {
    guard let backlog else { return receiveLate(chunk) }
    // A receiver that collects all of it may run no Lua code that would notice.
    if host.interpreter.isProcessFull, !subscription.isDisposed {
      return observer.end(.error(Failure(.limit, host.interpreter.memoryLimitText)))
    }
    deliver { backlog.whileSending { send(chunk) } }
    unfinished.follow(splitter?.hasUnfinished == true) { [weak self] in
      guard let self, !self.subscription.isDisposed else { return [] }
      return splitter?.unfinished ?? []
    }
  }

  private func deliver(_ values: () -> Void) {
    host.context.with(\.isDeliveringOutput, true) {
      host.context.within(purpose, asObserver: isObserverWork, values)
    }
    host.observers.deliveredOutput()
  }

  /// Sends the rest after the process has ended, however much is queued.
  func finish() {
    unfinished.stop()
    guard backlog != nil else {
      finishLate()
      late?.finish()
      return
    }
    let left = rest
    rest = []
    deliver {
      left.withUnsafeBytes { left in
        _ = splitter?.append(left) { piece in
          send(piece)
          return true
        }
      }
      // The end of a line that has none is not made up, so that `tar c` stays an archive.
      splitter?.finish { send(($0, endsLine: false)) }
    }
  }

  /// Stops holding the process because nothing receives its output any more.
  func stopHolding() {
    let isEndedFromOutside =
      isTimedOut || host.context.isCancelling || execution?.isEndedFromOutside == true
    late = LateOutput(host, options, execution, isShown: isEndedFromOutside)
    unfinished.stop()
    backlog = nil
    if !joinsErrors { rest = [] }
    if let process { tellLate(captured: process.errorsSoFar) }
    process?.resumeOutput()
  }

  private func send(_ chunk: UnsafeRawBufferPointer) {
    guard splitter != nil else {
      send((chunk, endsLine: false))
      if backlog?.isFull == true { process?.pauseOutput() }
      return
    }
    if let sendBatch = observer.batch, let lines = splitter?.appendWhole(chunk) {
      if !subscription.isDisposed { sendBatch(LineBatch(lines)) }
      unfinished.lineSent()
      if backlog?.isFull == true { process?.pauseOutput() }
      return
    }
    let used =
      splitter?.append(
        chunk,
        while: { piece in
          send(piece)
          return backlog?.isFull != true
        }) ?? 0
    guard let backlog, backlog.isFull else { return }
    rest = Array(chunk[used...])
    process?.pauseOutput()
  }

  private func goOn() {
    guard let backlog, !backlog.isFull else { return }
    let chunk = rest
    rest = []
    chunk.withUnsafeBytes(receive)
    if self.backlog?.isFull == false { process?.resumeOutput() }
  }

  private func send(_ piece: LineSplitter.Piece) {
    unfinished.lineSent()
    guard !subscription.isDisposed else { return }
    if piece.endsLine {
      weighed.next(.string(LuaString(piece.bytes)))
    } else {
      observer.send(chunk: piece.bytes)
    }
  }

  /// Output of a process that is being ended, for example from a clean-up, is no longer sent as
  /// values.
  private func receiveLate(_ chunk: UnsafeRawBufferPointer) {
    guard !joinsErrors else {
      finishLate()
      late?.add(joined: chunk)
      return
    }
    guard let late, late.takesLines else { return }
    splitter?.append(chunk, late.add(line:))
  }

  /// Passes on what had come before the output was no longer sent as values.
  private func finishLate() {
    guard let late else { return }
    guard joinsErrors else { return splitter?.finish(late.add(line:)) ?? () }
    splitter?.finish(late.add(joined:))
    rest.withUnsafeBytes(late.add(joined:))
    rest = []
  }

  /// Adds to a failure what the process has written to its standard error so far.
  func takeErrors(into failure: inout Failure) {
    guard let process else { return }
    toldErrors = process.errorsSoFar
    options.add(toldErrors, to: &failure)
  }

  /// Passes on what a process that is being ended has written to its captured standard error and no error
  /// contains.
  func tellLate(captured bytes: [UInt8]) {
    guard options.errors == .capture else { return }
    let news = bytes.starts(with: toldErrors) ? bytes.dropFirst(toldErrors.count) : bytes[...]
    toldErrors = bytes
    late?.add(captured: Array(news))
  }
}
