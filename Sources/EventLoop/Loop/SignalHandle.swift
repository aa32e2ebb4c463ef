import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A handler of an OS signal. Confined to the loop's thread; the loop owns it until `cancel()`.
public final class SignalHandle: @unchecked Sendable, HandleOwner {
  // Unchecked, because it is confined to the loop's thread, which `confine()` checks.

  private unowned let loop: EventLoop
  private var handle: UnsafeMutablePointer<uv_signal_t>?
  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ signal: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.loop = loop
    self.body = body
    let handle = HandleMemory.allocate(uv_signal_t.self)
    let code = uv_signal_init(loop.raw, handle)
    guard code == 0 else {
      handle.deallocate()
      throw .cannotHandle(signal: signal, code: code)
    }
    self.handle = handle
    HandleMemory.bind(handle, to: self)
    uv_unref(HandleMemory.generic(handle))
    let startCode = uv_signal_start(
      handle,
      { handle, _ in
        HandleMemory.owner(SignalHandle.self, behind: handle?.pointee.data)?.body?()
      }, signal)
    guard startCode == 0 else {
      loopCloses()
      throw .cannotHandle(signal: signal, code: startCode)
    }
    // A mask is inherited: whoever started this program may have left the signal blocked.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Stops the handling and releases the closure at once. The last handle of a signal in the
  /// process gives the signal its default action back. Further calls do nothing.
  public func cancel() {
    guard handle != nil else { return }
    loop.confine()
    loopCloses()
  }

  func loopCloses() {
    guard let handle else { return }
    self.handle = nil
    body = nil
    HandleMemory.close(handle)
  }
}

extension EventLoop {
  /// Calls `body` on the loop's thread whenever the process gets `signal`.
  ///
  /// Does not keep the loop running. Several handles of one signal, on one or many loops, are all
  /// called. Signals that come faster than the loop turns may arrive as one.
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

/// The process-wide answer to SIGPIPE.
enum BrokenPipe {
  /// Ignores SIGPIPE unless the program has a handler of its own.
  static func ignoreUnlessHandled() {
    var current = sigaction()
    guard sigaction(SIGPIPE, nil, &current) == 0 else { return }
    #if canImport(Glibc)
      let handler = current.__sigaction_handler.sa_handler
    #else
      let handler = current.__sigaction_u.__sa_handler
    #endif
    if handler == nil { signal(SIGPIPE, SIG_IGN) }
  }
}
