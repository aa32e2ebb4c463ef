import EventLoop
import LuaRuntime
import Reactive

/// What to run and how, as `rac.exec` takes it.
struct ProcessOptions: Sendable {
  enum Output: String, CaseIterable, Sendable {
    case lines, bytes
  }

  enum Errors: String, CaseIterable, Sendable {
    case inherit, merge, capture
  }

  enum Input: Sendable {
    case none
    case bytes([UInt8])
    case signal(Signal<LuaValue>)
  }

  var argv: [[UInt8]]
  var directory: [UInt8]?
  /// Variables to set, or with nil to remove, over those of the command or the script.
  var variables: [EnvironmentChange] = []
  var input = Input.none
  var output = Output.lines
  var errors = Errors.inherit
  var timeout: Duration?
  var grace = Duration.seconds(5)
  var successCodes: [Int32] = [0]

  var words: [String] { argv.map { String(decoding: $0, as: UTF8.self) } }
}

/// A process as a cold signal: each subscription starts one.
///
/// Disposal asks its group to end, forces it after the grace period, and counts as over only when no
/// process of the group is left; whoever waits for the work of the subscription waits for that.
struct ProcessSignal: Sendable {
  unowned(unsafe) let host: ScriptHost
  let options: ProcessOptions
  /// The execution whose work made the signal, while there is one.
  let maker: @Sendable () -> ScriptExecution?

  var signal: Signal<LuaValue> {
    Signal { observer, subscription in start(observer, subscription) }
  }

  private func start(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    let host = host
    if host.isRehearsing {
      observer.next(.string(""))
      return observer.end(.completed)
    }
    let execution = host.currentExecution ?? maker()
    let reader = OutputReader(observer, subscription, options.output)
    let place = Workplace(execution?.place, options)
    var request = ProcessRequest(
      argv: options.argv, environment: place.environment, directory: place.directory)
    request.errors =
      switch options.errors {
      case .inherit: .forward { bytes in host.onErrorOutput(execution?.origin, bytes) }
      case .merge: .mergeIntoOutput
      case .capture: .capture
      }
    if case .none = options.input {} else { request.input = .pipe }
    if place.isInteractive {
      request.goToTerminal(options)
      host.onOutputDelivered()
    }
    let ending = Ending()
    do {
      let deliver = { (body: () -> Void) in
        host.isDeliveringOutput = true
        host.within(execution, body)
        host.isDeliveringOutput = false
        host.onOutputDelivered()
      }
      let child = try host.loop.spawn(
        request, onOutput: { chunk in deliver { reader.receive(chunk) } }
      ) { end in
        deliver { reader.finish() }
        host.within(execution) {
          ending.finish()
          if !subscription.isDisposed { observer.end(termination(end)) }
        }
      }
      subscription.addAsync { done in
        ending.onFinish(done)
        child.terminate(grace: options.grace)
      }
      limit(observer, subscription)
      feed(child, observer, subscription)
    } catch {
      var failure = Failure(.spawn, error.description)
      failure.argv = options.words
      observer.end(.error(failure))
    }
  }

  /// Ends the signal when the time is over; its disposal then ends the process.
  private func limit(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    guard let timeout = options.timeout else { return }
    var failure = Failure(.timeout, "'\(options.words[0])' took longer than \(timeout.text)")
    failure.argv = options.words
    subscription.add(
      host.scheduler.schedule(after: timeout) { [failure] in
        if !subscription.isDisposed { observer.end(.error(failure)) }
      })
  }

  private func feed(
    _ child: ChildProcess, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    switch options.input {
    case .none: break
    case .bytes(let bytes):
      child.write(bytes)
      child.closeInput()
    case .signal(let signal):
      let feeding = subscription.makeChild()
      signal.observe(
        Observer(
          next: { value in
            var bytes = value.argumentBytes ?? []
            bytes.append(10)
            child.write(bytes)
          },
          end: { termination in
            feeding.dispose()
            if case .error = termination, !subscription.isDisposed {
              // Half an input must not pass for a whole one.
              observer.end(termination)
            } else {
              child.closeInput()
            }
          }), in: feeding)
    }
  }

  private func termination(_ end: ProcessEnd) -> Termination {
    var failure = Failure(.exit, "")
    failure.argv = options.words
    let tail = end.errorTail.last == 10 ? end.errorTail.dropLast() : end.errorTail[...]
    failure.stderr = tail.isEmpty ? nil : String(decoding: tail, as: UTF8.self)
    failure.hidesStandardError = options.errors == .capture
    switch end.status {
    case .exited(let code):
      if options.successCodes.contains(code) { return .completed }
      failure.code = code
      failure.message = "'\(options.words[0])' exited with status \(code)"
    case .signalled(let number):
      failure.signal = signalName(number)
      failure.code = 128 + number
      failure.message = "'\(options.words[0])' was ended by \(signalName(number))"
    case .unknown:
      failure.message = "'\(options.words[0])' ended in an unknown way"
    }
    return .error(failure)
  }
}

extension ProcessRequest {
  /// Leaves to the process what the script does not want for itself.
  fileprivate mutating func goToTerminal(_ options: ProcessOptions) {
    if case .none = options.input { input = .inherit }
    if options.errors == .inherit { errors = .inherit }
    output = .inherit
    takesTerminal = true
  }
}

/// Turns chunks of output into values for one subscription; on the loop's thread.
private final class OutputReader: @unchecked Sendable {
  private let observer: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private var splitter: LineSplitter?
  /// A longer line comes in pieces: `cat /dev/zero` must not fill the memory.
  private static var longestLine: Int { 16 << 20 }

  init(
    _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable,
    _ output: ProcessOptions.Output
  ) {
    self.observer = observer
    self.subscription = subscription
    splitter = output == .lines ? LineSplitter(limit: OutputReader.longestLine) : nil
  }

  func receive(_ chunk: UnsafeRawBufferPointer) {
    guard !subscription.isDisposed else { return }
    if splitter == nil { send(chunk) } else { splitter?.append(chunk, send) }
  }

  func finish() {
    splitter?.finish(send)
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    if !subscription.isDisposed { observer.next(.string(LuaString(bytes))) }
  }
}

/// Tells one listener when the process is over; on the loop's thread.
private final class Ending: @unchecked Sendable {
  private var isOver = false
  private var listener: (@Sendable () -> Void)?

  func onFinish(_ listener: @escaping @Sendable () -> Void) {
    if isOver { listener() } else { self.listener = listener }
  }

  func finish() {
    isOver = true
    listener?()
    listener = nil
  }
}
