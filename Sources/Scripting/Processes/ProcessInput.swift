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
          next: onLoop { value in if !send(value) { end(.error(refusal(of: value))) } },
          batch: onLoop(send), end: onLoop(end)),
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
  private func send(_ batch: Batch<LuaValue>) {
    if let values = (batch as? ShownValues)?.batch { return send(values) }
    guard let batch = batch as? TextBatch else { return batch.forEach { _ = send($0) } }
    let place = host.backlogPlace(forBytes: batch.backlog)
    child.write(batch.text) { _ in place?.leave() }
  }

  /// Sends a value as a line, which stays in its source's backlog until the pipe has taken it.
  ///
  /// - Returns: true if the value can be sent as a line.
  private func send(_ value: LuaValue) -> Bool {
    guard var bytes = value.argumentBytes else { return false }
    bytes.append(10)
    let place = host.backlogPlace(for: value)
    child.write(bytes) { _ in place?.leave() }
    return true
  }
}
