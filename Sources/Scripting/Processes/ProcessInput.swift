import EventLoop
import LuaRuntime
import Reactive

/// What a script sends to the standard input of a process.
struct ProcessInput: Sendable {
  private unowned(unsafe) let host: ScriptHost
  private let options: ProcessOptions
  private let child: ChildProcess

  init(_ host: ScriptHost, _ options: ProcessOptions, _ child: ChildProcess) {
    self.host = host
    self.options = options
    self.child = child
  }

  /// Sends the input; what goes wrong with a signal goes wrong with the process.
  func feed(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    switch options.input {
    case .none: break
    case .bytes(let bytes):
      child.write(bytes)
      child.closeInput()
    case .signal(let signal):
      let feeding = subscription.makeChild()
      let end = { @Sendable (termination: Termination) in
        feeding.dispose()
        if case .error = termination, !subscription.isDisposed {
          // Half an input must not pass for a whole one.
          observer.end(termination)
        } else {
          child.closeInput()
        }
      }
      signal.observe(
        Observer(
          next: { value in if !send(value) { end(.error(refusal(of: value))) } },
          batch: send, end: end),
        in: feeding)
    }
  }

  private func refusal(of value: LuaValue) -> Failure {
    options.failure(
      .input,
      "the 'stdin' of '\(options.program)' was sent \(value.type.name), expected a string or a number"
    )
  }

  /// Sends text as it is.
  private func send(_ batch: Batch<LuaValue>) {
    guard let batch = batch as? TextBatch else { return batch.forEach { _ = send($0) } }
    let place = host.backlogPlace(forBytes: batch.text.count)
    child.write(batch.text) { _ in place?.leave() }
  }

  /// Sends a value as a line, which waits in its source's backlog until the pipe has taken it.
  ///
  /// - Returns: whether the value can be one.
  private func send(_ value: LuaValue) -> Bool {
    guard var bytes = value.argumentBytes else { return false }
    bytes.append(10)
    let place = host.backlogPlace(for: value)
    child.write(bytes) { _ in place?.leave() }
    return true
  }
}
