import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The input that a script sends to a process's standard input.
struct ProcessInput {
  private unowned(unsafe) let host: ScriptHost
  private let options: ProcessOptions
  private let child: ChildProcess

  init(_ host: ScriptHost, _ options: ProcessOptions, _ child: ChildProcess) {
    self.host = host
    self.options = options
    self.child = child
  }

  /// Sends the input; an error of a signal becomes an error of the process.
  ///
  /// A signal is disposed of when the process has closed its input: nothing would read the rest, and
  /// what it waits for in the backlog would make room for more.
  func feed(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    switch options.input {
    case .none: break
    case .bytes(let bytes):
      child.write(bytes)
      child.closeInput()
    case .signal(let signal):
      let feeding = subscription.makeChild()
      let end = { (termination: Termination) in
        feeding.dispose()
        if case .error = termination, !subscription.isDisposed {
          // A partial input must not pass for a complete one.
          observer.end(termination)
        } else {
          child.closeInput()
        }
      }
      signal.observe(
        Observer(
          next: onLoop { value in
            if !send(value, orDispose: feeding) { end(.error(refusal(of: value))) }
          },
          batch: onLoop { send($0, orDispose: feeding) }, end: onLoop(end)),
        in: feeding)
    }
  }

  private func refusal(of value: LuaValue) -> Failure {
    options.failure(
      .input,
      "the 'stdin' of '\(options.program)' was sent \(value.type.name), expected a string or a number"
    )
  }

  /// Sends text unchanged.
  private func send(_ batch: Batch<LuaValue>, orDispose feeding: CompoundDisposable) {
    if let values = (batch as? ShownValues)?.batch { return send(values, orDispose: feeding) }
    guard let batch = batch as? TextBatch else {
      return batch.forEach { _ = send($0, orDispose: feeding) }
    }
    write(batch.text, host.backlogPlace(forBytes: batch.backlog), orDispose: feeding)
  }

  /// Sends a value as a line.
  ///
  /// - Returns: true if the value can be sent as a line.
  private func send(_ value: LuaValue, orDispose feeding: CompoundDisposable) -> Bool {
    guard var bytes = value.argumentBytes else { return false }
    bytes.append(10)
    write(bytes, host.backlogPlace(for: value), orDispose: feeding)
    return true
  }

  /// Sends bytes, which stay in their source's backlog until the pipe has taken them.
  private func write(
    _ bytes: [UInt8], _ place: BacklogPlace?, orDispose feeding: CompoundDisposable
  ) {
    child.write(bytes) { outcome in
      if outcome == .closed { feeding.dispose() }
      place?.leave()
    }
  }
}
