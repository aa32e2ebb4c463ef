import EventLoop
import LuaRuntime
import Reactive

/// What a script sends to the standard input of a process.
struct ProcessInput: Sendable {
  private unowned(unsafe) let host: ScriptHost
  private let child: ChildProcess

  init(_ host: ScriptHost, _ child: ChildProcess) {
    self.host = host
    self.child = child
  }

  /// Sends the input; what goes wrong with a signal goes wrong with the process.
  func feed(
    _ input: ProcessOptions.Input, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) {
    switch input {
    case .none: break
    case .bytes(let bytes):
      child.write(bytes)
      child.closeInput()
    case .signal(let signal):
      let feeding = subscription.makeChild()
      signal.observe(
        Observer(
          next: send,
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

  /// Sends a value as a line, which waits in its source's backlog until the pipe has taken it.
  private func send(_ value: LuaValue) {
    var bytes = value.argumentBytes ?? []
    bytes.append(10)
    let place = host.backlogPlace(for: value)
    child.write(bytes) { _ in place?.leave() }
  }
}
