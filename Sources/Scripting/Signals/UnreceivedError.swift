import LuaRuntime
import Reactive

/// The error of work that was started without a subscriber, such as that of `rac.start_eagerly`. If
/// nobody has subscribed when nobody can any more, it is reported. Confined to the loop's thread.
final class UnreceivedError: @unchecked Sendable {
  // Unchecked: it is confined to the thread of the loop.

  /// Nil once the host is gone: signals may outlive it.
  private weak var host: ScriptHost?
  private var hasSubscriber = false
  private var failure: Failure?

  init(_ host: ScriptHost) {
    self.host = host
  }

  deinit {
    if let failure, !hasSubscriber { host?.reportUnhandled(failure) }
  }

  /// Returns the same signal, whose error is the one to receive.
  func noting(_ work: Signal<LuaValue>) -> Signal<LuaValue> {
    work.doError { self.failure = self.host?.failure(of: $0) }
  }

  /// Returns the same signal, whose subscribers receive the error.
  func received(from events: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal { observer, subscription in
      self.hasSubscriber = true
      events.observe(observer, in: subscription)
    }
  }
}
