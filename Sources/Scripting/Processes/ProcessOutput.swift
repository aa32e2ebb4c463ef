import EventLoop
import LuaRuntime
import Reactive

/// Turns chunks of a process's output into values for one subscription, and stops reading while too
/// many of them wait in queues. On the loop's thread.
final class ProcessOutput: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private unowned(unsafe) let host: ScriptHost
  private let options: ProcessOptions
  private let execution: ScriptExecution?
  private let observer: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private var splitter: LineSplitter?
  /// What was read and not yet sent, while the process is held.
  private var rest: [UInt8] = []
  private var backlog: Backlog?
  /// How many lines that nobody receives any more are still told.
  private var lateLines = 100
  /// Whether the process is ended because it took too long.
  var isTimedOut = false
  private var isLateShown = false
  /// Set right after the process has started.
  weak var process: ChildProcess?

  /// A longer line comes in pieces: `cat /dev/zero` must not fill the memory.
  private static let longestLine = 16 << 20

  init(
    _ host: ScriptHost, _ options: ProcessOptions, _ execution: ScriptExecution?,
    _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    self.host = host
    self.options = options
    self.execution = execution
    self.observer = observer
    self.subscription = subscription
    splitter = options.output == .lines ? LineSplitter(limit: Self.longestLine) : nil
    backlog = Backlog(host) { [weak self] in self?.goOn() }
  }

  func receive(_ chunk: UnsafeRawBufferPointer) {
    guard let backlog else { return receiveLate(chunk) }
    // Whoever collects it all may run no Lua code that would notice.
    if host.interpreter.isProcessFull, !subscription.isDisposed {
      return observer.end(.error(Failure(.limit, host.interpreter.memoryLimitText)))
    }
    deliver { backlog.whileSending { send(chunk) } }
  }

  private func deliver(_ values: () -> Void) {
    host.isDeliveringOutput = true
    host.within(execution, values)
    host.isDeliveringOutput = false
    host.onOutputDelivered()
  }

  /// The process is over; what is left is sent, however much waits.
  func finish() {
    guard backlog != nil else { return splitter?.finish(tellLate) ?? () }
    let left = rest
    rest = []
    deliver {
      left.withUnsafeBytes { splitter?.append($0, sendValue) }
      splitter?.finish(sendValue)
    }
  }

  /// Nobody receives anything any more: the process must not wait for that.
  func stopHolding() {
    let isEndedFromOutside =
      isTimedOut || host.isCancelling || execution?.isEndedFromOutside == true
    isLateShown = isEndedFromOutside
    backlog = nil
    rest = []
    process?.resumeOutput()
  }

  private func send(_ chunk: UnsafeRawBufferPointer) {
    guard splitter != nil else {
      sendValue(chunk)
      if backlog?.isFull == true { process?.pauseOutput() }
      return
    }
    if let sendBatch = observer.batch, let lines = splitter?.appendWhole(chunk) {
      if !subscription.isDisposed { sendBatch(LineBatch(lines)) }
      if backlog?.isFull == true { process?.pauseOutput() }
      return
    }
    let used =
      splitter?.append(
        chunk,
        while: { line in
          sendValue(line)
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

  private func sendValue(_ bytes: UnsafeRawBufferPointer) {
    if !subscription.isDisposed { observer.next(.string(LuaString(bytes))) }
  }

  /// What a process says while it is being ended, a clean-up perhaps, is no value any more. It is shown,
  /// or if the process was ended because nobody wanted more it is for the log.
  private func receiveLate(_ chunk: UnsafeRawBufferPointer) {
    guard lateLines > 0 else { return }
    splitter?.append(chunk, tellLate)
  }

  private func tellLate(_ line: UnsafeRawBufferPointer) {
    guard lateLines > 0 else { return }
    lateLines -= 1
    guard isLateShown, host.takesLateOutput() else {
      let text = String(decoding: line, as: UTF8.self)
      return host.onLog(.debug, "\(options.words[0]) while it ends: \(text)")
    }
    var bytes = Array(line)
    bytes.append(10)
    bytes.withUnsafeBytes { host.onErrorOutput(execution?.origin, $0) }
  }
}
