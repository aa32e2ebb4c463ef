import CLibUV
import Platform

/// A handler of an OS signal. Confined to the loop's thread; the loop owns it until `cancel()`.
/// Cancelling the last handle of a signal in the process restores the signal's default action.
public final class SignalHandle: LoopHandle {
  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ signal: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.body = body
    super.init(loop) { uv_signal_init(loop.raw, $0) }
    guard code == 0 else { throw .cannotHandle(signal: signal, code: code) }
    uv_unref(raw(as: uv_handle_t.self))
    let startCode = uv_signal_start(
      raw(as: uv_signal_t.self),
      { handle, _ in SignalHandle.behind(handle?.pointee.data)?.body?() },
      signal)
    guard startCode == 0 else {
      close()
      throw .cannotHandle(signal: signal, code: startCode)
    }
    // The mask is inherited: the parent process may have left the signal blocked.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  override func releaseClosures() { body = nil }
}

extension EventLoop {
  /// Calls `body` on the loop's thread whenever the process gets `signal`.
  ///
  /// Does not keep the loop running. Several handles of one signal, on one or many loops, are all
  /// called. Several signals within one turn of the loop may arrive as one.
  ///
  /// - Throws: `EventLoopError.cannotHandle` for SIGKILL, SIGSTOP and unknown numbers.
  @discardableResult
  public func onSignal(
    _ signal: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) -> SignalHandle {
    confine()
    return try SignalHandle(self, signal, body)
  }
}

/// The process-wide action for SIGPIPE.
enum BrokenPipe {
  /// Ignores SIGPIPE unless the program has a handler of its own.
  static func ignoreUnlessHandled() {
    if hasDefaultAction(SIGPIPE) { signal(SIGPIPE, SIG_IGN) }
  }
}
